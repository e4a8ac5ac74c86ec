#include "model/lda/topics/log_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace log_topics_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(LogTopicsTest, KeepsFiniteValuesUpToZeroAsTheyAre) {
  const float lowest = std::numeric_limits<float>::lowest();
  ASSERT_OK_AND_ASSIGN(const auto topics,
                       LogTopics::Create(2, 3, {0.0f, -0.0f, -1e-40f, -1.5f, -1e4f, lowest}));
  EXPECT_EQ(topics.num_topics(), 2);
  EXPECT_EQ(topics.vocabulary_size(), 3);
  EXPECT_THAT(topics.values(), ElementsAre(0.0f, -0.0f, -1e-40f, -1.5f, -1e4f, lowest));
}

TEST(LogTopicsTest, RefusesPositiveAndNonFiniteValuesByTopicAndTerm) {
  for (const float bad : {1e-30f, 2.0f, NAN, INFINITY, -INFINITY}) {
    EXPECT_THAT(LogTopics::Create(2, 3, {-1, -1, -1, -1, -1, bad}),
                StatusIs(kInvalid, AllOf(HasSubstr("topic 1"), HasSubstr("term 2"))))
        << bad;
  }
}

TEST(LogTopicsTest, RefusesAMatrixOfAnotherSize) {
  EXPECT_THAT(LogTopics::Create(2, 3, std::vector<float>(5, -1.0f)),
              StatusIs(kInvalid, AllOf(HasSubstr("= 6"), HasSubstr("got 5"))));
  EXPECT_THAT(LogTopics::Create(2, 3, {}), StatusIs(kInvalid));
}

TEST(LogTopicsTest, RefusesShapesThatAreEmptyOrTooLarge) {
  constexpr int kMost = std::numeric_limits<int>::max();
  EXPECT_THAT(CheckTopicShape(0, 3), StatusIs(kInvalid, HasSubstr("got 0 and 3")));
  EXPECT_THAT(CheckTopicShape(3, 0), StatusIs(kInvalid));
  EXPECT_THAT(CheckTopicShape(-1, -3), StatusIs(kInvalid));
  EXPECT_THAT(CheckTopicShape(kMost, kMost), StatusIs(kInvalid));
  EXPECT_THAT(CheckTopicShape(65536, 65537), StatusIs(kInvalid));
  EXPECT_OK(CheckTopicShape(65536, 65536));
  EXPECT_OK(CheckTopicShape(1, 1));
}

}  // namespace log_topics_test
}  // namespace topicwall::lda
