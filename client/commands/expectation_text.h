// How what is expected of a fit is shown: as a line of an offer, as a table, as JSON.
#ifndef TOPICWALL_CLIENT_COMMANDS_EXPECTATION_TEXT_H_
#define TOPICWALL_CLIENT_COMMANDS_EXPECTATION_TEXT_H_

#include <optional>
#include <string>

#include "client/fit/plan_offer.h"
#include "model/lda/denoise/noise_model.h"

namespace topicwall::client {

// Of the word that decides.
std::string ExpectationLine(const lda::ExpectedSignal& expected);

// "for 300 owners (nominal, says the custodian) of 40 known words each, …": what it rests on.
std::string AssumptionOf(const PlanOffer& offer);

// Signal and noise by word rank, each line indented by two spaces.
std::string ExpectationTable(const lda::ExpectedSignal& expected);

// {"junk":…,"signal_to_noise":…,…,"terms":[…]}, or null if nothing is expected.
std::string ExpectationJson(const std::optional<lda::ExpectedSignal>& expected);

// WarningOf the offer (fit_expectation.h) and what it rests on, "" if there is nothing to warn of.
std::string WarningOf(const PlanOffer& offer);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_EXPECTATION_TEXT_H_
