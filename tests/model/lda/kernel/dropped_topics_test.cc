#include "model/lda/kernel/dropped_topics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::testing::TaskForTests;

TEST(DroppedTopicsTest, TheirWordsAreThoseOfTopicsNotAboveTheLimit) {
  TaskForTests task({std::vector<float>(5, 1.0f)}, {1}, 0.1);
  task.task.drop_limit = 0.6f;
  const float gammas[] = {0.1f, 0.6f, 0.7f, 0.3f, 5, 0.1f, 0.1f, 0.1f};
  for (size_t k = 0; k < 8; ++k) task.task.gamma[k] = gammas[k];
  EXPECT_NEAR(WordsBelowLimit<SimdPortable>(task.task, 5, task.task.prior, task.task.gamma),
              0.5 + 0.2, 1e-6);
}

// One word of count 2 that topic 0 has and topic 1 a tenth of; topic 0 is active.
class DroppedStayAwayTest : public ::testing::Test {
 protected:
  DroppedStayAwayTest() : made_({{1, 0.1f}}, {2}, 0.1) {
    made_.task.list_limit = 4e-3f;  // a dropped topic may hold 1e-3
    made_.task.topics[0] = 0;
    made_.task.gamma[0] = 1;
  }
  // The check after passes in which topic 0 had these weights; ratios are 2/weight.
  bool StayAway(const std::vector<float>& weights, float weight_of_dropped) {
    made_.task.weight_of_dropped = weight_of_dropped;
    const ActiveTopics<SimdPortable> active(made_.task, 1);
    for (const float weight : weights) {
      made_.task.active_weight[0] = weight;
      active.Pass();
    }
    return DroppedStayAway<SimdPortable>(made_.task, active);
  }

  TaskForTests made_;
};

TEST_F(DroppedStayAwayTest, UpToAQuarterOfTheListLimit) {
  EXPECT_TRUE(StayAway({1}, 4.9e-4f)) << "4.9e-4·2 is below 1e-3 whatever b is";
  EXPECT_TRUE(StayAway({1}, 4.9e-3f)) << "4.9e-3·2·0.1, from the topic's own entries";
  EXPECT_FALSE(StayAway({1}, 5.1e-3f));
}

TEST_F(DroppedStayAwayTest, WhatWouldHaveComeBackInTheMiddleIsSeenAtTheEnd) {
  EXPECT_FALSE(StayAway({1, 0.5f, 1}, 4.9e-3f)) << "4.9e-3·4·0.1 in the second pass";
  EXPECT_TRUE(StayAway({1, 0.5f, 1}, 2.4e-3f));
}

TEST_F(DroppedStayAwayTest, AnActiveTopicsOwnEntriesDoNotCount) {
  made_.task.gamma[1] = 1;
  EXPECT_TRUE(StayAway({1}, 4.9e-3f)) << "topic 0 would hold 4.9e-3·2·1";
}

TEST_F(DroppedStayAwayTest, ATinyNormaliserOrNoNumberIsNotTrusted) {
  EXPECT_FALSE(StayAway({1e-30f}, 0));
  EXPECT_FALSE(StayAway({std::nanf("")}, 0));
}

}  // namespace
}  // namespace topicwall::lda
