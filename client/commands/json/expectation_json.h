// What is expected of a fit (client/fit/fit_planner.h), as JSON. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_JSON_EXPECTATION_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_JSON_EXPECTATION_JSON_H_

#include <optional>
#include <string>

#include "model/gaussian/expected_components.h"
#include "model/lda/denoise/noise_model.h"

namespace topicwall::client {

// {"stops_before_topics":…,"may_be_below_word_frequencies":…,…,"terms":[…]}, or null if nothing is
// expected.
std::string ExpectationJson(const std::optional<lda::ExpectedSignal>& expected);
// {"counts_signal":…,"sizes":[…],…}, or null.
std::string ExpectationJson(const std::optional<gaussian::ExpectedComponents>& expected);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_JSON_EXPECTATION_JSON_H_
