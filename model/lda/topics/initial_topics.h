// Where a fit starts: topics that differ, without which the E-step could never tell them apart.
//
// RandomTopics depend on a seed and on nothing of the corpus. Entries are independent draws of
// Gamma(shape, scale 1/shape): mean 1, standard deviation shape^−1/2; shape 100 is that of Hoffman,
// Blei and Bach 2010.
//
// This is the analyst's: it needs reproducibility, no secrecy, and a seed is PUBLIC.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_INITIAL_TOPICS_H_
#define TOPICWALL_MODEL_LDA_TOPICS_INITIAL_TOPICS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::lda {

// λ: K×V, row-major, row = topic; all finite and > 0. The same arguments give the same topics (up
// to the last bit of libm's log). INVALID_ARGUMENT for K or V out of range (log_topics.h) or a
// gamma_shape outside [1, 10^6].
absl::StatusOr<std::vector<float>> RandomTopics(int num_topics, int vocabulary_size, uint64_t seed,
                                                double gamma_shape = 100);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_INITIAL_TOPICS_H_
