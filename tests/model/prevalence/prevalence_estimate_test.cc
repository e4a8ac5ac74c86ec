#include "model/prevalence/prevalence_estimate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "tests/model/prevalence/simulated_releases.h"

namespace topicwall::prevalence {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// By hand: 10 documents too many, in three equal parts. s = 33⅓, 53⅓, n = 86⅔.
TEST(EstimatePrevalenceTest, SharesOfConsistentSums) {
  const PrevalenceSums sums{
      .num_topics = 2, .values = {30, 50, 90}, .variances = {1, 1, 1}, .cells = {1}, .sampling = 0};
  const std::vector<GroupPrevalence> groups = EstimatePrevalence(sums);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_NEAR(groups[0].documents, 260. / 3, 1e-12);
  EXPECT_NEAR(groups[0].documents_error, std::sqrt(2. / 3), 1e-12);
  EXPECT_FALSE(groups[0].none);
  const TopicPrevalence& first = groups[0].topics[0];
  EXPECT_NEAR(first.unprojected, 100. / 260, 1e-12);
  EXPECT_NEAR(first.share, 100. / 260, 1e-12);
  EXPECT_LT(first.simultaneous.low, first.interval.low);
  EXPECT_GT(first.simultaneous.high, first.interval.high);
}

TEST(EstimatePrevalenceTest, SharesAreProjectedAndWhatWasFoundIsKept) {
  const PrevalenceSums sums{.num_topics = 3,
                            .values = {70, 50, -20, 100},
                            .variances = {1, 1, 1, 1},
                            .cells = {1},
                            .sampling = 0};
  const std::vector<TopicPrevalence> topics = EstimatePrevalence(sums)[0].topics;
  EXPECT_NEAR(topics[2].unprojected, -0.2, 1e-12);
  EXPECT_THAT((std::vector<double>{topics[0].share, topics[1].share, topics[2].share}),
              ElementsAre(DoubleNear(.6, 1e-12), DoubleNear(.4, 1e-12), 0));
  EXPECT_EQ(topics[2].interval.low, 0);
  EXPECT_GT(topics[2].interval.high, 0);
}

TEST(EstimatePrevalenceTest, AGroupThatMayBeEmptySaysNothing) {
  const PrevalenceSums sums{.num_topics = 2,
                            .values = {5, 5, 10, 500, 500, 1000},
                            .variances = {50, 50, 50},
                            .cells = {1, 1},
                            .sampling = 0};
  const std::vector<GroupPrevalence> groups = EstimatePrevalence(sums);
  EXPECT_TRUE(groups[0].none) << "10 documents, ± 5.8";
  EXPECT_NEAR(groups[0].documents, 10, 1e-12);
  EXPECT_EQ(groups[0].documents_interval.low, 0);
  ASSERT_EQ(groups[0].topics.size(), 2U);
  for (const TopicPrevalence& topic : groups[0].topics) {
    EXPECT_TRUE(std::isnan(topic.share));
    EXPECT_TRUE(std::isnan(topic.standard_error));
    EXPECT_EQ(topic.interval.low, 0);
    EXPECT_EQ(topic.simultaneous.high, 1);
  }
  EXPECT_FALSE(groups[1].none);
}

TEST(EstimatePrevalenceTest, NoGroupHasNoPrevalence) {
  EXPECT_THAT(
      EstimatePrevalence(
          {.num_topics = 2, .values = {}, .variances = {1, 1, 1}, .cells = {}, .sampling = 0}),
      IsEmpty());
}

}  // namespace
}  // namespace topicwall::prevalence
