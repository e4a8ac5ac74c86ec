#include "model/lda/denoise/warm_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace warm_start_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Four terms; the unigram is 0.3 of the first topic and 0.7 of the second.
const std::vector<float> kTopics = {0.5F, 0.4F, 0.1F, 0.0F,  //
                                    0.1F, 0.1F, 0.3F, 0.5F};
const std::vector<double> kUnigram = {0.22, 0.19, 0.24, 0.35};

WarmStartParams Params() {
  return {.num_topics = 2,
          .topics = kTopics,
          .term_probabilities = kUnigram,
          .seed = 1,
          .gamma_shape = 10};
}

double ColumnShare(const WarmStart& start, size_t term, const std::vector<double>& weights) {
  double share = 0;
  for (size_t k = 0; k < weights.size(); ++k) share += weights[k] * start.topics[k * 4 + term];
  return share;
}

TEST(TryWarmStartTest, TopicsThatMixToTheUnigramFit) {
  ASSERT_OK_AND_ASSIGN(const auto start, TryWarmStart(Params()));
  EXPECT_TRUE(start.fits);
  EXPECT_LT(start.divergence, 1e-6);
  EXPECT_NEAR(start.coverage, 1, 1e-12);
  ASSERT_EQ(start.topics.size(), 8u);
  // They stay what they are but for the fiftieth of the unigram.
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(start.topics[i], 0.98 * kTopics[i] + 0.02 * kUnigram[i % 4], 2e-3) << i;
  }
}

// By a Python program of its own (50 steps of EM in float64), for topics that cannot be
// mixed to this unigram.
TEST(TryWarmStartTest, TheDivergenceIsThatOfTheBestMixture) {
  WarmStartParams params = Params();
  const std::vector<double> other = {0.05, 0.6, 0.3, 0.05};
  params.term_probabilities = other;
  ASSERT_OK_AND_ASSIGN(const auto start, TryWarmStart(params));
  EXPECT_NEAR(start.divergence, 0.4114966861071465, 1e-9);
}

TEST(TryWarmStartTest, TopicsOfAnotherKindOfTextAreDropped) {
  const std::vector<double> other = {0.01, 0.01, 0.97, 0.01};
  WarmStartParams params = Params();
  params.term_probabilities = other;
  ASSERT_OK_AND_ASSIGN(const auto start, TryWarmStart(params));
  EXPECT_GT(start.divergence, kMostDivergence);
  EXPECT_FALSE(start.fits);
  EXPECT_TRUE(start.topics.empty());
}

TEST(TryWarmStartTest, TheFirstTopicsMixToTheUnigramExactly) {
  WarmStartParams params = Params();
  const std::vector<double> near = {0.30, 0.19, 0.20, 0.31};
  params.term_probabilities = near;
  ASSERT_OK_AND_ASSIGN(const auto start, TryWarmStart(params));
  ASSERT_TRUE(start.fits);
  // Whatever the weights that were found: two of the four equations give them, the others hold.
  const double a = start.topics[0], b = start.topics[4], c = start.topics[1], d = start.topics[5];
  const double determinant = a * d - b * c;
  const std::vector<double> weights = {(0.30 * d - 0.19 * b) / determinant,
                                       (0.19 * a - 0.30 * c) / determinant};
  EXPECT_NEAR(ColumnShare(start, 2, weights), 0.20, 1e-6);
  EXPECT_NEAR(ColumnShare(start, 3, weights), 0.31, 1e-6);
}

TEST(TryWarmStartTest, TermsThatTheTopicsDoNotKnowGetTheirShareOfTheUnigram) {
  const std::vector<float> topics = {0.5F, 0.4F, 0.1F, 0, 0.1F, 0.2F, 0.7F, 0};
  WarmStartParams params = Params();
  params.topics = topics;
  ASSERT_OK_AND_ASSIGN(const auto start, TryWarmStart(params));
  EXPECT_NEAR(start.coverage, 0.65, 1e-12);
  ASSERT_TRUE(start.fits) << start.divergence;
  EXPECT_NEAR(start.topics[3], 0.35, 1e-6);
  EXPECT_NEAR(start.topics[7], 0.35, 1e-6);
}

TEST(TryWarmStartTest, TopicsThatKnowLessThanHalfOfTheWordsAreDropped) {
  const std::vector<float> topics = {1, 1, 0, 0, 2, 1, 0, 0};
  WarmStartParams params = Params();
  params.topics = topics;
  ASSERT_OK_AND_ASSIGN(const auto start, TryWarmStart(params));
  EXPECT_NEAR(start.coverage, 0.41, 1e-12);
  EXPECT_LE(start.divergence, kMostDivergence);
  EXPECT_FALSE(start.fits);
}

TEST(TryWarmStartTest, TopicsBeyondTheGivenOnesAreDrawnAndDiffer) {
  WarmStartParams params = Params();
  params.num_topics = 4;
  ASSERT_OK_AND_ASSIGN(const auto start, TryWarmStart(params));
  ASSERT_EQ(start.topics.size(), 16u);
  EXPECT_NE(start.topics[8] / start.topics[9], start.topics[12] / start.topics[13]);
  params.seed = 2;
  const auto other = TryWarmStart(params);
  EXPECT_EQ(other->topics[0], start.topics[0]);
  EXPECT_NE(other->topics[8], start.topics[8]);
}

TEST(TryWarmStartTest, OnlyTheProportionsOfATopicCount) {
  std::vector<float> scaled = kTopics;
  for (size_t i = 0; i < 4; ++i) scaled[i] *= 1024;
  WarmStartParams params = Params();
  params.topics = scaled;
  EXPECT_EQ(TryWarmStart(params)->topics, TryWarmStart(Params())->topics);
}

TEST(TryWarmStartTest, WhatIsOutOfRangeIsNamed) {
  WarmStartParams params = Params();
  params.num_topics = 1;
  EXPECT_THAT(TryWarmStart(params),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most num_topics, 1")));
  params = Params();
  params.topics = absl::MakeConstSpan(kTopics).first(7);
  EXPECT_THAT(TryWarmStart(params), StatusIs(absl::StatusCode::kInvalidArgument));
  params.topics = {};
  EXPECT_THAT(TryWarmStart(params), StatusIs(absl::StatusCode::kInvalidArgument));
  std::vector<float> topics = kTopics;
  topics[2] = -0.1F;
  params.topics = topics;
  EXPECT_THAT(TryWarmStart(params),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 0")));
  topics[2] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(TryWarmStart(params), StatusIs(absl::StatusCode::kInvalidArgument));
  topics = {0, 0, 0, 0, 1, 1, 1, 1};
  params.topics = topics;
  EXPECT_THAT(TryWarmStart(params),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topic 0")));
  params = Params();
  const std::vector<double> half = {0.1, 0.1, 0.1, 0.2};
  params.term_probabilities = half;
  EXPECT_THAT(TryWarmStart(params), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace warm_start_test
}  // namespace topicwall::lda
