#include "model/lda/denoise/annealing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace annealing_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(AnnealingTest, RisesEvenlyToOneInTheMiddleAndStaysThere) {
  const Annealing annealing = {.first = 0.2, .num_iterations = 8, .until = 0.5};
  EXPECT_DOUBLE_EQ(AnnealingExponent(annealing, 1), 0.2);
  EXPECT_DOUBLE_EQ(AnnealingExponent(annealing, 2), 0.4);
  EXPECT_DOUBLE_EQ(AnnealingExponent(annealing, 3), 0.6);
  EXPECT_DOUBLE_EQ(AnnealingExponent(annealing, 4), 0.8);
  for (const int64_t t : {5, 6, 8, 9, 1000}) EXPECT_EQ(AnnealingExponent(annealing, t), 1);
}

TEST(AnnealingTest, CanTakeLongerAndEndBlurred) {
  const Annealing annealing = {.first = 0.2, .num_iterations = 10, .until = 0.8, .last = 0.6};
  EXPECT_DOUBLE_EQ(AnnealingExponent(annealing, 1), 0.2);
  EXPECT_DOUBLE_EQ(AnnealingExponent(annealing, 5), 0.4);
  EXPECT_DOUBLE_EQ(AnnealingExponent(annealing, 7), 0.5);
  EXPECT_EQ(AnnealingExponent(annealing, 9), 0.6);
  EXPECT_EQ(AnnealingExponent(annealing, 100), 0.6);
}

TEST(AnnealingTest, OfAFirstExponentOfOneIsNone) {
  for (int64_t t = 1; t < 10; ++t) {
    EXPECT_EQ(AnnealingExponent({.first = 1, .num_iterations = 5}, t), 1);
  }
}

TEST(AnnealingTest, TheLastIterationIsSharpFromTwoOn) {
  for (int64_t iterations = 2; iterations < 50; ++iterations) {
    EXPECT_EQ(
        AnnealingExponent({.first = 0.3, .num_iterations = iterations, .until = 0.5}, iterations),
        1);
  }
}

TEST(FlattenedTest, MultipliesLogarithmsAndKeepsTheirShape) {
  ASSERT_OK_AND_ASSIGN(const auto topics, LogTopics::Create(2, 2, {-1, -8, 0, kLogTopicFloor}));
  const LogTopics flat = Flattened(topics, 0.25);
  EXPECT_EQ(flat.num_topics(), 2);
  EXPECT_EQ(flat.vocabulary_size(), 2);
  EXPECT_THAT(flat.values(), ElementsAre(-0.25F, -2, 0, kLogTopicFloor / 4));
}

TEST(AnnealingTest, RefusesByName) {
  EXPECT_OK(CheckAnnealing({.first = 1, .num_iterations = 1}));
  for (const double bad : {0.0, -1.0, 1.1, std::nan("")}) {
    EXPECT_THAT(CheckAnnealing({.first = bad, .num_iterations = 5}),
                StatusIs(kInvalid, HasSubstr("exponent")));
  }
  for (const double bad : {0.0, 1.1, std::nan("")}) {
    EXPECT_THAT(CheckAnnealing({.first = 1, .num_iterations = 5, .until = bad}),
                StatusIs(kInvalid, HasSubstr("share")));
  }
  for (const double bad : {0.4, 1.1, std::nan("")}) {
    EXPECT_THAT(CheckAnnealing({.first = 0.5, .num_iterations = 5, .last = bad}),
                StatusIs(kInvalid, HasSubstr("last")));
  }
  EXPECT_THAT(CheckAnnealing({.first = 1, .num_iterations = 0}),
              StatusIs(kInvalid, HasSubstr("iteration")));
}

}  // namespace annealing_test
}  // namespace topicwall::lda
