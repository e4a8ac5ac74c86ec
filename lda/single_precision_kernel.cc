// Loops run over kLanes floats at a fixed place in memory: GCC and clang turn them into vectors at
// -O3 without being allowed to reorder a sum.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lda/e_step_kernel.h"
#include "lda/exp_digamma.h"

namespace topicwall::lda {
namespace {

// Words whose contributions are added in float32 before they go to a double: keeps the error of
// long documents at that of short ones.
constexpr size_t kWordsPerBlock = 32;
// Largest c_w / Σ_j e_j b_jw that is trusted: below it no product that matters was subnormal.
constexpr float kLargestRatio = 1e30f;

// As a binary tree of fixed steps, which stay in registers.
inline float SumOfLanes(const float* lanes) {
  float half[8], quarter[4];
  for (int i = 0; i < 8; ++i) half[i] = lanes[i] + lanes[i + 8];
  for (int i = 0; i < 4; ++i) quarter[i] = half[i] + half[i + 4];
  return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

inline float Dot(const float* __restrict a, const float* __restrict b, size_t size) {
  float lanes[kLanes] = {};
  for (size_t k = 0; k < size; k += kLanes) {
    for (size_t i = 0; i < kLanes; ++i) lanes[i] += a[k + i] * b[k + i];
  }
  return SumOfLanes(lanes);
}

inline void AddScaled(float scale, const float* __restrict row, float* __restrict sum,
                      size_t size) {
  for (size_t k = 0; k < size; k += kLanes) {
    for (size_t i = 0; i < kLanes; ++i) sum[k + i] += scale * row[k + i];
  }
}

// total_sum = Σ_w b_w c_w / (e·b_w), reading each row once. False if a ratio cannot be trusted.
bool SumOverWords(DocumentView document, size_t stride, KernelBuffers& buffers) {
  std::fill(buffers.total_sum.begin(), buffers.total_sum.end(), 0.0);
  for (size_t begin = 0; begin < document.size(); begin += kWordsPerBlock) {
    const size_t end = std::min(document.size(), begin + kWordsPerBlock);
    std::fill(buffers.block_sum.begin(), buffers.block_sum.end(), 0.0f);
    for (size_t j = begin; j < end; ++j) {
      const float* row = buffers.rows[j];
      const float normaliser = Dot(row, buffers.topic_weight.data(), stride);
      const float ratio = static_cast<float>(document[j].count) / normaliser;
      if (!(ratio <= kLargestRatio)) return false;
      AddScaled(ratio, row, buffers.block_sum.data(), stride);
    }
    for (size_t k = 0; k < stride; ++k) buffers.total_sum[k] += double{buffers.block_sum[k]};
  }
  return true;
}

// γ and e from total_sum. Returns Σ_k |Δγ_k|.
float UpdateGamma(float prior, size_t stride, KernelBuffers& buffers) {
  float lanes[kLanes] = {};
  float* gamma = buffers.gamma.data();
  const float* weight = buffers.topic_weight.data();
  const double* total = buffers.total_sum.data();
  for (size_t k = 0; k < stride; k += kLanes) {
    for (size_t i = 0; i < kLanes; ++i) {
      const float updated = prior + weight[k + i] * static_cast<float>(total[k + i]);
      lanes[i] += std::fabs(updated - gamma[k + i]);
      gamma[k + i] = updated;
    }
  }
  ExpDigamma(buffers.gamma, absl::MakeSpan(buffers.topic_weight));
  return SumOfLanes(lanes);
}

bool WriteStatistic(DocumentView document, size_t stride, KernelBuffers& buffers) {
  const float* weight = buffers.topic_weight.data();
  for (size_t j = 0; j < document.size(); ++j) {
    const float* row = buffers.rows[j];
    const float ratio = static_cast<float>(document[j].count) / Dot(row, weight, stride);
    if (!(ratio <= kLargestRatio)) return false;
    float* out = buffers.statistic.data() + j * stride;
    for (size_t k = 0; k < stride; ++k) out[k] = ratio * (weight[k] * row[k]);
  }
  return true;
}

}  // namespace

bool SolveInSingle(DocumentView document, const KernelOptions& options, KernelBuffers& buffers) {
  const auto stride = static_cast<size_t>(options.padded_topics);
  const auto prior = static_cast<float>(options.document_topic_prior);
  const auto most_change = static_cast<float>(options.mean_change_threshold * options.num_topics);
  buffers.gamma.assign(stride, prior);
  std::fill_n(buffers.gamma.begin(), options.num_topics, 1.0f);
  buffers.topic_weight.resize(stride);
  buffers.block_sum.resize(stride);
  buffers.total_sum.resize(stride);
  buffers.statistic.resize(document.size() * stride);
  ExpDigamma(buffers.gamma, absl::MakeSpan(buffers.topic_weight));
  for (buffers.iterations = 1;; ++buffers.iterations) {
    if (!SumOverWords(document, stride, buffers)) return false;
    const float change = UpdateGamma(prior, stride, buffers);
    if (change < most_change || buffers.iterations >= options.max_iterations) break;
  }
  return WriteStatistic(document, stride, buffers);
}

}  // namespace topicwall::lda
