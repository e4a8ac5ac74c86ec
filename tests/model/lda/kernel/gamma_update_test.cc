#include "model/lda/kernel/gamma_update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace gamma_update_test {

using ::topicwall::lda::testing::TaskForTests;

constexpr double kPrior = 0.1;

class GammaUpdateTest : public ::testing::Test {
 protected:
  GammaUpdateTest() : made_({std::vector<float>(kTopics, 1.0f)}, {1}, kPrior), task_(made_.task) {
    task_.drop_limit = 0.6f;
    for (size_t k = 0; k < task_.padded_topics; ++k) {
      task_.gamma[k] = k < kTopics ? 1.0f : task_.prior[k];
      task_.weight[k] = k < kTopics ? 0.5f : 0.0f;
      task_.sum[k] = static_cast<float>(k);
    }
  }

  static constexpr size_t kTopics = 5;  // a vector and a tail
  TaskForTests made_;
  KernelTask& task_;
  SimdPortable::Floats largest_ = SimdPortable::Broadcast(0);
};

TEST_F(GammaUpdateTest, AddsEachTopicsWordsToThePrior) {
  const GammaChange change = UpdateGamma<SimdPortable>(task_, kTopics, task_.prior, task_.gamma,
                                                       task_.weight, task_.sum, &largest_);
  double total = 0;
  for (size_t k = 0; k < kTopics; ++k) {
    const double words = 0.5 * static_cast<double>(k);
    EXPECT_FLOAT_EQ(task_.gamma[k], static_cast<float>(kPrior + words));
    EXPECT_FLOAT_EQ(task_.sum[k], static_cast<float>(words));
    total += std::fabs(kPrior + words - 1);
  }
  EXPECT_NEAR(change.total, total, 1e-6);
  EXPECT_EQ(change.above_limit, 3u) << "1.1, 1.6 and 2.1; 0.6 is not above 0.6, nor 0.1";
}

TEST_F(GammaUpdateTest, PaddingKeepsThePriorAndCountsForNothing) {
  UpdateGamma<SimdPortable>(task_, kTopics, task_.prior, task_.gamma, task_.weight, task_.sum,
                            &largest_);
  for (size_t k = kTopics; k < 8; ++k) {
    EXPECT_EQ(task_.gamma[k], task_.prior[k]);
    EXPECT_EQ(task_.sum[k], 0.0f);
  }
}

TEST_F(GammaUpdateTest, WeightsOfTheTailAreComputedToo) {
  UpdateWeights<SimdPortable>(kTopics, task_.gamma, task_.weight);
  for (size_t k = 0; k < kTopics; ++k) EXPECT_NEAR(task_.weight[k], 0.5614595, 1e-6);  // e^ψ(1)
}

}  // namespace gamma_update_test
}  // namespace topicwall::lda
