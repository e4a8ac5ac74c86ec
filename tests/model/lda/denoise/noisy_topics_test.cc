#include "model/lda/denoise/noisy_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace noisy_topics_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

absl::Status Check(int num_topics, int vocabulary_size, const std::vector<float>& values,
                   const std::vector<float>& deviations,
                   const std::vector<float>& mass_deviations = {}) {
  return CheckNoisyTopics({.num_topics = num_topics,
                           .vocabulary_size = vocabulary_size,
                           .values = values,
                           .noise_deviations = deviations,
                           .mass_deviations = mass_deviations});
}

TEST(NoisyTopicsTest, TakesSignedValuesAndNoNoise) {
  EXPECT_OK(Check(2, 2, {1, -2, 3, -4}, {0, 5}));
}

TEST(NoisyTopicsTest, RefusesASizeOrAnEntryByItsPlace) {
  EXPECT_THAT(Check(0, 2, {}, {1, 1}), StatusIs(kInvalid));
  EXPECT_THAT(Check(2, 2, {1, 2, 3}, {1, 1}), StatusIs(kInvalid, HasSubstr("got 3 and 2")));
  EXPECT_THAT(Check(2, 2, {1, 2, 3, 4}, {1}), StatusIs(kInvalid, HasSubstr("got 4 and 1")));
  EXPECT_THAT(Check(2, 2, {1, 2, 3, INFINITY}, {1, 1}),
              StatusIs(kInvalid, HasSubstr("topic 1, term 1")));
  for (const float bad : {-1.0F, NAN, INFINITY}) {
    EXPECT_THAT(Check(2, 2, {1, 2, 3, 4}, {1, bad}), StatusIs(kInvalid, HasSubstr("term 1")));
  }
}

TEST(NoisyTopicsTest, AMassHasTheNoiseOfItsEntriesAndThatAlongItsTopic) {
  const std::vector<float> values = {1, -2, 3, -4}, deviations = {3, 4}, along = {0, 2};
  NoisyTopics noisy = {
      .num_topics = 2, .vocabulary_size = 2, .values = values, .noise_deviations = deviations};
  EXPECT_THAT(MassVariances(noisy), ElementsAre(25, 25));
  noisy.mass_deviations = along;
  EXPECT_THAT(MassVariances(noisy), ElementsAre(25, 29));
}

TEST(NoisyTopicsTest, DeviationsOfMassesAreOfEachTopicOrNone) {
  EXPECT_OK(Check(2, 2, {1, -2, 3, -4}, {0, 5}, {0, 7}));
  EXPECT_THAT(Check(2, 2, {1, 2, 3, 4}, {1, 1}, {1}), StatusIs(kInvalid, HasSubstr("got 1")));
  for (const float bad : {-1.0F, NAN, INFINITY}) {
    EXPECT_THAT(Check(2, 2, {1, 2, 3, 4}, {1, 1}, {1, bad}),
                StatusIs(kInvalid, HasSubstr("topic 1")));
  }
}

TEST(TermProbabilitiesTest, AreADistributionWithoutZeros) {
  EXPECT_OK(CheckTermProbabilities({.25, .75}, 2));
  EXPECT_OK(CheckTermProbabilities({1}, 1));
  EXPECT_THAT(CheckTermProbabilities({1}, 2), StatusIs(kInvalid, HasSubstr("got 1")));
  EXPECT_THAT(CheckTermProbabilities({}, 0), StatusIs(kInvalid));
  EXPECT_THAT(CheckTermProbabilities({.5, .6}, 2), StatusIs(kInvalid, HasSubstr("got 1.1")));
  for (const double bad : {0.0, -.1, 1.5, std::nan("")}) {
    EXPECT_THAT(CheckTermProbabilities({1 - bad, bad}, 2), StatusIs(kInvalid));
  }
}

}  // namespace noisy_topics_test
}  // namespace topicwall::lda
