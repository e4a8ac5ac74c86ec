// An evaluation behind the wall, as JSON. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_JSON_EVALUATION_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_JSON_EVALUATION_JSON_H_

#include <optional>

#include "base/json.h"
#include "client/evaluate/wall_evaluation.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// {"document_completion":…,"standard_error":…,"words":…,…,"taken":…,"was_finished":…}, of vectors
// {"log_likelihood":…,"standard_error":…,"vectors":…,…}; null where the noise leaves no number to
// tell. `budget`: after it, if it is known.
base::JsonObject EvaluationJson(const WallEvaluation& result,
                                std::optional<v1::BudgetStatus> budget = {});

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_JSON_EVALUATION_JSON_H_
