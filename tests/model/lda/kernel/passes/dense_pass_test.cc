#include "model/lda/kernel/passes/dense_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace dense_pass_test {

using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::lda::testing::TaskForTests;

// Around the vector (4), what stays in registers (8 vectors) and the padding (16).
constexpr size_t kTopics[] = {1, 3, 4, 5, 31, 32, 33, 50, 100};
// Around the rows done together (4, 8) and the block (64).
constexpr size_t kWords[] = {1, 3, 4, 5, 8, 9, 12, 13, 63, 64, 65, 76};

struct Case {
  std::vector<std::vector<float>> rows;
  std::vector<float> counts, weights;
};

Case RandomCase(size_t words, size_t topics) {
  SyntheticCorpus corpus(words * 1000 + topics);
  Case made;
  for (size_t j = 0; j < words; ++j) {
    std::vector<float>& row = made.rows.emplace_back();
    for (size_t k = 0; k < topics; ++k) row.push_back(static_cast<float>(corpus.Uniform()));
    made.counts.push_back(static_cast<float>(1 + corpus.Below(5)));
  }
  for (size_t k = 0; k < topics; ++k) made.weights.push_back(static_cast<float>(corpus.Uniform()));
  return made;
}

TEST(DensePassTest, RatiosAndSumsAreThoseOfFloat64) {
  for (const size_t topics : kTopics) {
    for (const size_t words : kWords) {
      const Case made = RandomCase(words, topics);
      TaskForTests task(made.rows, made.counts, 0.1);
      for (size_t k = 0; k < topics; ++k) task.task.weight[k] = made.weights[k];
      DensePass<SimdPortable>(task.task);
      std::vector<double> sums(topics);
      for (size_t j = 0; j < words; ++j) {
        double normaliser = 0;
        for (size_t k = 0; k < topics; ++k) {
          normaliser += double{made.weights[k]} * double{made.rows[j][k]};
        }
        const double ratio = double{made.counts[j]} / normaliser;
        ASSERT_NEAR(task.task.ratios[j] / ratio, 1, 1e-5) << topics << " " << words << " " << j;
        for (size_t k = 0; k < topics; ++k) sums[k] += ratio * double{made.rows[j][k]};
      }
      for (size_t k = 0; k < topics; ++k) {
        ASSERT_NEAR(task.task.sum[k] / sums[k], 1, 1e-5) << topics << " " << words << " " << k;
      }
    }
  }
}

TEST(DensePassTest, WeightedSumIsThatOfFloat64) {
  for (const size_t topics : kTopics) {
    for (const size_t words : kWords) {
      const Case made = RandomCase(words, topics);
      TaskForTests task(made.rows, made.counts, 0.1);
      WeightedSum<SimdPortable>(task.task, task.task.counts);
      for (size_t k = 0; k < topics; ++k) {
        double sum = 0;
        for (size_t j = 0; j < words; ++j) sum += double{made.counts[j]} * double{made.rows[j][k]};
        ASSERT_NEAR(task.task.sum[k] / sum, 1, 1e-5) << topics << " " << words << " " << k;
      }
    }
  }
}

TEST(DensePassTest, PackedRowsGiveTheSameBits) {
  for (const size_t topics : kTopics) {
    for (const size_t words : kWords) {
      const Case made = RandomCase(words, topics);
      TaskForTests rows(made.rows, made.counts, 0.1), packed(made.rows, made.counts, 0.1);
      packed.task.most_active = 0;
      // As what another document has left there, at its worst.
      std::fill_n(packed.task.packed, (words + 3) / 4 * 4 * topics,
                  std::numeric_limits<float>::quiet_NaN());
      for (const KernelTask* task : {&rows.task, &packed.task}) {
        WeightedSum<SimdPortable>(*task, task->counts);
      }
      for (size_t k = 0; k < topics; ++k) ASSERT_EQ(packed.task.sum[k], rows.task.sum[k]);
      for (const KernelTask* task : {&rows.task, &packed.task}) {
        for (size_t k = 0; k < topics; ++k) task->weight[k] = made.weights[k];
        DensePass<SimdPortable>(*task);
      }
      for (size_t j = 0; j < words; ++j) ASSERT_EQ(packed.task.ratios[j], rows.task.ratios[j]);
      for (size_t k = 0; k < topics; ++k) ASSERT_EQ(packed.task.sum[k], rows.task.sum[k]);
    }
  }
}

TEST(DensePassTest, RatiosBeyondTheLastWordAreZero) {
  const Case made = RandomCase(/*words=*/5, /*topics=*/40);
  TaskForTests task(made.rows, made.counts, 0.1);
  for (size_t k = 0; k < 40; ++k) task.task.weight[k] = 1;
  DensePass<SimdPortable>(task.task);
  for (size_t j = 5; j < 8; ++j) EXPECT_EQ(task.task.ratios[j], 0.0f);
}

TEST(DensePassTest, AWordThatNoTopicHasGetsAnEnormousRatioInsteadOfAnInfiniteOne) {
  TaskForTests task({{0, 0}, {1, 1}}, {1, 1}, 0.1);
  task.task.weight[0] = task.task.weight[1] = 1;
  DensePass<SimdPortable>(task.task);
  EXPECT_GT(task.task.ratios[0], 1e30f);
  EXPECT_TRUE(std::isfinite(task.task.ratios[0]));
}

}  // namespace dense_pass_test
}  // namespace topicwall::lda
