// How frequent each term is, from noisy counts of the corpus.
//
//   absl::StatusOr<PrivateUnigram> unigram = PrivateUnigram::Create(V, {});
//   // A plan with K = 1 and J = 1: its sum, of noise σC for every term.
//   unigram->Add({.noisy_counts = release, .noise_deviation = 110});
//   // Later: sums over K topics are counts of the same corpus, with a noise of √K·σC/w_v.
//   unigram->Add({.noisy_counts = sums, .noise_deviation = √K·110, .term_weights = w});
//   // … and with what noise along the topics (running_statistic.h) adds to that.
//   absl::StatusOr<std::vector<double>> p = unigram->Probabilities(related);
//
// Readings of c_v words with noises s_v are each scaled to one word in all, by their sum M, and
// averaged, each term by the inverse of its variances, the best there is of independent readings:
//   p̂_v = Σ M c_v/s_v² ÷ Σ M²/s_v²,   of deviation 1/√(Σ M²/s_v²).
// M² beside s² is why a reading whose clip norm was small counts for no more than it saw. Then
// p_v ∝ E[p̂_v | noise] under the prior of noise_denoiser.h with one topic and a flat base: a
// mixture of exponentials of means 2^−8 … 2^6 times the average, its weights fitted by EM to the
// readings themselves; forms of one word are about as frequent as each other. Every p_v is > 0, and
// they sum to 1 (within rounding). The clip of the wall makes this the unigram of a corpus in which
// long documents count for less.
//
// Errors: INVALID_ARGUMENT for counts that are of another number of terms, none or not finite, a
// deviation not finite and >= 0, weights not finite and > 0, or a state that is none.
// FAILED_PRECONDITION if counts are noise: their sum is not above 5 of its deviations; more budget
// or more documents are needed. Nothing is changed then.
// PUBLIC: post-processing of releases. Threads: not safe; const use from many. Bits: the same on
// every processor. Cost: some ms.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_PRIVATE_UNIGRAM_H_
#define TOPICWALL_MODEL_LDA_DENOISE_PRIVATE_UNIGRAM_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/prior/related_terms.h"

namespace topicwall::lda {

struct NoisyCounts {
  absl::Span<const float> noisy_counts;       // V >= 1, signed, in words
  double noise_deviation;                     // of each at weight 1, in words
  absl::Span<const float> term_weights = {};  // w of the plan: V, each > 0; none = all 1
  // Of noise besides, which terms share: the variance in each, V or none, and in their sum.
  absl::Span<const double> shared_variances = {};
  double shared_variance_of_sum = 0;
};

// What the readings so far say; a checkpoint keeps exactly this. Both none before the first one,
// else V.
struct PrivateUnigramState {
  std::vector<double> sums;        // Σ M c_v/s_v², finite
  std::vector<double> precisions;  // Σ M²/s_v², finite and > 0
};

class PrivateUnigram {
 public:
  static absl::StatusOr<PrivateUnigram> Create(int vocabulary_size, PrivateUnigramState state);

  // One more reading. A noise of less than 10^-4 of the average count is taken as that.
  absl::Status Add(const NoisyCounts& counts);

  // p: V. There must have been a reading; FAILED_PRECONDITION if not. related_terms: of the
  // vocabulary, or none.
  absl::StatusOr<std::vector<double>> Probabilities(
      absl::Span<const RelatedPair> related_terms = {}) const;

  const PrivateUnigramState& state() const { return state_; }

 private:
  PrivateUnigram(int vocabulary_size, PrivateUnigramState state);

  int vocabulary_size_;
  PrivateUnigramState state_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_PRIVATE_UNIGRAM_H_
