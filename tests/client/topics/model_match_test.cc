#include "client/topics/model_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/lda/reading/quality_calibration.h"
#include "tests/client/small_model.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace model_match_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

TEST(ModelMatchTest, TheSameTopicsFindEachOtherThroughOtherNoise) {
  ASSERT_OK_AND_ASSIGN(const auto a, TopicReading::Of(MadeUpModel(1, 15)));
  ASSERT_OK_AND_ASSIGN(const auto b, TopicReading::Of(MadeUpModel(2, 15)));
  ASSERT_OK_AND_ASSIGN(const auto match, MatchModels(a, b, lda::kAlike));
  EXPECT_EQ(match.common_words, kMadeUpTerms);
  ASSERT_EQ(match.pairs.size(), size_t{kMadeUpTopics});
  for (const lda::TopicPair& pair : match.pairs) {
    EXPECT_EQ(pair.of_a, pair.of_b);
    EXPECT_GT(pair.likeness, 0.9);
  }
  EXPECT_THAT(match.only_in_a, IsEmpty());
}

// The lists are in another order and share three words of four; "kiwi" and "plum" say nothing.
TEST(ModelMatchTest, WordsArePairedByTheirTextAndATopicWithoutLikenessIsTold) {
  ASSERT_OK_AND_ASSIGN(const auto a, TopicReading::Of(SmallModel({"apple", "fig", "kiwi", "pear"},
                                                                 {90, 5, 1, 5, 5, 45, 1, 45})));
  ASSERT_OK_AND_ASSIGN(const auto b, TopicReading::Of(SmallModel({"pear", "plum", "fig", "apple"},
                                                                 {5, 1, 5, 90, 90, 1, 5, 5})));
  ASSERT_OK_AND_ASSIGN(const auto match, MatchModels(a, b, 0.9));
  EXPECT_EQ(match.common_words, 3);
  ASSERT_EQ(match.pairs.size(), 1U);
  EXPECT_EQ(match.pairs[0].of_a, 0);
  EXPECT_EQ(match.pairs[0].of_b, 0);
  EXPECT_THAT(match.only_in_a, ElementsAre(1));
  EXPECT_THAT(match.only_in_b, ElementsAre(1));
}

TEST(ModelMatchTest, ModelsWithoutACommonWordAreNotCompared) {
  ASSERT_OK_AND_ASSIGN(const auto a, TopicReading::Of(SmallModel({"apple", "fig"}, {9, 1, 1, 9})));
  ASSERT_OK_AND_ASSIGN(const auto b, TopicReading::Of(SmallModel({"bolt", "nut"}, {9, 1, 1, 9})));
  EXPECT_THAT(MatchModels(a, b, 0.5), StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace model_match_test
}  // namespace topicwall::client
