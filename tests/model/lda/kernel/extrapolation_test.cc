#include "model/lda/kernel/extrapolation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace extrapolation_test {

using ::topicwall::lda::testing::TaskForTests;

constexpr float kPrior = 0.125f;
constexpr size_t kTopics = 6;  // a vector and a tail

// γ after `iteration` on a way that halves its distance to `goal` every time.
void SetGamma(const KernelTask& task, const std::vector<float>& goal, int iteration) {
  for (size_t k = 0; k < task.padded_topics; ++k) {
    const float distance = 8 * std::exp2(-static_cast<float>(iteration));
    task.gamma[k] = k < kTopics ? goal[k] + distance : kPrior;
    task.sum[k] = task.gamma[k] - kPrior;
  }
}

class ExtrapolationTest : public ::testing::Test {
 protected:
  ExtrapolationTest()
      : made_({std::vector<float>(kTopics, 1.0f)}, {1}, kPrior), task_(made_.task) {}

  void Iterate(int iteration) {
    SetGamma(task_, goal_, iteration);
    Extrapolate<SimdPortable>(task_, iteration, kTopics, task_.prior, task_.gamma);
  }

  const std::vector<float> goal_ = {3, 4, 5, 6, 7, 8};
  TaskForTests made_;
  KernelTask& task_;
};

TEST_F(ExtrapolationTest, HitsTheGoalOfAWayThatShrinksEvenly) {
  // r = −d/2 and v = d/4 at distance d: s = 2, and γ + 2sr + s²v = goal + d − 2d + d.
  for (const int iteration : {3, 4, 5}) Iterate(iteration);
  for (size_t k = 0; k < kTopics; ++k) EXPECT_NEAR(task_.gamma[k], goal_[k], 1e-5);
}

TEST_F(ExtrapolationTest, NothingMovesBeforeTheFirstJump) {
  for (const int iteration : {1, 2, 3, 4}) {
    Iterate(iteration);
    const std::vector<float> gamma = made_.Gamma();
    SetGamma(task_, goal_, iteration);
    EXPECT_EQ(gamma, made_.Gamma()) << iteration;
  }
}

TEST_F(ExtrapolationTest, ATopicWithNoMoreThanTheListLimitStaysWhereItIs) {
  for (const int iteration : {3, 4}) Iterate(iteration);
  SetGamma(task_, goal_, 5);
  task_.sum[1] = task_.list_limit;
  const float before = task_.gamma[1];
  Extrapolate<SimdPortable>(task_, 5, kTopics, task_.prior, task_.gamma);
  EXPECT_EQ(task_.gamma[1], before);
  EXPECT_NEAR(task_.gamma[0], goal_[0], 1e-5);
}

TEST_F(ExtrapolationTest, NoTopicFallsBelowASixteenthOfItsWords) {
  for (const int iteration : {3, 4}) Iterate(iteration);
  SetGamma(task_, goal_, 5);
  task_.gamma_before[2] = 3;  // in a straight line, so that any jump with s > 1 passes 0
  task_.gamma_between[2] = 2;
  task_.gamma[2] = 1;
  task_.sum[2] = 1 - kPrior;
  Extrapolate<SimdPortable>(task_, 5, kTopics, task_.prior, task_.gamma);
  EXPECT_FLOAT_EQ(task_.gamma[2], kPrior + (1 - kPrior) / 16);
}

TEST(JumpLengthTest, IsTheRatioOfTheNormsWithinItsBounds) {
  const auto length = [](double r, double v) { return JumpLength<double, SimdPortable>(r, v); };
  EXPECT_EQ(length(9, 1), 3);
  EXPECT_EQ(length(1, 4), 1);
  EXPECT_EQ(length(1e9, 1), kLongestStep);
  EXPECT_EQ(length(1, 0), kLongestStep);
  EXPECT_EQ(length(0, 0), 1) << "no jump where nothing moves";
}

}  // namespace extrapolation_test
}  // namespace topicwall::lda
