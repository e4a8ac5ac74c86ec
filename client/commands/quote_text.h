// How a quote is shown, and what is expected of its fit: in words and as a table.
#ifndef TOPICWALL_CLIENT_COMMANDS_QUOTE_TEXT_H_
#define TOPICWALL_CLIENT_COMMANDS_QUOTE_TEXT_H_

#include <string>

#include "client/fit/fit_quote.h"

namespace topicwall::client {

// What the fit is, takes and can be expected to give, in a few lines; `explain`: with what decides
// nothing.
std::string QuoteText(const FitQuote& quote, bool explain);

// "for 300 owners (nominal, says the custodian) of 40 known words each, …": what that rests on.
std::string AssumptionOf(const FitQuote& quote);

// Whose number words per unit is: "measured", "assumed", or "default" where nobody said one.
std::string WordsFrom(const Planning& planning);

// Signal and noise by word rank, or of components by their size, or nothing; each line indented by
// two spaces.
std::string ExpectationTable(const FitQuote& quote);

// WarningOf what is expected (fit_planner.h) and what it rests on, "" if there is nothing to warn
// of.
std::string WarningOf(const FitQuote& quote);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_QUOTE_TEXT_H_
