// Iterations over the few topics that a document still uses.
//
//   ActiveTopics<Simd> active(task);    // those with γ_k − α > d
//   active.Pass(&ratio_sums);           // ratios and sums over them
//   active.Update(&largest_sum);        // γ
//   active.Drop();                      // forgets those that have fallen to d or less
//   active.UpdateWeights();             // e
//
// Dropping is only right if no dropped topic would have come back: document_solver.h checks it.
// task.topics names them, ascending; task.active_gamma, active_weight and sum are in that order and
// hold α, 0 and 0 up to the end of the last vector.
#ifndef TOPICWALL_LDA_ACTIVE_TOPICS_H_
#define TOPICWALL_LDA_ACTIVE_TOPICS_H_

#include <cstddef>
#include <cstdint>

#include "lda/active_entries.h"
#include "lda/active_pass.h"
#include "lda/extrapolation.h"
#include "lda/gamma_update.h"
#include "lda/kernel_task.h"
#include "lda/topic_list.h"
#include "lda/vector_count.h"
#include "lda/word_blocks.h"

namespace topicwall::lda {

template <class Simd>
class ActiveTopics {
 public:
  using Floats = typename Simd::Floats;

  // task.sum, gamma and weight are those of all topics after an update.
  explicit ActiveTopics(const KernelTask& task)
      : task_(task), entries_(task, ListTopics<Simd>(task)) {
    for (size_t a = 0; a < size(); ++a) {
      task.active_gamma[a] = task.gamma[task.topics[a]];
      task.active_weight[a] = task.weight[task.topics[a]];
      task.gamma_before[a] = task.gamma_before[task.topics[a]];
      task.gamma_between[a] = task.gamma_between[task.topics[a]];
    }
    ForgetBeyond(EndOfVector(size()));
  }

  size_t size() const { return entries_.size(); }
  // task.ratios and task.sum; raises `bound` to Σ_w ratios_w, lane by lane.
  void Pass(Floats* bound) const {
    Floats ratio_sum = PassOverTile(0, task_.sum);
    const size_t end = EndOfVector(entries_.columns());
    for (size_t tile = 1; tile < entries_.num_tiles(); ++tile) {
      for (size_t a = tile == 1 ? 0 : end; a < end; ++a) task_.compensation[a] = 0;
      for (size_t a = entries_.columns(); a < end; ++a) task_.block_sum[a] = 0;
      ratio_sum = ratio_sum + PassOverTile(tile, task_.block_sum);
      AddCompensated<Simd>(task_.block_sum, end, task_.sum, task_.compensation);
    }
    *bound = Simd::Max(*bound, ratio_sum);
  }

  // γ; task.sum then holds γ − α.
  GammaChange Update(Floats* largest_sum) const {
    return UpdateGamma<Simd>(task_, size(), task_.active_gamma, task_.active_weight, task_.sum,
                             largest_sum);
  }
  void Jump(int iteration) const {
    Extrapolate<Simd>(task_, iteration, size(), task_.active_gamma);
  }
  void UpdateWeights() const {
    lda::UpdateWeights<Simd>(size(), task_.active_gamma, task_.active_weight);
  }

  // After a pass: x, num_words × size().
  void WriteRows(float* rows) const {
    for (size_t tile = 0; tile < entries_.num_tiles(); ++tile) {
      const size_t first = entries_.first_word(tile);
      const size_t words = entries_.num_words(tile);
      const float* column = entries_.tile(tile);
      const float* ratios = task_.ratios + first;
      const size_t row = size();
      for (size_t a = 0; a < row; ++a, column += entries_.width(tile)) {
        const float e = task_.active_weight[a];
        float* out = rows + first * row + a;
        for (size_t j = 0; j < words; ++j, out += row) *out = ratios[j] * (e * column[j]);
      }
    }
  }

  // Whether dropping down to `size` topics would make passes cheaper.
  bool PaysToDrop(size_t size) const { return size + 4 <= entries_.columns(); }

  // After an update and before the weights.
  void Drop() {
    size_t kept = 0;
    for (size_t a = 0; a < size(); ++a) {
      if (!(task_.sum[a] > task_.drop_limit)) continue;
      if (kept != a) Move(a, kept);
      ++kept;
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
    task_.active_gamma[to] = task_.active_gamma[from];
    task_.gamma_before[to] = task_.gamma_before[from];
    task_.gamma_between[to] = task_.gamma_between[from];
    entries_.MoveColumn(from, to);
  }

  void ForgetBeyond(size_t end) const {
    for (size_t a = size(); a < end; ++a) {
      task_.active_gamma[a] = task_.prior;
      task_.gamma_before[a] = task_.prior;
      task_.gamma_between[a] = task_.prior;
      task_.active_weight[a] = 0;
      task_.sum[a] = 0;
    }
  }

  Floats PassOverTile(size_t tile, float* sum) const {
    const size_t first_word = entries_.first_word(tile);
    const ActiveTile pointers = {.entries = entries_.tile(tile),
                                 .columns = entries_.columns(),
                                 .weights = task_.active_weight,
                                 .counts = task_.counts + first_word,
                                 .ratios = task_.ratios + first_word,
                                 .sum = sum};
    return WithVectorCount<Simd>(entries_.width(tile) / Simd::kLanes, [pointers](auto count) {
      constexpr size_t kVectors = decltype(count)::value;
      return ActivePass<Simd, (kVectors > 0 ? kVectors : kMostVectors)>(pointers);
    });
  }

  const KernelTask& task_;
  ActiveEntries<Simd> entries_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_ACTIVE_TOPICS_H_
