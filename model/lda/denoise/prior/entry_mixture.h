// How likely each ratio of a grid made a noisy entry: the likelihoods that priors are fitted to.
//
//   const EntryMixture mixture(ratios);
//   mixture.Read({.y = y, .tau = τ, .base = M_k * p_v}, likelihoods, components);
//
// An entry is y = x + τ·N(0, 1), x of component j exponential with mean R_j·base. Everything is in
// units of τ: z = y/τ − τ/(R_j·base), of which truncated_normal.h says what is known of x/τ.
// Densities are kept as logarithms until the largest of an entry is divided out; e^{z²/2} alone
// overflows at z = 38, and signals are larger.
// PUBLIC. Pure; bits: the same on every processor. Cost: some 10 ns a ratio.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_PRIOR_ENTRY_MIXTURE_H_
#define TOPICWALL_MODEL_LDA_DENOISE_PRIOR_ENTRY_MIXTURE_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "model/lda/denoise/prior/truncated_normal.h"

namespace topicwall::lda {

inline constexpr std::size_t kMostRatios = 32;

struct NoisyEntry {
  double y;
  double tau;   // > 0
  double base;  // M_k·p_v
};

class EntryMixture {
 public:
  // R: at most kMostRatios numbers, each in [1e-6, 1e6]. They must outlive this.
  explicit EntryMixture(absl::Span<const double> ratios);

  std::size_t size() const { return ratios_.size(); }  // J
  absl::Span<const double> log_ratios() const { return log_ratios_; }

  // likelihoods: J, the largest 1. components: what is known of x/τ if it is of the j-th, J.
  void Read(const NoisyEntry& entry, float* likelihoods, TruncatedNormal* components) const;

 private:
  absl::Span<const double> ratios_;
  std::vector<double> log_ratios_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_PRIOR_ENTRY_MIXTURE_H_
