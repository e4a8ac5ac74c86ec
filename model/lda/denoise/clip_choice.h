// The next clip norm, from the noisy norm histogram of the last release.
//
//   absl::StatusOr<double> clip_norm = ChooseClipNorm({.noisy_histogram = release.norm_histogram,
//                                                      .noise_deviation = σ_h}, /*quantile=*/0.4);
//
// The histogram has 48 bins: bin b < 47 counts the units with a weighted norm in
// (0.5·2^((b−1)/6), 0.5·2^(b/6)] words, bin 0 everything from 0, the last everything above bin 46;
// each count is noisy, of either sign. Its cumulated counts are made to rise again (isotonic
// regression), and those below 0 count as 0; the answer is where they reach quantile·total,
// interpolated within the bin on the logarithmic scale. Always within
// [0.5, 0.5·2^(46/6) = 101.6] words.
// A small quantile clips more units harder: less noise (σC), more bias towards short documents.
//
// Errors: INVALID_ARGUMENT for a histogram of another size or with non-finite counts, a quantile
// outside (0, 1), a deviation not finite and >= 0. FAILED_PRECONDITION if the total is not above 5
// of its deviations (√48·σ_h): nothing can be learned; keep the clip norm. PUBLIC: post-processing
// of a paid release. Pure. Bits: the same on every processor.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_CLIP_CHOICE_H_
#define TOPICWALL_MODEL_LDA_DENOISE_CLIP_CHOICE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::lda {

inline constexpr int kClipHistogramBins = 48;

struct NoisyNormHistogram {
  absl::Span<const float> noisy_counts;  // kClipHistogramBins, in units
  double noise_deviation;                // of each count, in units
};

absl::StatusOr<double> ChooseClipNorm(const NoisyNormHistogram& histogram, double quantile);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_CLIP_CHOICE_H_
