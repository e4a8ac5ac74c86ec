// Where a private fit starts: the private unigram p, with every entry times a draw of mean 1.
//
//   absl::StatusOr<std::vector<float>> topics = DrawnTopics(
//       {.num_topics = 50, .term_probabilities = p, .seed = 1, .gamma_shape = 10});
//
// Not uniform topics, in which rare terms would begin with far more than their share.
//
// Anchors are terms that whoever fits expects in one topic: those of number j in topic j. Such a
// topic is not drawn, so that nothing but its anchors tells it from the corpus: kAnchorMass of it
// is on them, in proportion to p, the rest is p. In all other topics they have kAnchorElsewhere of
// what they would have. From there on the documents decide: words that do not go together in them
// do not stay together, and words that few of them have may be lost in the noise.
//
// Measured: deploy/study/EXPERIMENTS.md, "First topics from words".
// Errors: INVALID_ARGUMENT names what is out of range. PUBLIC: post-processing of a paid release,
// and words of the analyst's own. Pure. Cost: a draw an entry.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_FIRST_TOPICS_H_
#define TOPICWALL_MODEL_LDA_DENOISE_FIRST_TOPICS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::lda {

inline constexpr double kAnchorMass = 0.3;
inline constexpr double kAnchorElsewhere = 0.1;

// Terms of each anchored topic, from the first topic on.
using AnchorTerms = std::vector<std::vector<uint32_t>>;

// At most K anchors, each of at least one term, all below V.
absl::Status CheckAnchors(absl::Span<const std::vector<uint32_t>> anchors, int num_topics,
                          int vocabulary_size);

struct DrawnTopicsParams {
  int num_topics;                               // K
  absl::Span<const double> term_probabilities;  // p: V entries > 0 with a sum of 1
  uint64_t seed;                                // no secret
  double gamma_shape;                           // of the draws (RandomTopics)
  absl::Span<const std::vector<uint32_t>> anchors = {};
};

// K×V, row = topic, all > 0.
absl::StatusOr<std::vector<float>> DrawnTopics(const DrawnTopicsParams& params);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_FIRST_TOPICS_H_
