#include "model/lda/kernel/passes/topic_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::lda::testing::TaskForTests;

std::vector<uint32_t> Listed(const std::vector<float>& values, float limit) {
  TaskForTests task({std::vector<float>(values.size(), 1.0f)}, {1}, 0.1);
  for (size_t k = 0; k < task.task.padded_topics; ++k) {
    task.task.sum[k] = k < values.size() ? values[k] : -1.0f;
  }
  const size_t size = ListTopics<SimdPortable>(task.task, task.task.sum, limit);
  return {task.task.topics, task.task.topics + size};
}

TEST(TopicListTest, HoldsThoseAboveTheLimitInAscendingOrder) {
  EXPECT_THAT(Listed({3, 1, 2, 0, 5, 0, 0, 0, 0, 4, 1.5f}, 1), ElementsAre(0, 2, 4, 9, 10));
}

TEST(TopicListTest, TheLimitItselfIsNotAboveIt) { EXPECT_THAT(Listed({2, 2, 2}, 2), IsEmpty()); }

TEST(TopicListTest, NotANumberIsNotListed) {
  EXPECT_THAT(Listed({std::nanf(""), 1}, 0), ElementsAre(1));
}

TEST(TopicListTest, CoversEveryNumberOfTopics) {
  for (size_t topics = 1; topics <= 17; ++topics) {
    EXPECT_EQ(Listed(std::vector<float>(topics, 1.0f), 0).size(), topics);
  }
}

}  // namespace
}  // namespace topicwall::lda
