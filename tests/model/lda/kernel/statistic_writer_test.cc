#include "model/lda/kernel/statistic_writer.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace statistic_writer_test {

using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::lda::testing::TaskForTests;
using Rows = std::vector<std::vector<float>>;

constexpr size_t kTopics = 12;

Rows RandomRows(size_t words) {
  SyntheticCorpus corpus(words);
  Rows rows(words, std::vector<float>(kTopics));
  for (auto& row : rows) {
    for (float& entry : row) entry = static_cast<float>(corpus.Uniform());
  }
  return rows;
}

float WeightOf(size_t topic) { return static_cast<float>(topic + 1); }
float RatioOf(size_t word) { return static_cast<float>(word + 2) / 4; }

TEST(StatisticWriterTest, WritesTheActiveTopicsOfEveryWordAndNothingElse) {
  // Every remainder of four in both directions, and several tiles.
  for (const size_t words : {1, 2, 3, 4, 5, 7, 32, 33, 70}) {
    for (size_t size = 1; size <= 9; ++size) {
      const Rows rows = RandomRows(words);
      TaskForTests task(rows, std::vector<float>(words, 1.0f), 0.1);
      for (size_t a = 0; a < size; ++a) task.task.topics[a] = static_cast<uint32_t>(a + 2);
      const ActiveTopics<SimdPortable> active(task.task, size);
      for (size_t a = 0; a < size; ++a) task.task.active_weight[a] = WeightOf(a + 2);
      for (size_t j = 0; j < words; ++j) task.task.ratios[j] = RatioOf(j);
      WriteStatistic<SimdPortable>(task.task, active);
      ASSERT_EQ(task.task.num_listed, size);
      for (size_t j = 0; j < words; ++j) {
        for (size_t a = 0; a < size; ++a) {
          ASSERT_EQ(task.task.statistic[j * size + a],
                    RatioOf(j) * (WeightOf(a + 2) * rows[j][a + 2]))
              << words << " " << size << " " << j << " " << a;
        }
      }
      for (size_t i = words * size + 3; i < words * kTopics + 3; ++i) {
        ASSERT_EQ(task.task.statistic[i], 0.0f) << "more than three floats behind the last row";
      }
    }
  }
}

TEST(StatisticWriterTest, GammaOfTopicsThatAreNotActiveIsThePrior) {
  TaskForTests task(RandomRows(3), {1, 1, 1}, 0.1);
  for (size_t k = 0; k < kTopics; ++k) task.task.gamma[k] = 5;
  task.task.topics[0] = 7;
  const ActiveTopics<SimdPortable> active(task.task, 1);
  WriteStatistic<SimdPortable>(task.task, active);
  for (size_t k = 0; k < kTopics; ++k) EXPECT_EQ(task.task.gamma[k], k == 7 ? 5.0f : 0.1f) << k;
}

TEST(StatisticWriterTest, WritesTheListedTopicsOfADocumentWithoutActiveOnes) {
  for (const size_t listed : {1, 5, 12}) {
    const Rows rows = RandomRows(4);
    TaskForTests task(rows, {1, 1, 1, 1}, 0.1);
    task.task.num_listed = listed;
    for (size_t a = 0; a < listed; ++a) {
      task.task.topics[a] = static_cast<uint32_t>(kTopics - listed + a);
    }
    for (size_t k = 0; k < kTopics; ++k) task.task.weight[k] = WeightOf(k);
    for (size_t j = 0; j < 4; ++j) task.task.ratios[j] = RatioOf(j);
    WriteStatistic<SimdPortable>(task.task);
    for (size_t j = 0; j < 4; ++j) {
      for (size_t a = 0; a < listed; ++a) {
        const size_t k = task.task.topics[a];
        ASSERT_EQ(task.task.statistic[j * listed + a], RatioOf(j) * (WeightOf(k) * rows[j][k]));
      }
    }
  }
}

}  // namespace statistic_writer_test
}  // namespace topicwall::lda
