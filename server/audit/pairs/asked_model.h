// The model that is asked of a pair's corpora, bound to its parameters.
//
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<model::Inference> inference, InferenceOf(pair));
//
// PUBLIC: made up. Pure.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_ASKED_MODEL_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_ASKED_MODEL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "server/audit/pairs/neighbouring_pair.h"

namespace topicwall::audit {

// Errors as of MakeModel and Bind: a pair that nobody could ask.
absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const NeighbouringPair& asked);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_ASKED_MODEL_H_
