// How frequent each term is, from noisy counts of the corpus.
//
//   // A plan with K = 1 and J = 1: its sum, of noise σC for every term.
//   NoisyCounts counts = {.noisy_counts = release, .noise_deviation = 110};
//   absl::StatusOr<std::vector<double>> p = PrivateUnigram(counts);
//   // Later, with a running average of sums over K topics as well:
//   p = RefinedUnigram(counts, average.noisy_topics());
//
// p_v ∝ E[count_v | noisy count] under the prior of noise_denoiser.h with one topic and a flat
// base: a mixture of exponentials of means 2^−8 … 2^6 times the average count, its weights fitted
// by EM to the counts themselves. Every p_v is > 0, and they sum to 1 (within rounding). The clip
// of the wall makes this the unigram of a corpus in which long documents count for less.
//
// RefinedUnigram: sums over all topics are counts of the same corpus, with a noise of √K·τ_v. Both
// are scaled to one word in all and averaged, each term by the inverse of its variances, which is
// the best there is of two independent readings.
//
// Errors: INVALID_ARGUMENT for counts that are none or not finite, or a deviation not finite and
// >= 0. FAILED_PRECONDITION if the counts are noise: their sum is not above 5 of its deviations;
// more budget or more documents are needed.
// PUBLIC: post-processing of releases. Bits: the same on every processor. Cost: some ms.
#ifndef TOPICWALL_LDA_PRIVATE_UNIGRAM_H_
#define TOPICWALL_LDA_PRIVATE_UNIGRAM_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lda/noisy_topics.h"

namespace topicwall::lda {

struct NoisyCounts {
  absl::Span<const float> noisy_counts;  // V >= 1, signed, in words
  double noise_deviation;                // of each, in words
};

// V probabilities.
absl::StatusOr<std::vector<double>> PrivateUnigram(const NoisyCounts& counts);

// From both; they are taken to have the same terms, INVALID_ARGUMENT if not.
absl::StatusOr<std::vector<double>> RefinedUnigram(const NoisyCounts& counts,
                                                   const NoisyTopics& topics);

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_PRIVATE_UNIGRAM_H_
