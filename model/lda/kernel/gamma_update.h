// From the sums of an iteration to the next γ and e.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_GAMMA_UPDATE_H_
#define TOPICWALL_MODEL_LDA_KERNEL_GAMMA_UPDATE_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"
#include "model/lda/math/simd/exp_digamma_simd.h"

namespace topicwall::lda {

struct GammaChange {
  float total;         // Σ_k |Δγ_k|
  size_t above_limit;  // topics with γ_k > g, before any jump
};

// γ ← α + e·sum for `size` topics and on to the end of a vector; `sum` then holds γ − α in full
// precision. Raises `largest_sum` to the sums, lane by lane.
template <class Simd>
GammaChange UpdateGamma(const KernelTask& task, size_t size, const float* prior, float* gamma,
                        float* weight, float* sum, typename Simd::Floats* largest_sum) {
  using Floats = typename Simd::Floats;
  const Floats limit = Simd::Broadcast(task.drop_limit);
  Floats change = Simd::Broadcast(0);
  Floats largest = *largest_sum;
  Floats above_limit = Simd::Broadcast(0);  // exact: K is far below 2^24
  for (size_t k = 0; k < size; k += Simd::kLanes) {
    const Floats e = Simd::Load(weight + k);
    const Floats total = Simd::Load(sum + k);
    const Floats share = e * total;
    // Not share + α: where the processor fuses, γ is rounded once.
    const Floats updated = Simd::MulAdd(e, total, Simd::Load(prior + k));
    change = change + Simd::Abs(updated - Simd::Load(gamma + k));
    largest = Simd::Max(largest, total);
    above_limit = above_limit + Simd::KeepWhereLess(Simd::Broadcast(1), limit, updated);
    Simd::Store(sum + k, share);
    Simd::Store(gamma + k, updated);
  }
  *largest_sum = largest;
  return {.total = Simd::Sum(change), .above_limit = static_cast<size_t>(Simd::Sum(above_limit))};
}

// e ← exp(ψ(γ)).
template <class Simd>
void UpdateWeights(size_t size, const float* gamma, float* weight) {
  for (size_t k = 0; k < size; k += Simd::kLanes) {
    Simd::Store(weight + k, ExpDigammaOf<Simd>(Simd::Load(gamma + k)));
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_GAMMA_UPDATE_H_
