// Where a fit starts: random topics that depend on a seed and on nothing of the corpus.
//
// Without some difference between topics the E-step could never tell them apart. As in Hoffman,
// Blei and Bach 2010, entries are independent draws of Gamma(shape 100, scale 1/100): mean 1,
// standard deviation 0.1. This is the client's: it needs reproducibility, no secrecy, and a seed is
// PUBLIC.
#ifndef TOPICWALL_LDA_INITIAL_TOPICS_H_
#define TOPICWALL_LDA_INITIAL_TOPICS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::lda {

// λ: K×V, row-major, row = topic; all finite and > 0. The same arguments give the same topics (up
// to the last bit of libm's log). INVALID_ARGUMENT for a bad shape (log_topics.h).
absl::StatusOr<std::vector<float>> RandomTopics(int num_topics, int vocabulary_size, uint64_t seed);

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_INITIAL_TOPICS_H_
