// A KernelTask over buffers of its own, as EStep would fill it.
#ifndef TOPICWALL_TESTS_MODEL_LDA_TASK_FOR_TESTS_H_
#define TOPICWALL_TESTS_MODEL_LDA_TASK_FOR_TESTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/lda/kernel/kernel_task.h"
#include "model/lda/math/aligned_floats.h"
#include "model/lda/topics/dirichlet_prior.h"

namespace topicwall::lda::testing {

inline size_t RoundUpTo(size_t n, size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// Not movable: the task points into it.
class TaskForTests {
 public:
  // rows: b, one of K entries per word, the largest of each row 1.
  TaskForTests(const std::vector<std::vector<float>>& rows, const std::vector<float>& counts,
               const DocumentTopicPrior& prior) {
    const size_t words = RoundUpTo(rows.size(), kWordPadding);
    task.num_words = rows.size();
    task.num_topics = rows[0].size();
    task.padded_topics = RoundUpTo(task.num_topics, kTopicPadding);
    task.max_iterations = 50;
    task.most_change = 0;
    task.most_active = task.num_topics;
    task.list_limit = 1e-7f;
    task.weight_of_dropped = 0;
    task.smallest_prior =
        static_cast<float>(*std::min_element(prior.values().begin(), prior.values().end()));
    task.drop_limit = static_cast<float>(double{task.smallest_prior} + 1e-7);
    AlignedFloats& priors = Floats(task.padded_topics);
    for (size_t k = 0; k < task.padded_topics; ++k) {
      priors[k] = k < task.num_topics ? static_cast<float>(prior.of(k)) : task.smallest_prior;
    }
    task.prior = priors.data();
    AlignedFloats& table = Floats(words * task.padded_topics);
    float* padded_counts = Floats(words).data();
    float* flat_ratios = Floats(words).data();
    for (size_t j = 0; j < words; ++j) {
      const size_t from = j < rows.size() ? j : 0;
      float* row = table.data() + from * task.padded_topics;
      double sum = 0;
      for (size_t k = 0; k < task.num_topics; ++k) sum += row[k] = rows[from][k];
      rows_.push_back(row);
      if (j >= rows.size()) continue;
      padded_counts[j] = counts[j];
      flat_ratios[j] = static_cast<float>(counts[j] / sum);
    }
    task.rows = rows_.data();
    task.counts = padded_counts;
    task.flat_ratios = flat_ratios;
    for (float** over_topics : {&task.weight, &task.sum, &task.block_sum, &task.compensation,
                                &task.gamma_before, &task.gamma_between, &task.active_prior,
                                &task.active_gamma, &task.active_weight, &task.gamma}) {
      *over_topics = Floats(task.padded_topics).data();
    }
    task.ratios = Floats(words).data();
    task.largest_ratios = Floats(words).data();
    task.matrix = Floats(words * (task.most_active + 4)).data();
    task.statistic = task.packed = Floats(words * task.padded_topics + 3).data();
    topics_.resize(task.padded_topics);
    task.topics = topics_.data();
  }
  TaskForTests(const TaskForTests&) = delete;
  TaskForTests& operator=(const TaskForTests&) = delete;

  // The results.
  std::vector<float> Gamma() const { return {task.gamma, task.gamma + task.num_topics}; }
  std::vector<uint32_t> Topics() const { return {task.topics, task.topics + task.num_listed}; }
  std::vector<float> Statistic() const {
    return {task.statistic, task.statistic + task.num_words * task.num_listed};
  }

  KernelTask task = {};

 private:
  AlignedFloats& Floats(size_t size) { return buffers_.emplace_back(size, 0.0f); }

  std::deque<AlignedFloats> buffers_;
  std::vector<const float*> rows_;
  std::vector<uint32_t> topics_;
};

}  // namespace topicwall::lda::testing

#endif  // TOPICWALL_TESTS_MODEL_LDA_TASK_FOR_TESTS_H_
