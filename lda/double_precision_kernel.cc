#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lda/e_step_kernel.h"
#include "lda/exp_digamma.h"
#include "lda/portable_exp.h"

namespace topicwall::lda {
namespace {

// Below this a normaliser may have lost a part that matters: e is scaled to at most 1, and what
// underflowed is under 1e-307 a topic.
constexpr double kSmallestNormaliser = 1e-280;

// e_k = factor_k exp(log_scale_k) divided by the largest exp(log_scale_j): φ does not see the
// scale.
void UpdateWeights(KernelBuffers& buffers) {
  const size_t topics = buffers.gamma_double.size();
  for (size_t k = 0; k < topics; ++k) {
    const ScaledValue value = ScaledExpDigamma(buffers.gamma_double[k]);
    buffers.factor[k] = value.factor;
    buffers.log_scale[k] = value.log_scale;
  }
  const double largest = *std::max_element(buffers.log_scale.begin(), buffers.log_scale.end());
  for (size_t k = 0; k < topics; ++k) {
    buffers.weight_double[k] = buffers.factor[k] * PortableExp(buffers.log_scale[k] - largest);
  }
}

// The share of each topic in a word when its own topics are all far below the largest: scaled by
// the largest among those, which leaves a sum of at least factor·exp(-80).
double RescaledShares(const float* row, KernelBuffers& buffers) {
  const size_t topics = buffers.share.size();
  double largest = -HUGE_VAL;
  for (size_t k = 0; k < topics; ++k) {
    if (row[k] > 0) largest = std::max(largest, buffers.log_scale[k]);
  }
  double sum = 0;
  for (size_t k = 0; k < topics; ++k) {
    const double scale = row[k] > 0 ? PortableExp(buffers.log_scale[k] - largest) : 0.0;
    buffers.share[k] = buffers.factor[k] * scale * row[k];
    sum += buffers.share[k];
  }
  return sum;
}

// share_k = c e_k b_k / Σ_j e_j b_j for one word.
void ComputeShares(const float* row, double count, KernelBuffers& buffers) {
  const size_t topics = buffers.share.size();
  double sum = 0;
  for (size_t k = 0; k < topics; ++k) {
    buffers.share[k] = buffers.weight_double[k] * row[k];
    sum += buffers.share[k];
  }
  if (!(sum >= kSmallestNormaliser)) sum = RescaledShares(row, buffers);
  for (size_t k = 0; k < topics; ++k) buffers.share[k] *= count / sum;
}

}  // namespace

void SolveInDouble(DocumentView document, const KernelOptions& options, KernelBuffers& buffers) {
  const auto topics = static_cast<size_t>(options.num_topics);
  const auto stride = static_cast<size_t>(options.padded_topics);
  buffers.gamma_double.assign(topics, 1.0);
  for (auto* scratch : {&buffers.weight_double, &buffers.factor, &buffers.log_scale, &buffers.share,
                        &buffers.total_sum}) {
    scratch->resize(topics);
  }
  UpdateWeights(buffers);
  for (buffers.iterations = 1;; ++buffers.iterations) {
    std::fill(buffers.total_sum.begin(), buffers.total_sum.end(), 0.0);
    for (size_t j = 0; j < document.size(); ++j) {
      ComputeShares(buffers.rows[j], document[j].count, buffers);
      for (size_t k = 0; k < topics; ++k) buffers.total_sum[k] += buffers.share[k];
    }
    double change = 0;
    for (size_t k = 0; k < topics; ++k) {
      const double updated = options.document_topic_prior + buffers.total_sum[k];
      change += std::fabs(updated - buffers.gamma_double[k]);
      buffers.gamma_double[k] = updated;
    }
    UpdateWeights(buffers);
    const bool settled = change < options.mean_change_threshold * options.num_topics;
    if (settled || buffers.iterations >= options.max_iterations) break;
  }
  buffers.gamma.resize(stride);
  for (size_t k = 0; k < topics; ++k)
    buffers.gamma[k] = static_cast<float>(buffers.gamma_double[k]);
  buffers.statistic.assign(document.size() * stride, 0.0f);
  for (size_t j = 0; j < document.size(); ++j) {
    ComputeShares(buffers.rows[j], document[j].count, buffers);
    for (size_t k = 0; k < topics; ++k) {
      buffers.statistic[j * stride + k] = static_cast<float>(buffers.share[k]);
    }
  }
}

}  // namespace topicwall::lda
