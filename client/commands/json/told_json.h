// What the commands and the Python package both tell as JSON. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_JSON_TOLD_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_JSON_TOLD_JSON_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/json.h"
#include "client/audit/takings.h"
#include "client/evaluate/wall_evaluation.h"
#include "client/fit/fit.h"
#include "model/gaussian/expected_components.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// "no_budget" of CORPUS_STATE_NO_BUDGET; "unknown" of what this program does not know, as a newer
// wall may say it. `name`: by protobuf's NAME_Name, "" of such a one.
std::string EnumWord(absl::string_view name, absl::string_view prefix);
inline std::string StateWord(v1::CorpusState state) {
  return EnumWord(v1::CorpusState_Name(state), "CORPUS_STATE_");
}

// {"corpus":…,"state":…,"epsilon_total":…,"epsilon_spent":…,"epsilon_left":…,"delta":…,"plans":[{"plan_id":…,
// "principal":…,"corpus":…,"cancelled":…,"taken":…},…],"taken_by_others":…,"events":…,…}
base::JsonObject BudgetJson(const v1::BudgetStatus& budget, const Takings& takings);

// {"document_completion":…,"standard_error":…,"words":…,…,"taken":…,"was_finished":…}, of vectors
// {"log_likelihood":…,"standard_error":…,…,"vectors":…,…}; null where the noise leaves no number to
// tell. `budget`: after it, if it is known.
base::JsonObject EvaluationJson(const WallEvaluation& result,
                                std::optional<v1::BudgetStatus> budget = {});

// {"stops_before_topics":…,"may_be_below_word_frequencies":…,…,"terms":[…]}, or null if nothing is
// expected.
std::string ExpectationJson(const std::optional<lda::ExpectedSignal>& expected);
// {"counts_signal":…,"sizes":[…],…}, or null.
std::string ExpectationJson(const std::optional<gaussian::ExpectedComponents>& expected);

// {"model":…,"was_finished":…,"corpus":…,…,"taken":…,…}: `directory` is the model's folder.
std::string FitJson(const FitResult& result, const std::string& directory);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_JSON_TOLD_JSON_H_
