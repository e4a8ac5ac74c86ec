#include "model/lda/kernel/passes/active_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace active_topics_test {

using ::testing::ElementsAre;
using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::lda::testing::TaskForTests;
using Active = ActiveTopics<SimdPortable>;
using Rows = std::vector<std::vector<float>>;

Rows RandomRows(size_t words, size_t topics) {
  SyntheticCorpus corpus(words);
  Rows rows(words, std::vector<float>(topics));
  for (auto& row : rows) {
    for (float& entry : row) entry = static_cast<float>(0.01 + corpus.Uniform());
  }
  return rows;
}

// γ of topic k is k + 1; topics 0 … size − 1 are active.
size_t Start(const KernelTask& task, size_t size) {
  for (size_t k = 0; k < task.padded_topics; ++k) {
    task.gamma[k] = k < task.num_topics ? static_cast<float>(k + 1) : task.smallest_prior;
  }
  for (size_t a = 0; a < size; ++a) task.topics[a] = static_cast<uint32_t>(a);
  return size;
}

TEST(ActiveTopicsTest, APassIsThatOfFloat64OverTheActiveTopicsAlone) {
  // Tiles of one to several vectors, one to several tiles.
  for (const size_t words : {1, 4, 5, 12, 16, 17, 20, 29, 32, 33, 70}) {
    for (const size_t size : {1, 2, 4, 5, 9}) {
      const Rows rows = RandomRows(words, 10);
      TaskForTests task(rows, std::vector<float>(words, 2.0f), 0.1);
      Active active(task.task, Start(task.task, size));
      active.UpdateWeights();
      active.Pass();
      std::vector<double> sums(size);
      for (size_t j = 0; j < words; ++j) {
        double normaliser = 0;
        for (size_t a = 0; a < size; ++a) {
          normaliser += double{task.task.active_weight[a]} * double{rows[j][a]};
        }
        ASSERT_NEAR(task.task.ratios[j] * normaliser, 2, 1e-5) << words << " " << size;
        for (size_t a = 0; a < size; ++a) sums[a] += 2 / normaliser * double{rows[j][a]};
      }
      for (size_t a = 0; a < size; ++a) {
        ASSERT_NEAR(task.task.sum[a] / sums[a], 1, 1e-5) << words << " " << size;
      }
    }
  }
}

TEST(ActiveTopicsTest, KeepForgetsTheOthersAndTheirEntries) {
  const Rows rows = RandomRows(/*words=*/40, /*topics=*/10);
  TaskForTests task(rows, std::vector<float>(40, 1.0f), 0.1);
  Active active(task.task, Start(task.task, 10));
  for (const size_t gone : {0, 3, 4, 9}) task.task.active_gamma[gone] = 0.2f;
  active.Keep(task.task.active_gamma, 0.2f);
  ASSERT_EQ(active.size(), 6u);
  EXPECT_THAT(std::vector<uint32_t>(task.task.topics, task.task.topics + 6),
              ElementsAre(1, 2, 5, 6, 7, 8));
  EXPECT_THAT(std::vector<float>(task.task.active_gamma, task.task.active_gamma + 8),
              ElementsAre(2, 3, 6, 7, 8, 9, 0.1f, 0.1f));
  active.UpdateWeights();
  active.Pass();
  for (size_t j = 0; j < 40; ++j) {
    double normaliser = 0;
    for (size_t a = 0; a < 6; ++a) {
      normaliser += double{task.task.active_weight[a]} * double{rows[j][task.task.topics[a]]};
    }
    ASSERT_NEAR(task.task.ratios[j] * normaliser, 1, 1e-5) << j;
  }
}

// What the end check of document_solver.h stands on: a ratio that was large once is not forgotten.
TEST(ActiveTopicsTest, TheLargestRatioOfEachWordInAnyPassIsRemembered) {
  TaskForTests task({{1, 0}, {0, 1}, {1, 1}}, {1, 1, 1}, 0.1);
  Active active(task.task, Start(task.task, 2));
  const float weights[3][2] = {{0.5f, 4}, {0.25f, 1}, {2, 2}};
  for (const auto& pair : weights) {
    task.task.active_weight[0] = pair[0];
    task.task.active_weight[1] = pair[1];
    active.Pass();
  }
  EXPECT_FLOAT_EQ(task.task.largest_ratios[0], 4);     // 1 / 0.25
  EXPECT_FLOAT_EQ(task.task.largest_ratios[1], 1);     // 1 / 1
  EXPECT_FLOAT_EQ(task.task.largest_ratios[2], 0.8f);  // 1 / 1.25
  EXPECT_FLOAT_EQ(active.LargestRatioSum(), 5.8f);
}

TEST(ActiveTopicsTest, DroppingPaysFromFourColumnsOn) {
  TaskForTests task(RandomRows(5, 16), std::vector<float>(5, 1.0f), 0.1);
  const Active active(task.task, Start(task.task, 10));  // 12 columns
  EXPECT_FALSE(active.PaysToDrop(9));
  EXPECT_TRUE(active.PaysToDrop(8));
}

}  // namespace active_topics_test
}  // namespace topicwall::lda
