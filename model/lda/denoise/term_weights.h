// Term weights of a plan: which terms get less noise, and which pay for it.
//
//   absl::StatusOr<std::vector<float>> weights = TermWeights(unigram, {});
//
//   w_v = (V·max(p_v, floor/V))^(−exponent)
//
// The wall clips the norm of x_kv·w_v, so the noise of term v is σC/w_v: a rare term with a large
// weight gets less noise, at the price of counting for more in the norm. Weight 1 is that of a term
// of average frequency. The floor keeps what is hardly ever seen from getting all precision.
// With exponent e the noise relative to a term's frequency is p^(e−1): 0 = the same noise for all,
// 1/2 = the least sum of squared errors relative to p_v (Σ_v τ_v²/p_v, by Cauchy–Schwarz).
//
// Errors: INVALID_ARGUMENT for probabilities that are no distribution or options out of range.
// PUBLIC: of a paid unigram or public text, and part of the plan. Bits: the same on every
// processor. Cost: V logarithms and exponentials.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_TERM_WEIGHTS_H_
#define TOPICWALL_MODEL_LDA_DENOISE_TERM_WEIGHTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::lda {

struct TermWeightOptions {
  double exponent = 0.25;  // in [0, 1]; 0: no weights
  double floor = 0.2;      // in [1e-3, 1], of the average frequency 1/V
};

// term_probabilities: V >= 1 entries > 0 with a sum of 1 within 1e-6. Returns V weights, all finite
// and > 0, within [V^-1, 1000].
absl::StatusOr<std::vector<float>> TermWeights(absl::Span<const double> term_probabilities,
                                               const TermWeightOptions& options);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_TERM_WEIGHTS_H_
