#include "client/fit/denoised_plans.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "client/audit/enforced_price.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::topicwall::testing::StatusIs;

v1::PlanSpec Topics() {
  v1::PlanSpec plan;
  plan.set_corpus("notes");
  plan.set_sampling_rate(1);
  plan.set_iterations(20);
  plan.mutable_lda()->set_num_topics(50);
  return plan;
}

// The whole fit is priced as J + 1 releases of the unigram's noise: none may have less.
TEST(PlanDenoisedTest, EveryReleaseHasAtLeastTheNoiseThatIsPricedAndHardlyMore) {
  for (const double noise : {0.5, 6.30621, 12345.6}) {
    const auto plans = PlanDenoised(Topics(), noise);
    ASSERT_OK(plans);
    EXPECT_EQ(plans->unigram.noise_multiplier(), noise);
    EXPECT_FALSE(plans->unigram.has_histogram_noise_multiplier());
    const auto release =
        ReleaseOf(1, plans->topics.noise_multiplier(), plans->topics.histogram_noise_multiplier());
    ASSERT_OK(release);
    EXPECT_GE(release->noise_multiplier(), noise);
    EXPECT_LT(release->noise_multiplier(), noise * (1 + 2e-5));
  }
}

TEST(PlanDenoisedTest, TheUnigramIsOfOneTopicAndTheRestIsAsAsked) {
  const auto plans = PlanDenoised(Topics(), 6);
  ASSERT_OK(plans);
  EXPECT_EQ(plans->unigram.iterations(), 1);
  EXPECT_EQ(plans->unigram.lda().num_topics(), 1);
  EXPECT_EQ(plans->unigram.corpus(), "notes");
  EXPECT_EQ(plans->topics.iterations(), 20);
  EXPECT_EQ(plans->topics.lda().num_topics(), 50);
}

TEST(PlanDenoisedTest, TheUnigramIsOneReleaseMoreHoweverManyThereAre) {
  for (const int iterations : {1, 40, 2147483647}) {
    v1::PlanSpec topics = Topics();
    topics.set_iterations(iterations);
    const auto plans = PlanDenoised(topics, 6);
    ASSERT_OK(plans);
    EXPECT_EQ(plans->unigram.iterations(), 1) << iterations;
    EXPECT_EQ(DenoisedReleases(iterations), int64_t{iterations} + 1);
  }
}

TEST(PlanDenoisedTest, NoiseThatIsNoneIsRefused) {
  EXPECT_THAT(PlanDenoised(Topics(), 0), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(PlanDenoised(Topics(), -1), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(TermWeightsOfTest, RareTermsWeighMore) {
  const auto bytes = TermWeightsOf(std::vector<double>{0.9, 0.09, 0.01});
  ASSERT_OK(bytes);
  const auto weights = proto::FloatsFromLittleEndian(*bytes);
  ASSERT_OK(weights);
  ASSERT_EQ(weights->size(), 3u);
  EXPECT_LT((*weights)[0], (*weights)[1]);
  EXPECT_LT((*weights)[1], (*weights)[2] + 1e-6);
  EXPECT_THAT(TermWeightsOf(std::vector<double>{0.5, 0.1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::client
