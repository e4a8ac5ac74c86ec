// How frequent each term is, from one noisy count of the corpus: a plan with K = 1.
//
//   // noisy: the released sum of a plan with K = 1 and J = 1, noise_deviation = σC
//   absl::StatusOr<std::vector<double>> p = PrivateUnigram({.noisy_counts = noisy,
//                                                            .noise_deviation = 110});
//
// p_v ∝ E[count_v | noisy count] under the prior of noise_denoiser.h with one topic and a flat
// base: a mixture of exponentials of means 2^−8 … 2^6 times the average count, its weights fitted
// by EM to the counts themselves. Every p_v is > 0, and they sum to 1 (within rounding). The clip
// of the wall makes this the unigram of a corpus in which long documents count for less.
//
// Errors: INVALID_ARGUMENT for counts that are none or not finite, or a deviation not finite and
// >= 0. FAILED_PRECONDITION if the counts are noise: their sum is not above 5 of its deviations;
// more budget or more documents are needed.
// PUBLIC: post-processing of a release. Bits: the same on every processor. Cost: some ms.
#ifndef TOPICWALL_LDA_PRIVATE_UNIGRAM_H_
#define TOPICWALL_LDA_PRIVATE_UNIGRAM_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::lda {

struct NoisyCounts {
  absl::Span<const float> noisy_counts;  // V >= 1, signed, in words
  double noise_deviation;                // of each, in words
};

// V probabilities.
absl::StatusOr<std::vector<double>> PrivateUnigram(const NoisyCounts& counts);

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_PRIVATE_UNIGRAM_H_
