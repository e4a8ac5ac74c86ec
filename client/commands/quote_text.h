// How a quote is shown, and what is expected of its fit: in words, as a table, as JSON.
#ifndef TOPICWALL_CLIENT_COMMANDS_QUOTE_TEXT_H_
#define TOPICWALL_CLIENT_COMMANDS_QUOTE_TEXT_H_

#include <optional>
#include <string>

#include "client/fit/fit_quote.h"
#include "model/gaussian/expected_components.h"
#include "model/lda/denoise/noise_model.h"

namespace topicwall::client {

// What the fit is, takes and can be expected to give, in a few lines; `explain`: with what decides
// nothing.
std::string QuoteText(const FitQuote& quote, bool explain);

// "for 300 owners (nominal, says the custodian) of 40 known words each, …": what that rests on.
std::string AssumptionOf(const FitQuote& quote);

// Signal and noise by word rank, or of components by their size, or nothing; each line indented by
// two spaces.
std::string ExpectationTable(const FitQuote& quote);

// {"stops_before_topics":…,"may_be_below_word_frequencies":…,…,"terms":[…]}, or null if nothing is
// expected.
std::string ExpectationJson(const std::optional<lda::ExpectedSignal>& expected);
// {"weight_error":…,"sizes":[…],…}, or null.
std::string ExpectationJson(const std::optional<gaussian::ExpectedComponents>& expected);

// WarningOf what is expected (fit_planner.h) and what it rests on, "" if there is nothing to warn
// of.
std::string WarningOf(const FitQuote& quote);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_QUOTE_TEXT_H_
