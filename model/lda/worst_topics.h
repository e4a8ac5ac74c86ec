// The requests at which an E-step takes longest (model/worst_case.h), of every model that runs one.
//
// There are two. At the one no topic ever dies out, so every iteration runs over all of them. At
// the other float32 underflows, which only many topics can make it do (about 80 or more), so that
// every document is computed again in double: then both count, for float32 may give up in its last
// iteration. Whether the second is possible is found out by trying it.
//
// PUBLIC. Threads: any. Cost: the parameters, K·V floats each, and one document.
#ifndef TOPICWALL_MODEL_LDA_WORST_TOPICS_H_
#define TOPICWALL_MODEL_LDA_WORST_TOPICS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "model/worst_case.h"

namespace topicwall::lda {

// INVALID_ARGUMENT for limits below 1 and for a shape that no topics have.
absl::StatusOr<std::vector<model::WorstCase>> WorstTopics(const model::AnalystLimits& limits);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_WORST_TOPICS_H_
