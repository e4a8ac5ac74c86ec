// What the next request asks for: the clip norm, from the noisy norm histogram of the last release,
// and whether documents are long enough for noise along the topics.
//
//   absl::StatusOr<double> clip_norm = ChooseClipNorm({.noisy_counts = release.norm_histogram,
//                                                      .noise_deviation = σ_h}, /*quantile=*/0.4);
//   double direction_noise = NextDirectionNoise(r, *clip_norm, {.clip_norm = 5, …});
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

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::lda {

inline constexpr int kClipHistogramBins = 48;

struct NoisyNormHistogram {
  absl::Span<const float> noisy_counts;  // kClipHistogramBins, in units
  double noise_deviation;                // of each count, in units
};

absl::StatusOr<double> ChooseClipNorm(const NoisyNormHistogram& histogram, double quantile);

// In [0, 1]: the chance that it can learn nothing from the histogram of so many units, >= 0, whose
// counts have this noise, >= 0. By libm: for display.
double ChanceOfNoChoice(double units, double noise_deviation);

// C of the first request. One of the warm-up spreads a document evenly over K topics, which makes
// its norm smaller by √K: 3.5 words ÷ √K. Without a warm-up, `first_clip_norm`.
double FirstClipNorm(int num_topics, int64_t warm_up_iterations, double first_clip_norm);

// Noise along a topic (proto/wall.proto, RunReleaseHeader) lets the clip leave out what documents
// have in common with it: of hundreds of words a fifth of C, of few words nothing, for which the
// topics' masses need not be known less well.
struct LongDocuments {
  double clip_norm;        // C from which on documents are long, in words
  double direction_noise;  // r of their requests; 0: of none
};

// What a wall takes, so that nothing is asked for that it will refuse once other releases are paid:
// INVALID_ARGUMENT unless C is in [2^-20, 2^30], and r is 0 or in [1, 16].
absl::Status CheckClipNorm(double clip_norm);
absl::Status CheckDirectionNoise(double direction_noise);

// r beside the next C, `current` being that of the last request. The norm that C is of is smaller
// with r than without, of documents of one topic each down to 0.44 times: only below kStillLong of
// the C that it began at is r given up, so that it does not begin again at the next release.
inline constexpr double kStillLong = 0.4;
double NextDirectionNoise(double current, double clip_norm, const LongDocuments& when_long);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_CLIP_CHOICE_H_
