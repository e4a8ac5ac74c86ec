#include "model/prevalence/prevalence_difference.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "tests/model/prevalence/simulated_releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::prevalence {
namespace prevalence_difference_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::testing::SizeIs;
using ::topicwall::testing::StatusIs;

// 0 → 1, 1 → 2, …
std::vector<GroupPair> Consecutive(int64_t num_groups) {
  std::vector<GroupPair> pairs;
  for (int64_t g = 1; g < num_groups; ++g) pairs.push_back({.from = g - 1, .to = g});
  return pairs;
}

// Two topics, equal variances of 3: T = 9, Var(s) = 3 − 1 = 2, Cov(s, n) = 1, Var(n) = 2.
// Shares 0.2 of 100 and 0.5 of 200 are 120/300 = 0.4 together.
TEST(PrevalenceDifferencesTest, ByHand) {
  const PrevalenceSums sums{.num_topics = 2,
                            .values = {20, 80, 100, 100, 100, 200},
                            .variances = {3, 3, 3},
                            .cells = {1, 1},
                            .sampling = 0};
  ASSERT_OK_AND_ASSIGN(const auto found, PrevalenceDifferences(sums, Consecutive(2)));
  ASSERT_THAT(found, SizeIs(2));
  const PrevalenceDifference& first = found[0];
  EXPECT_NEAR(first.difference, 0.3, 1e-12);
  const auto variance = [](double r) { return 2 - 2 * r + 2 * r * r; };
  EXPECT_NEAR(first.standard_error, std::sqrt(variance(.2) / 1e4 + variance(.5) / 4e4), 1e-12);
  EXPECT_NEAR(first.z, 0.3 / std::sqrt(variance(.4) * (1e-4 + 0.25e-4)), 1e-9);
  EXPECT_NEAR(first.p_value, std::erfc(first.z / std::sqrt(2.0)), 1e-300);
  EXPECT_NEAR(first.adjusted_p_value / first.p_value, 2, 1e-9) << "both topics are as far apart";
  EXPECT_EQ(first.direction(), Direction::kRises);
  EXPECT_NEAR(found[1].difference, -0.3, 1e-12);
  EXPECT_EQ(found[1].direction(), Direction::kFalls);
}

TEST(PrevalenceDifferencesTest, AGroupThatMayBeEmptyIsNotCompared) {
  const PrevalenceSums sums{.num_topics = 2,
                            .values = {1, 1, 2, 400, 600, 1000, 600, 400, 1000},
                            .variances = {50, 50, 50},
                            .cells = {1, 1, 1},
                            .sampling = 0};
  ASSERT_OK_AND_ASSIGN(const auto found, PrevalenceDifferences(sums, Consecutive(3)));
  EXPECT_EQ(found[0].p_value, 1);
  EXPECT_EQ(found[0].difference, 0);
  EXPECT_TRUE(std::isnan(found[0].standard_error));
  EXPECT_EQ(found[0].direction(), Direction::kUnclear);
  EXPECT_EQ(found[2].direction(), Direction::kRises);
}

TEST(PrevalenceDifferencesTest, WithoutAnyPValueTheDirectionIsUnclear) {
  PrevalenceDifference found = {};
  found.difference = 1;
  found.adjusted_p_value = 1e-9;
  EXPECT_EQ(found.direction(), Direction::kRises);
  found.adjusted_p_value = std::nan("");
  EXPECT_EQ(found.direction(), Direction::kUnclear);
}

TEST(PrevalenceDifferencesTest, TheOnlyTopicNeverChanges) {
  const PrevalenceSums sums{.num_topics = 1,
                            .values = {90, 110, 300, 290},
                            .variances = {4, 9},
                            .cells = {1, 1},
                            .sampling = 0};
  ASSERT_OK_AND_ASSIGN(const auto found, PrevalenceDifferences(sums, Consecutive(2)));
  EXPECT_EQ(found[0].direction(), Direction::kUnclear);
}

TEST(PrevalenceDifferencesTest, RefusesGroupsThatThereAreNot) {
  const PrevalenceSums sums{.num_topics = 1,
                            .values = {10, 10, 20, 20},
                            .variances = {1, 1},
                            .cells = {1, 1},
                            .sampling = 0};
  for (const GroupPair& bad : {GroupPair{0, 2}, GroupPair{-1, 0}, GroupPair{1, 1}}) {
    EXPECT_THAT(PrevalenceDifferences(sums, {bad}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("two groups")));
  }
}

const std::vector<double>& Shares() {
  static const auto* const shares = new std::vector<double>{.02, .1, .2, .28, .4};
  return *shares;
}

PrevalenceNoise Noise() {
  return {.topic_deviation = 20, .count_deviation = 30, .sampling_rate = 1};
}

// Every group with the same shares, in sizes that are far apart.
Truth NothingChanges(int groups, double documents) {
  Truth truth = TurningShares(groups, documents, Shares(), Noise());
  for (std::vector<double>& shares : truth.shares) shares = Shares();
  for (size_t g = 0; g < truth.documents.size(); g += 2) truth.documents[g] *= 5;
  return truth;
}

std::vector<PrevalenceDifference> FoundIn(const std::vector<float>& release, const Truth& truth,
                                          const std::vector<GroupPair>& pairs) {
  return *PrevalenceDifferences(SumsOf(release, truth), pairs);
}

// 50,000 independent pairs; by Bernstein, as in coverage_test.cc, off by 0.0064 with 1e-8.
TEST(PrevalenceDifferencesTest, OfEqualSharesOneInTwentyIsBelowFivePercent) {
  for (const double documents : {400., 20000.}) {
    const Truth truth = NothingChanges(100, documents);
    std::vector<GroupPair> pairs;
    for (int64_t g = 0; g < 100; g += 2) pairs.push_back({.from = g, .to = g + 1});
    Draws draws(1);
    double below = 0;
    for (int i = 0; i < 1000; ++i) {
      for (const PrevalenceDifference& one : FoundIn(Release(truth, draws), truth, pairs)) {
        below += one.p_value < 0.05;
      }
    }
    EXPECT_NEAR(below / (1000 * 50 * 5), 0.05, 0.0064) << documents;
  }
}

// Eleven changes of five topics. 4,000 families: by Bernstein off by 0.0247 with 1e-8.
TEST(PrevalenceDifferencesTest, WhereNothingChangesHardlyAnyFamilyNamesADirection) {
  for (const double documents : {100., 400., 20000.}) {
    const Truth truth = NothingChanges(12, documents);
    Draws draws(2);
    double wrong = 0;
    for (int i = 0; i < 4000; ++i) {
      bool any = false;
      for (const PrevalenceDifference& one :
           FoundIn(Release(truth, draws), truth, Consecutive(12))) {
        any = any || one.direction() != Direction::kUnclear;
      }
      wrong += any;
    }
    EXPECT_LE(wrong / 4000, 0.05 + 0.0247) << documents;
  }
}

// One of 55 tests has a mean z of 6 or more; Holm asks of it at most 3.32, which it misses with 0.4
// %. By Bernstein 1,000 runs miss it more than 4 % of the time with less than 1e-8.
TEST(PrevalenceDifferencesTest, FindsAChangeOfSixStandardErrors) {
  Truth truth = TurningShares(12, 2000, Shares(), Noise());
  for (std::vector<double>& shares : truth.shares) shares = Shares();
  // At least the error of a difference; after the sixth month shares stay: there is one change.
  const double error = std::sqrt(2 * 400.0) / 2000;
  for (size_t g = 6; g < 12; ++g) {
    truth.shares[g][1] += 6 * error;
    truth.shares[g][4] -= 6 * error;
  }
  Draws draws(3);
  double found = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto changes = FoundIn(Release(truth, draws), truth, Consecutive(12));
    found += changes[5 * 5 + 1].direction() == Direction::kRises;
  }
  EXPECT_GE(found / 1000, 0.96);
}

// The four p-values 0.01, 0.04, 0.03, 0.005 of the textbooks, by hand: 4·0.005 = 0.02,
// 3·0.01 = 0.03, 2·0.03 = 0.06, and 0.04, which may not be below the one before: 0.06.
TEST(HolmAdjustedTest, FourTestsByHand) {
  EXPECT_THAT(HolmAdjusted({0.01, 0.04, 0.03, 0.005}),
              Pointwise(DoubleNear(1e-15), {0.03, 0.06, 0.06, 0.02}));
}

TEST(HolmAdjustedTest, OneTestIsLeftAsItIsAndNoneIsAboveOne) {
  EXPECT_THAT(HolmAdjusted({0.04}), ElementsAre(0.04));
  EXPECT_THAT(HolmAdjusted({0.7, 0.9, 0.4}), ElementsAre(1, 1, 1));
  EXPECT_THAT(HolmAdjusted({0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(HolmAdjusted({}), IsEmpty());
}

// Catches an order that depends on where equal ones stand.
TEST(HolmAdjustedTest, EqualOnesAreAdjustedEqually) {
  EXPECT_THAT(HolmAdjusted({0.02, 0.5, 0.02}), Pointwise(DoubleNear(1e-15), {0.06, 0.5, 0.06}));
}

}  // namespace prevalence_difference_test
}  // namespace topicwall::prevalence
