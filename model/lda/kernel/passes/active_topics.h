// Iterations over the few topics that a document still uses.
//
//   ActiveTopics<Simd> active(task, n);   // those that task.topics[0 … n − 1] names
//   active.UpdateWeights();               // e
//   active.Pass();                        // ratios and sums over them
//   active.Update(&largest_sum);          // γ
//   active.Keep(task.active_gamma, task.drop_limit);   // forgets the others
//
// Dropping is only right if no dropped topic would have come back: document_solver.h checks it.
// task.topics names them, ascending; task.active_prior, active_gamma, active_weight and sum are in
// that order and hold the smallest α twice, 0 and 0 up to the end of the last vector.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_TOPICS_H_
#define TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_TOPICS_H_

#include <cstddef>
#include <cstdint>

#include "model/lda/kernel/extrapolation.h"
#include "model/lda/kernel/gamma_update.h"
#include "model/lda/kernel/kernel_task.h"
#include "model/lda/kernel/passes/active_entries.h"
#include "model/lda/kernel/passes/active_pass.h"
#include "model/lda/kernel/passes/topic_list.h"
#include "model/lda/kernel/word_blocks.h"
#include "model/lda/math/simd/vector_count.h"

namespace topicwall::lda {

template <class Simd>
class ActiveTopics {
 public:
  using Floats = typename Simd::Floats;

  // task.gamma is that of all topics after an update; task.topics are in ascending order.
  ActiveTopics(const KernelTask& task, size_t size) : task_(task), entries_(task, size) {
    for (size_t a = 0; a < size; ++a) {
      task.active_prior[a] = task.prior[task.topics[a]];
      task.active_gamma[a] = task.gamma[task.topics[a]];
      task.gamma_before[a] = task.gamma_before[task.topics[a]];
      task.gamma_between[a] = task.gamma_between[task.topics[a]];
    }
    ForgetBeyond(EndOfVector(size));
    for (size_t j = 0; j < task.num_words; j += Simd::kLanes) {
      Simd::Store(task.largest_ratios + j, Simd::Broadcast(0));
    }
  }

  size_t size() const { return entries_.size(); }
  const ActiveEntries<Simd>& entries() const { return entries_; }
  // task.ratios and task.sum; raises task.largest_ratios. Tiles add up as blocks of words do.
  void Pass() const {
    PassOverTile(0, task_.sum);
    const size_t end = EndOfVector(entries_.columns());
    for (size_t tile = 1; tile < entries_.num_tiles(); ++tile) {
      for (size_t a = tile == 1 ? 0 : end; a < end; ++a) task_.compensation[a] = 0;
      for (size_t a = entries_.columns(); a < end; ++a) task_.block_sum[a] = 0;
      PassOverTile(tile, task_.block_sum);
      AddCompensated<Simd>(task_.block_sum, end, task_.sum, task_.compensation);
    }
  }
  // Σ_w of the largest ratio of each word.
  float LargestRatioSum() const {
    Floats sum = Simd::Broadcast(0);
    for (size_t j = 0; j < task_.num_words; j += Simd::kLanes) {
      sum = sum + Simd::Load(task_.largest_ratios + j);
    }
    return Simd::Sum(sum);
  }

  // γ; task.sum then holds γ − α.
  GammaChange Update(Floats* largest_sum) const {
    return UpdateGamma<Simd>(task_, size(), task_.active_prior, task_.active_gamma,
                             task_.active_weight, task_.sum, largest_sum);
  }
  void Jump(int iteration) const {
    Extrapolate<Simd>(task_, iteration, size(), task_.active_prior, task_.active_gamma);
  }
  void UpdateWeights() const {
    lda::UpdateWeights<Simd>(size(), task_.active_gamma, task_.active_weight);
  }

  // Whether dropping down to `size` topics would make passes so much cheaper (by a quarter) that
  // moving the columns pays.
  bool PaysToDrop(size_t size) const {
    const size_t columns = entries_.columns();
    return size + 4 <= columns && size <= columns - columns / 4;
  }

  // Keeps those with values_a > limit. Between an update and the next weights.
  void Keep(const float* values, float limit) {
    const auto limits = Simd::Broadcast(limit);
    size_t kept = 0;
    for (size_t a = 0; a < size(); a += Simd::kLanes) {
      uint32_t mask = Simd::MaskGreater(Simd::Load(values + a), limits);
      for (; mask != 0; mask &= mask - 1, ++kept) {
        const size_t from = a + static_cast<size_t>(__builtin_ctz(mask));
        if (kept != from) Move(from, kept);
      }
    }
    const size_t end = EndOfVector(size());
    entries_.Resize(kept);
    ForgetBeyond(end);
  }

 private:
  static constexpr size_t EndOfVector(size_t n) {
    return (n + Simd::kLanes - 1) / Simd::kLanes * Simd::kLanes;
  }

  void Move(size_t from, size_t to) const {
    task_.topics[to] = task_.topics[from];
    task_.active_prior[to] = task_.active_prior[from];
    task_.active_gamma[to] = task_.active_gamma[from];
    task_.gamma_before[to] = task_.gamma_before[from];
    task_.gamma_between[to] = task_.gamma_between[from];
    entries_.MoveColumn(from, to);
  }

  void ForgetBeyond(size_t end) const {
    for (size_t a = size(); a < end; ++a) {
      task_.active_prior[a] = task_.active_gamma[a] = task_.smallest_prior;
      task_.gamma_before[a] = task_.smallest_prior;
      task_.gamma_between[a] = task_.smallest_prior;
      task_.active_weight[a] = 0;
      task_.sum[a] = 0;
    }
  }

  void PassOverTile(size_t tile, float* sum) const {
    const size_t first_word = entries_.first_word(tile);
    const ActiveTile pointers = {.entries = entries_.tile(tile),
                                 .columns = entries_.columns(),
                                 .weights = task_.active_weight,
                                 .counts = task_.counts + first_word,
                                 .ratios = task_.ratios + first_word,
                                 .largest_ratios = task_.largest_ratios + first_word,
                                 .sum = sum};
    WithVectorCount<Simd>(entries_.width(tile) / Simd::kLanes, [pointers](auto count) {
      constexpr size_t kVectors = decltype(count)::value;
      ActivePass<Simd, (kVectors > 0 ? kVectors : kMostVectors)>(pointers);
    });
  }

  const KernelTask& task_;
  ActiveEntries<Simd> entries_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_TOPICS_H_
