// The same fixed point as a kernel's, with the same jumps and the same list of topics, but in no
// hurry: no topic is dropped on the way and nothing is blocked. What float32 cannot hold is e:
// exp(ψ(γ)) at γ ≈ α = 1e-6 is e^{−10^6}. So e is kept as factor and logarithm, and a word whose
// own topics are all tiny is scaled by the largest of those.
#include "model/lda/topics/double_precision_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "model/lda/kernel/extrapolation.h"
#include "model/lda/math/exp_digamma.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::lda {
namespace {

// Below this a normaliser may have lost a part that matters: the largest scale is 1, and what
// underflowed beside it is under 1e-307 times a factor of at most γ + 20.
constexpr double kSmallestNormaliser = 1e-280;

// e_k = factor_k exp(log_scale_k) divided by the largest exp(log_scale_j): φ does not see the
// scale.
void UpdateWeights(DoubleScratch& scratch) {
  const size_t topics = scratch.gamma.size();
  for (size_t k = 0; k < topics; ++k) {
    const ScaledValue value = ScaledExpDigamma(scratch.gamma[k]);
    scratch.factor[k] = value.factor;
    scratch.log_scale[k] = value.log_scale;
  }
  const double largest = *std::max_element(scratch.log_scale.begin(), scratch.log_scale.end());
  for (size_t k = 0; k < topics; ++k) {
    scratch.weight[k] = scratch.factor[k] * PortableExp(scratch.log_scale[k] - largest);
  }
}

// The share of each topic in a word when its own topics are all far below the largest: scaled by
// the largest among those, which leaves a sum of at least factor·exp(-80).
double RescaledShares(const float* row, DoubleScratch& scratch) {
  const size_t topics = scratch.share.size();
  double largest = -HUGE_VAL;
  for (size_t k = 0; k < topics; ++k) {
    if (row[k] > 0) largest = std::max(largest, scratch.log_scale[k]);
  }
  double sum = 0;
  for (size_t k = 0; k < topics; ++k) {
    const double scale = row[k] > 0 ? PortableExp(scratch.log_scale[k] - largest) : 0.0;
    scratch.share[k] = scratch.factor[k] * scale * row[k];
    sum += scratch.share[k];
  }
  return sum;
}

// share_k = c e_k b_k / Σ_j e_j b_j for one word.
void ComputeShares(const float* row, double count, DoubleScratch& scratch) {
  const size_t topics = scratch.share.size();
  double sum = 0;
  for (size_t k = 0; k < topics; ++k) {
    scratch.share[k] = scratch.weight[k] * row[k];
    sum += scratch.share[k];
  }
  if (!(sum >= kSmallestNormaliser)) sum = RescaledShares(row, scratch);
  for (size_t k = 0; k < topics; ++k) scratch.share[k] *= count / sum;
}

// γ from the present weights. Returns Σ_k |Δγ_k|.
double UpdateGamma(const KernelTask& task, DoubleScratch& scratch) {
  std::fill(scratch.sum.begin(), scratch.sum.end(), 0.0);
  for (size_t j = 0; j < task.num_words; ++j) {
    ComputeShares(task.rows[j], double{task.counts[j]}, scratch);
    for (size_t k = 0; k < task.num_topics; ++k) scratch.sum[k] += scratch.share[k];
  }
  double change = 0;
  for (size_t k = 0; k < task.num_topics; ++k) {
    const double updated = double{task.prior[k]} + scratch.sum[k];
    change += std::fabs(updated - scratch.gamma[k]);
    scratch.gamma[k] = updated;
  }
  return change;
}

// Remembers γ, or jumps (extrapolation.h).
void Extrapolate(const KernelTask& task, int iteration, DoubleScratch& scratch) {
  const double limit = double{task.list_limit};
  if (iteration % 3 == 0) scratch.gamma_before = scratch.gamma;
  if (iteration % 3 == 1) scratch.gamma_between = scratch.gamma;
  if (iteration % 3 != 2 || iteration < kFirstJumpIteration) return;
  double squared_r = 0, squared_v = 0;
  for (size_t k = 0; k < scratch.gamma.size(); ++k) {
    if (!(scratch.sum[k] > limit)) continue;
    const double r = scratch.gamma_between[k] - scratch.gamma_before[k];
    const double v = (scratch.gamma[k] - scratch.gamma_between[k]) - r;
    squared_r += r * r;
    squared_v += v * v;
  }
  const double s = JumpLength<double, void>(squared_r, squared_v);
  for (size_t k = 0; k < scratch.gamma.size(); ++k) {
    if (!(scratch.sum[k] > limit)) continue;
    const double r = scratch.gamma_between[k] - scratch.gamma_before[k];
    const double v = (scratch.gamma[k] - scratch.gamma_between[k]) - r;
    const double jumped = scratch.gamma_before[k] + 2 * s * r + s * s * v;
    const double prior = double{task.prior[k]};
    const double lowest = prior + (scratch.gamma[k] - prior) / double{kLargestFall};
    scratch.gamma[k] = std::max(lowest, jumped);
  }
}

void WriteResults(KernelTask& task, DoubleScratch& scratch) {
  task.num_listed = 0;
  for (size_t k = 0; k < task.num_topics; ++k) {
    task.gamma[k] = static_cast<float>(scratch.gamma[k]);
    if (scratch.sum[k] > double{task.list_limit}) {
      task.topics[task.num_listed++] = static_cast<uint32_t>(k);
    }
  }
  float* out = task.statistic;
  for (size_t j = 0; j < task.num_words; ++j) {
    ComputeShares(task.rows[j], double{task.counts[j]}, scratch);
    for (size_t a = 0; a < task.num_listed; ++a) {
      *out++ = static_cast<float>(scratch.share[task.topics[a]]);
    }
  }
}

}  // namespace

void SolveInDouble(KernelTask& task, DoubleScratch& scratch) {
  scratch.gamma.assign(task.num_topics, 1.0);
  for (auto* over_topics :
       {&scratch.weight, &scratch.factor, &scratch.log_scale, &scratch.share, &scratch.sum}) {
    over_topics->resize(task.num_topics);
  }
  UpdateWeights(scratch);
  for (task.iterations = 1;; ++task.iterations) {
    // The rule that ends the loop looks at |F(γ) − γ| of this step, before any jump.
    const double change = UpdateGamma(task, scratch);
    const bool last = change < double{task.most_change} || task.iterations >= task.max_iterations;
    if (!last) Extrapolate(task, task.iterations, scratch);
    UpdateWeights(scratch);
    if (last) break;
  }
  WriteResults(task, scratch);
}

}  // namespace topicwall::lda
