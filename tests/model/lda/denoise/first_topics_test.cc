#include "model/lda/denoise/first_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/lda/topics/initial_topics.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace first_topics_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr int kTopics = 5;
const std::vector<double> kUnigram = {0.5, 0.25, 0.125, 0.0625, 0.0625};

// With a shape at which all draws are 1, to a thousandth or so.
std::vector<float> Topics(const AnchorTerms& anchors, double gamma_shape = 1e6) {
  const auto topics = DrawnTopics({.num_topics = kTopics,
                                   .term_probabilities = kUnigram,
                                   .seed = 3,
                                   .gamma_shape = gamma_shape,
                                   .anchors = anchors});
  return topics.ok() ? *topics : std::vector<float>();
}

TEST(DrawnTopicsTest, WithoutAnchorsEveryTopicIsTheUnigramTimesDraws) {
  const std::vector<float> topics = Topics({}, 10);
  ASSERT_OK_AND_ASSIGN(const auto draws, RandomTopics(kTopics, 5, 3, 10));
  for (size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(topics[i], static_cast<float>(double{draws[i]} * kUnigram[i % 5])) << i;
  }
}

// By hand: 0.3 of a topic are its anchors', as 2 to 1 where p has them so; the rest of it is p, and
// of other topics' anchors a tenth of that.
TEST(DrawnTopicsTest, AnAnchoredTopicIsTheUnigramWithItsWordsInFront) {
  const std::vector<float> topics = Topics({{1}, {2, 3}}, 10);
  ASSERT_EQ(topics.size(), 25U);
  const std::vector<float> expected = {0.35F, 0.3F,    0.00875F, 0.004375F, 0.04375F,
                                       0.35F, 0.0175F, 0.2F,     0.1F,      0.04375F};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(topics[i], expected[i]) << i;
  const std::vector<float> drawn = Topics({}, 10);
  for (size_t i = 10; i < 25; ++i) {
    const bool is_anchor = i % 5 >= 1 && i % 5 <= 3;
    EXPECT_FLOAT_EQ(topics[i], (is_anchor ? 0.1F : 1) * drawn[i]) << i;
  }
}

TEST(DrawnTopicsTest, AWordOfTwoAnchorsIsInBoth) {
  const std::vector<float> topics = Topics({{1}, {1, 2}});
  ASSERT_EQ(topics.size(), 25U);
  EXPECT_FLOAT_EQ(topics[1], 0.3F);
  EXPECT_FLOAT_EQ(topics[5 + 1], 0.2F);
  EXPECT_FLOAT_EQ(topics[5 + 2], 0.1F);
  EXPECT_NEAR(topics[10 + 1], 0.025, 0.001);
}

TEST(DrawnTopicsTest, AnchorsOfNoTopicNoTermOrNoSuchTermAreRefused) {
  EXPECT_THAT(CheckAnchors(AnchorTerms(6, {1}), kTopics, 5),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 5 anchors")));
  for (const AnchorTerms& anchors : std::vector<AnchorTerms>{{{}}, {{1}, {5}}}) {
    EXPECT_THAT(CheckAnchors(anchors, kTopics, 5),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("below 5")));
    EXPECT_THAT(Topics(anchors), ::testing::IsEmpty());
  }
  EXPECT_OK(CheckAnchors(AnchorTerms(5, {4}), kTopics, 5));
}

}  // namespace first_topics_test
}  // namespace topicwall::lda
