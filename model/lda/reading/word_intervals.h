// Between which a word's share of a topic lies, by the noise.
//
//   TW_ASSIGN_OR_RETURN(const WordIntervals intervals,
//                       WordIntervals::Create(noisy, unigram, related, /*num_threads=*/2));
//   const WordIntervals::Interval interval = intervals.of(topic, term, probability);     // 95 %
//
// What is told of is the share that the word would have of its topic if the releases that the model
// was made of had no noise: x_kv/Σ_v x_kv, clipped and averaged over a fit's last iterations as
// they were. By the posterior of x_kv (noise_denoiser.h) over the topic's mass M_k = Σ_v y_kv,
// which the noise leaves unbiased:
//   q ± 1.96·√(s_kv² + q²·Σ_v τ_v²)/M_k,   q = E[x_kv]/M_k,
// and the model's own probability β_kv besides, for it is less than q: smoothing and what is kept
// for rare words fill Σ_v λ_kv, of which β is a share, by a sixth or so. Of a topic of which no
// more than noise was released, M_k <= 3 of its deviations, all is possible: 0 to 1. Noise along
// topics (noisy_topics.h) is in x_kv and M_k alike, and cancels but for what
// earlier, flatter requests differ from the topic.
//
// Errors: those of Denoise. PUBLIC. Threads: immutable. Cost: one denoising.
#ifndef TOPICWALL_MODEL_LDA_READING_WORD_INTERVALS_H_
#define TOPICWALL_MODEL_LDA_READING_WORD_INTERVALS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/noise_denoiser.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/denoise/prior/related_terms.h"

namespace topicwall::lda {

class WordIntervals {
 public:
  struct Interval {
    double low, high;  // in [0, 1]
  };

  static absl::StatusOr<WordIntervals> Create(const NoisyTopics& noisy,
                                              absl::Span<const double> term_probabilities,
                                              absl::Span<const RelatedPair> related_terms,
                                              int num_threads);

  // `probability`: β_kv of the model.
  Interval of(int topic, uint32_t term, double probability) const;

 private:
  WordIntervals(const NoisyTopics& noisy, DenoisedTopics denoised);

  std::size_t terms_;  // V
  DenoisedTopics denoised_;
  std::vector<double> masses_;  // M
  double mass_variance_;        // Σ τ²
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_READING_WORD_INTERVALS_H_
