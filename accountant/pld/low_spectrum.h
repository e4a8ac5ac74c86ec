// The discrete Fourier transform of a sequence, as far as it is needed, with its rounding bounded.
//
//   F_k = Σ_j w_j e^{−2πi jk/N},  k = 0 … highest ≤ N/2,  for real w_0 … w_{n−1}, n ≤ N.
//
// All frequencies: one transform of length N (Eigen's FFT). Only the lowest: the same sum as a
// convolution with the chirp e^{−πi j²/N} (Bluestein 1970), by transforms of length ≥ n + highest.
// The caller never need know which.
//
// Rounding: a transform of length N = 2^p loses at most p·η of the 2-norm, η = 4√2 u + 1.5u < 9e-16
// with u = 2^-53 and twiddles good to an ulp (Higham 2002, Thm 24.2); packing real numbers counts
// as two stages more. From there
//   ‖F̂ − F‖₂ ≤ η (p + 2) √N ‖w‖₂   resp.   |F̂_k − F_k| ≤ 3 η (p + 2) √M for the chirp.
// For the latter w must be non-negative and add up to 1, as probabilities do.
// PUBLIC. Not thread-safe: it keeps tables; one per thread.
#ifndef TOPICWALL_ACCOUNTANT_PLD_LOW_SPECTRUM_H_
#define TOPICWALL_ACCOUNTANT_PLD_LOW_SPECTRUM_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"

namespace topicwall::accountant {

class LowSpectrum {
 public:
  explicit LowSpectrum(int64_t length);  // N, a power of two ≥ 4
  LowSpectrum(LowSpectrum&&) noexcept;
  ~LowSpectrum();

  struct Result {
    absl::Span<const std::complex<double>> values;  // highest + 1; until the next call
    double error;                                   // of each value, in modulus
    double error_norm;                              // 2-norm over all frequencies, −highest too
  };
  Result Transform(absl::Span<const double> sequence, int64_t highest);

  // Back from frequencies 0 … highest, those above being 0: the N values
  //   y_j = (1/N) (F_0 + 2 Re Σ_{k ≥ 1} F_k e^{2πi jk/N}),
  // a frequency N/2 counting once and as real.
  struct Sequence {
    std::vector<double> values;
    double error;  // of each value
  };
  Sequence Inverse(absl::Span<const std::complex<double>> spectrum);

 private:
  struct ChirpTable;
  struct Tables;

  Result Whole(absl::Span<const double> sequence, int64_t highest);
  Result Chirped(absl::Span<const double> sequence, int64_t highest, int64_t padded);
  const ChirpTable& Chirp(int64_t inputs, int64_t highest, int64_t padded);

  int64_t length_;
  std::unique_ptr<Tables> tables_;  // Eigen's header stays out of this one
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_LOW_SPECTRUM_H_
