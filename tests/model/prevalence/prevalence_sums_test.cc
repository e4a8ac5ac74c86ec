#include "model/prevalence/prevalence_sums.h"

#include <gmock/gmock.h>

#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::prevalence {
namespace prevalence_sums_test {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const PrevalenceNoise& Noise() {
  static const PrevalenceNoise noise{
      .topic_deviation = 3, .count_deviation = 2, .sampling_rate = 1};
  return noise;
}

// Two topics in three cells.
const std::vector<float>& ThreeCells() {
  static const auto* const release = new std::vector<float>{1, 2, 3, 10, 20, 30, 100, 200, 300};
  return *release;
}

TEST(PrevalenceSumsTest, OneReleaseOfTheWholeCorpusIsTakenAsItIs) {
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOfReleases({ThreeCells()}, 2, 3, Noise()));
  EXPECT_THAT(sums.values, ElementsAre(1, 2, 3, 10, 20, 30, 100, 200, 300));
  EXPECT_THAT(sums.Row(1), ElementsAre(10, 20, 30));
  EXPECT_THAT(sums.variances, ElementsAre(9, 9, 4));
  EXPECT_THAT(sums.cells, ElementsAre(1, 1, 1));
  EXPECT_EQ(sums.sampling, 0);
}

// By hand: (1 + 3)/2 ÷ ¼ = 8; noise 3²/2 ÷ ¼² = 72; drawing (1 − ¼)/¼·5/2 = 7.5.
TEST(PrevalenceSumsTest, ReleasesOfSamplesAreAveragedAndScaledToTheCorpus) {
  const PrevalenceNoise noise{
      .topic_deviation = 3, .count_deviation = 2, .sampling_rate = .25, .documents_per_unit = 5};
  ASSERT_OK_AND_ASSIGN(
      const auto sums,
      SumsOfReleases({std::vector<float>{1, 2}, std::vector<float>{3, 2}}, 1, 1, noise));
  EXPECT_THAT(sums.values, ElementsAre(8, 8));
  EXPECT_THAT(sums.variances, ElementsAre(DoubleEq(72), DoubleEq(32)));
  EXPECT_DOUBLE_EQ(sums.sampling, 7.5);
}

TEST(PrevalenceSumsTest, MergedGroupsAddSumsAndNoise) {
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOfReleases({ThreeCells()}, 2, 3, Noise()));
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeCells(sums, {1, 0, 1}));
  EXPECT_THAT(merged.values, ElementsAre(10, 20, 30, 101, 202, 303));
  EXPECT_THAT(merged.cells, ElementsAre(1, 2));
  EXPECT_THAT(merged.variances, ElementsAre(9, 9, 4)) << "of one cell";
  ASSERT_OK_AND_ASSIGN(const auto all, MergeCells(merged, {0, 0}));
  EXPECT_THAT(all.values, ElementsAre(111, 222, 333));
  EXPECT_THAT(all.cells, ElementsAre(3));
  ASSERT_OK_AND_ASSIGN(const auto without, MergeCells(sums, {kLeftOut, 0, 0}));
  EXPECT_THAT(without.values, ElementsAre(110, 220, 330));
}

TEST(PrevalenceSumsTest, MergedTopicsAddSumsAndNoiseAndLeaveTheCount) {
  ASSERT_OK_AND_ASSIGN(
      const auto sums,
      SumsOfReleases({std::vector<float>{1, 2, 4, 7, 10, 20, 40, 70}}, 3, 2, Noise()));
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeTopics(sums, {1, 0, 1}));
  EXPECT_EQ(merged.num_topics, 2);
  EXPECT_THAT(merged.values, ElementsAre(2, 5, 7, 20, 50, 70));
  EXPECT_THAT(merged.variances, ElementsAre(9, 18, 4));
}

// As above, of one release: (1 − ¼)/¼·5 = 15, of whatever group or topic.
TEST(PrevalenceSumsTest, WhatIsMergedWasDrawnAsItsPartsWere) {
  const PrevalenceNoise noise{
      .topic_deviation = 3, .count_deviation = 2, .sampling_rate = .25, .documents_per_unit = 5};
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOfReleases({ThreeCells()}, 2, 3, noise));
  EXPECT_DOUBLE_EQ(MergeCells(sums, {1, 0, 1})->sampling, 15);
  EXPECT_DOUBLE_EQ(MergeTopics(sums, {0, 0})->sampling, 15);
}

TEST(PrevalenceSumsTest, RefusesToMergeWhatDoesNotFit) {
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOfReleases({ThreeCells()}, 2, 3, Noise()));
  for (const std::vector<int64_t>& bad : std::vector<std::vector<int64_t>>{
           {}, {0, 0}, {0, 0, 0, 0}, {0, 2, 0}, {0, 3, 1}, {0, -2, 0}, {-1, -1, -1}}) {
    EXPECT_THAT(MergeCells(sums, bad), StatusIs(kInvalid, HasSubstr("group")));
  }
  for (const std::vector<int>& bad :
       std::vector<std::vector<int>>{{}, {0}, {1, 1}, {0, 2}, {0, -1}}) {
    EXPECT_THAT(MergeTopics(sums, bad), StatusIs(kInvalid, HasSubstr("topic")));
  }
}

TEST(PrevalenceSumsTest, RefusesReleasesOfAnotherShape) {
  EXPECT_THAT(SumsOfReleases({}, 2, 3, Noise()), StatusIs(kInvalid));
  for (const auto& [topics, cells] : std::vector<std::pair<int, int64_t>>{
           {2, 2}, {8, 3}, {0, 9}, {-1, 3}, {2, 0}, {2, -3}, {2, int64_t{1} << 62}}) {
    EXPECT_THAT(SumsOfReleases({ThreeCells()}, topics, cells, Noise()), StatusIs(kInvalid));
  }
  EXPECT_THAT(SumsOfReleases({ThreeCells(), std::vector<float>(6)}, 2, 3, Noise()),
              StatusIs(kInvalid));
  EXPECT_THAT(SumsOfReleases({std::vector<float>{1, kNan}}, 1, 1, Noise()), StatusIs(kInvalid));
}

TEST(PrevalenceSumsTest, RefusesNoiseThatNoPlanHas) {
  for (const double bad : {0.0, -1.0, double{kNan}, std::numeric_limits<double>::infinity()}) {
    PrevalenceNoise noise = Noise();
    noise.topic_deviation = bad;
    EXPECT_THAT(CheckNoise(noise), StatusIs(kInvalid, HasSubstr("topic_deviation")));
    noise = Noise();
    noise.count_deviation = bad;
    EXPECT_THAT(CheckNoise(noise), StatusIs(kInvalid, HasSubstr("count_deviation")));
    noise = Noise();
    noise.sampling_rate = bad;
    EXPECT_THAT(CheckNoise(noise), StatusIs(kInvalid, HasSubstr("sampling_rate")));
  }
  PrevalenceNoise noise = Noise();
  noise.documents_per_unit = 0;
  EXPECT_THAT(SumsOfReleases({ThreeCells()}, 2, 3, noise),
              StatusIs(kInvalid, HasSubstr("documents_per_unit")));
}

}  // namespace prevalence_sums_test
}  // namespace topicwall::prevalence
