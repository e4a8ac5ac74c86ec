// Jumps ahead along the way on which γ goes to its fixed point: SQUAREM.
//
// Of every three iterations t0, t0 + 1, t0 + 2 the last is followed by a jump, from t0 = 3 on. With
// r the first of the two differences of γ and v the difference of the differences,
//   γ ← γ_t0 + 2s·r + s²·v,  s = ‖r‖/‖v‖ within [1, kLongestStep],
// but no topic falls below α + (γ − α)/kLargestFall (Varadhan and Roland, Scand. J. Statist. 35,
// 2008, scheme S3; s = 1 is no jump). Topics with γ − α <= d neither count in the norms nor jump,
// so that it makes no difference whether they have been dropped. The next iteration starts there.
// The rule that ends the loop is not touched: it looks at |F(γ) − γ| of single iterations, and the
// result is always an F(γ), never a jump.
//
// kLongestStep keeps rounding errors of γ from being blown up (by s²) and costs little. Measured in
// float64 with trained topics: evaluations of F a document, and distance of the statistics from the
// true fixed point (threshold 1e-10), relative L1:
//
//                                              plain          s <= 4         any s
//   package descriptions, K = 50, 1e-3      15.8  .0071    10.9  .0066    10.9  .0065
//     the same, threshold 1e-4              23.3  .0015    13.9  .0015    13.5  .0017
//   168 distinct words, K = 100, 1e-3       72.3  .0200    29.8  .0072    22.7  .0054
//     the same, threshold 1e-4              88.6  .0164    39.9  .0007    27.6  .0011
//
// (The plain rule often meets its cap of 100 on the long ones.) Tried and left: Anderson's method
// with one step of memory, which took 1.6 times the plain evaluations at K = 50 and ended farther
// from the fixed point; letting topics jump to where they were when the jump would pass α, which
// made rounding decide between two ways.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_EXTRAPOLATION_H_
#define TOPICWALL_MODEL_LDA_KERNEL_EXTRAPOLATION_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"

namespace topicwall::lda {

inline constexpr float kLongestStep = 4;
inline constexpr float kLargestFall = 16;
inline constexpr int kFirstJumpIteration = 5;

// s from ‖r‖² and ‖v‖². (Simd keeps each processor's copy apart: e_step_kernel.h.)
template <class Real, class Simd>
Real JumpLength(Real squared_r, Real squared_v) {
  const Real ratio = squared_r / squared_v;  // not a number where both are 0
  if (!(ratio > 1)) return 1;
  if (!(ratio < Real{kLongestStep * kLongestStep})) return Real{kLongestStep};
  return static_cast<Real>(__builtin_sqrt(ratio));
}

// After iteration `iteration`: remembers γ, or jumps. `size` topics with their α, on to the end of
// a vector, of which task.sum holds γ − α.
template <class Simd>
void Extrapolate(const KernelTask& task, int iteration, size_t size, const float* prior,
                 float* gamma) {
  using Floats = typename Simd::Floats;
  if (iteration % 3 != 2) {
    float* remembered = iteration % 3 == 0 ? task.gamma_before : task.gamma_between;
    for (size_t k = 0; k < size; k += Simd::kLanes) {
      Simd::Store(remembered + k, Simd::Load(gamma + k));
    }
    return;
  }
  if (iteration < kFirstJumpIteration) return;
  // First the two norms, over the topics that hold anything; the others count as 0.
  const Floats limit = Simd::Broadcast(task.list_limit);
  Floats squared_r = Simd::Broadcast(0), squared_v = Simd::Broadcast(0);
  for (size_t k = 0; k < size; k += Simd::kLanes) {
    const Floats between = Simd::Load(task.gamma_between + k);
    const Floats alive = Simd::Load(task.sum + k);
    const Floats r = Simd::KeepWhereLess(between - Simd::Load(task.gamma_before + k), limit, alive);
    const Floats v = Simd::KeepWhereLess((Simd::Load(gamma + k) - between) - r, limit, alive);
    squared_r = Simd::MulAdd(r, r, squared_r);
    squared_v = Simd::MulAdd(v, v, squared_v);
  }
  const float s = JumpLength<float, Simd>(Simd::Sum(squared_r), Simd::Sum(squared_v));
  const Floats twice = Simd::Broadcast(2 * s), squared = Simd::Broadcast(s * s);
  const Floats fall = Simd::Broadcast(1 / kLargestFall);
  for (size_t k = 0; k < size; k += Simd::kLanes) {
    const Floats before = Simd::Load(task.gamma_before + k);
    const Floats between = Simd::Load(task.gamma_between + k);
    const Floats after = Simd::Load(gamma + k);
    const Floats r = between - before;
    const Floats v = (after - between) - r;
    // s = 1 gives before + 2r + v = after, to rounding: no jump.
    const Floats ahead = Simd::MulAdd(squared, v, Simd::MulAdd(twice, r, before));
    const Floats alpha = Simd::Load(prior + k);
    const Floats lowest = Simd::MulAdd(after - alpha, fall, alpha);
    // As a difference, which can be masked: a topic that does not jump keeps its γ to the bit.
    const Floats jump = Simd::Max(lowest, ahead) - after;
    Simd::Store(gamma + k, after + Simd::KeepWhereLess(jump, limit, Simd::Load(task.sum + k)));
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_EXTRAPOLATION_H_
