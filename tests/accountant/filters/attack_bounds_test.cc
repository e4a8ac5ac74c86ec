#include "accountant/filters/attack_bounds.h"

#include <cmath>
#include <limits>
#include <vector>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/filters/budget_filter.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// What the best test against one Gaussian release achieves exactly: Φ(Φ⁻¹(FPR) + μ).
double GaussianTruePositives(double mu, double false_positive_rate) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (std::exp(LogNormalCdf(middle)) < false_positive_rate ? low : high) = middle;
  }
  return std::exp(LogNormalCdf(low + mu));
}

double TruePositives(PrivacyProfile profile, double largest_epsilon, double false_positive_rate) {
  return TradeOffCurve(profile, largest_epsilon, {false_positive_rate})->front().true_positive_rate;
}

TEST(AttackBoundsTest, APureBudgetIsRandomisedResponse) {
  // δ(ε') of the worst pure-ε pair is (e^ε − e^ε')/(1 + e^ε) below ε and 0 from there on.
  constexpr double kEpsilon = 2;
  const auto profile = [](double epsilon) {
    return std::max(0.0, (std::exp(kEpsilon) - std::exp(epsilon)) / (1 + std::exp(kEpsilon)));
  };
  const AttackBounds bounds = *BoundAttacks(profile, kEpsilon);
  EXPECT_NEAR(bounds.guess_at_even_odds, std::exp(2.0) / (1 + std::exp(2.0)), 1e-12);
  EXPECT_NEAR(bounds.true_positives_at_fpr_1_percent, 0.01 * std::exp(2.0), 1e-12);
  EXPECT_NEAR(bounds.true_positives_at_fpr_0_1_percent, 0.001 * std::exp(2.0), 1e-12);
  EXPECT_NEAR(bounds.true_positives_at_fpr_10_percent, 0.1 * std::exp(2.0), 1e-12);
}

TEST(AttackBoundsTest, TheGaussiansCurveGivesItsOwnBestTestFromAbove) {
  for (const double sigma : {0.7, 1.0, 3.0}) {
    const auto profile = [sigma](double epsilon) {
      return GaussianDeltaUpperBound(epsilon, sigma);
    };
    for (const double rate : {0.001, 0.01, 0.1, 0.5}) {
      const double exact = GaussianTruePositives(1 / sigma, rate);
      const double bound = TruePositives(profile, 10, rate);
      EXPECT_GE(bound, exact - 1e-9) << sigma << " " << rate;
      EXPECT_LE(bound, exact * 1.01 + 1e-3) << sigma << " " << rate;
    }
    const double guess = BoundAttacks(profile, 10)->guess_at_even_odds;
    EXPECT_NEAR(guess, std::exp(LogNormalCdf(0.5 / sigma)), 1e-9) << sigma;
  }
}

TEST(AttackBoundsTest, MoreFalseAlarmsNeverLowerTheBound) {
  const BudgetFilter filter =
      *BudgetFilter::Create(*BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}));
  const auto profile = [&](double epsilon) { return filter.DeltaOfProfile(epsilon); };
  double previous = 0;
  for (double rate = 0; rate <= 1; rate += 0.01) {
    const double bound = TruePositives(profile, 2.44, rate);
    EXPECT_GE(bound, previous);
    EXPECT_GE(bound, rate - 1e-12);
    EXPECT_LE(bound, 1);
    previous = bound;
  }
  const AttackBounds bounds = *BoundAttacks(profile, 2.44);
  EXPECT_LE(bounds.guess_at_even_odds, std::exp(2.44) / (1 + std::exp(2.44)) + 1e-5);
  EXPECT_GT(bounds.guess_at_even_odds, 0.5);
}

TEST(AttackBoundsTest, NoGuaranteeBoundsNothing) {
  for (const double delta : {1.0, 7.0, std::numeric_limits<double>::quiet_NaN()}) {
    const AttackBounds bounds = *BoundAttacks([delta](double) { return delta; }, 1);
    EXPECT_EQ(bounds.guess_at_even_odds, 1);
    EXPECT_EQ(bounds.true_positives_at_fpr_0_1_percent, 1);
  }
}

// Nothing is promised below 1.5, though the budget's own ε is 1.
TEST(AttackBoundsTest, WhatIsPromisedAboveTheLargestEpsilonBoundsAttacksToo) {
  const auto profile = [](double epsilon) { return epsilon < 1.5 ? 1.0 : 0.0; };
  EXPECT_DOUBLE_EQ(BoundAttacks(profile, 1)->guess_at_even_odds,
                   std::exp(1.5) / (1 + std::exp(1.5)));
}

TEST(AttackBoundsTest, PerfectPrivacyLeavesABlindGuess) {
  const AttackBounds bounds = *BoundAttacks([](double) { return 0.0; }, 1);
  EXPECT_EQ(bounds.guess_at_even_odds, 0.5);
  EXPECT_DOUBLE_EQ(bounds.true_positives_at_fpr_1_percent, 0.01);
}

TEST(AttackBoundsTest, TheTradeOffCurveIsInTheOrderOfItsRates) {
  const auto profile = [](double epsilon) { return GaussianDeltaUpperBound(epsilon, 1.3); };
  const std::vector<double> rates = {1, 0.05, 0, 0.5, 1e-3};
  const std::vector<TradeOffPoint> curve = *TradeOffCurve(profile, 5, rates);
  ASSERT_EQ(curve.size(), rates.size());
  for (size_t i = 0; i < rates.size(); ++i) {
    EXPECT_EQ(curve[i].false_positive_rate, rates[i]);
    EXPECT_EQ(curve[i].true_positive_rate, TruePositives(profile, 5, rates[i]));
  }
  EXPECT_EQ(curve.front().true_positive_rate, 1);
}

TEST(GroupTest, ReplacingAUnitIsAnExclusionAndAnInclusion) {
  const PrivacyParams replaced = *GroupOf({.epsilon = 1, .delta = 1e-6}, 2);
  EXPECT_DOUBLE_EQ(replaced.epsilon, 2);
  EXPECT_GE(replaced.delta, (1 + std::exp(1.0)) * 1e-6);
  EXPECT_NEAR(replaced.delta, (1 + std::exp(1.0)) * 1e-6, 1e-17);
  EXPECT_EQ(GroupOf({.epsilon = 900, .delta = 1e-6}, 2)->delta, 1);
}

TEST(GroupTest, StepsOfAGroupAddUpTheirDeltas) {
  const PrivacyParams one = {.epsilon = 0.3, .delta = 1e-7};
  EXPECT_EQ(GroupOf(one, 1)->epsilon, one.epsilon);
  EXPECT_EQ(GroupOf(one, 1)->delta, one.delta);
  double delta = 0;
  for (int units = 1; units <= 20; ++units) {
    delta += std::exp((units - 1) * one.epsilon) * one.delta;
    const PrivacyParams group = *GroupOf(one, units);
    EXPECT_GE(group.epsilon, units * one.epsilon);
    EXPECT_NEAR(group.epsilon, units * one.epsilon, 1e-14);
    EXPECT_GE(group.delta, delta * (1 - 1e-15)) << units;
    EXPECT_NEAR(group.delta, delta, 1e-11 * delta) << units;
  }
}

// A full-batch Gaussian without sampling has an exact group curve: g units shift it by g, so it is
// the curve at σ/g. No bound from single steps may fall below it.
TEST(GroupTest, TheCurvesGroupBoundIsAboveTheExactOneAndBelowTheOnePoints) {
  for (const double sigma : {2.0, 5.0, 20.0}) {
    const auto profile = [sigma](double epsilon) {
      return GaussianDeltaUpperBound(epsilon, sigma);
    };
    for (const int units : {1, 2, 5}) {
      const double exact = GaussianEpsilonUpperBound(1e-6, sigma / units);
      const double bound =
          *GroupEpsilonUpperBound(profile, {.units = units, .delta = 1e-6, .largest_epsilon = 20});
      EXPECT_GE(bound, exact * (1 - 1e-9)) << sigma << " " << units;
      // Equal steps, each at the δ that makes the group's δ 1e-6 at the ε found by bisection.
      double low = 0;
      double high = 20;
      for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        const double delta = std::max(profile(middle), 1e-300);
        const bool fits = GroupOf({.epsilon = middle, .delta = delta}, units)->delta <= 1e-6;
        (fits ? high : low) = middle;
      }
      EXPECT_LE(bound, units * high * (1 + 1e-6)) << sigma << " " << units;
      if (units == 1) {
        EXPECT_NEAR(bound, exact, 1e-6 * exact) << sigma;
      } else {
        EXPECT_LT(bound, units * high) << "no split better than equal steps, sigma " << sigma;
      }
    }
  }
}

TEST(GroupTest, AProfileThatNeverGetsThereBoundsNothing) {
  const auto profile = [](double) { return 1e-3; };
  EXPECT_EQ(*GroupEpsilonUpperBound(profile, {.units = 2, .delta = 1e-6, .largest_epsilon = 9}),
            std::numeric_limits<double>::infinity());
  const auto nothing = [](double) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_EQ(*GroupEpsilonUpperBound(nothing, {.units = 2, .delta = 1e-6, .largest_epsilon = 9}),
            std::numeric_limits<double>::infinity());
}

TEST(AttackBoundsTest, BadQuestionsAreRefusedByName) {
  const auto profile = [](double) { return 0.5; };
  EXPECT_THAT(BoundAttacks(profile, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  EXPECT_THAT(TradeOffCurve(profile, 1, {1.5}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("false_positive_rate")));
  EXPECT_THAT(TradeOffCurve(profile, 1, {0.5, -0.1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("false_positive_rate")));
  for (const int units : {0, -3, 1001}) {
    EXPECT_THAT(GroupOf({.epsilon = 1, .delta = 1e-6}, units),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("units must be in [1, 1")));
    EXPECT_THAT(
        GroupEpsilonUpperBound(profile, {.units = units, .delta = 1e-6, .largest_epsilon = 1}),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("units must be in [1, 1")));
  }
  EXPECT_THAT(GroupEpsilonUpperBound(profile, {.units = 2, .delta = 1, .largest_epsilon = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("delta")));
  EXPECT_THAT(GroupOf({.epsilon = 1, .delta = 0}, 2),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("delta")));
}

// A pure ε: groups of n cost n ε, exactly. ε lies on the scan of the search, so that the step found
// is ε to the bit, and the sum of steps is all that is rounded.
TEST(GroupTest, TheSumOfAChainsStepsIsRoundedUp) {
  for (const int units : {3, 10, 97, 1000}) {
    for (int i = 1; i < 64; ++i) {
      const double epsilon = 0.6 * i / 64;
      const auto profile = [epsilon](double at) { return at >= epsilon ? 0.0 : 1.0; };
      const double bound =
          *GroupEpsilonUpperBound(profile, {.units = units, .delta = 1e-6, .largest_epsilon = 0.6});
      EXPECT_GE(bound, units * static_cast<long double>(epsilon)) << units << " " << i;
      EXPECT_LE(bound, units * epsilon * (1 + 1e-8)) << units << " " << i;
    }
  }
}

// δ of every step from ε on: no chain costs less than equal steps of ε, so a target by a rounding
// less than those cost is met by none.
TEST(GroupTest, ATargetBelowTheLeastChainIsNotMetByRounding) {
  for (const int units : {2, 5, 50}) {
    for (int i = 1; i < 64; ++i) {
      const double epsilon = 1.7 * i / 64 / units;
      const double delta = 1e-9 / i;
      const auto profile = [&](double at) { return at >= epsilon ? delta : 1.0; };
      long double chain = 0;
      for (int step = 0; step < units; ++step) {
        chain += std::exp(step * static_cast<long double>(epsilon)) * delta;
      }
      auto target = static_cast<double>(chain);
      if (target >= chain) target = std::nextafter(target, 0);
      EXPECT_EQ(*GroupEpsilonUpperBound(
                    profile, {.units = units, .delta = target, .largest_epsilon = 1.7 / units}),
                std::numeric_limits<double>::infinity())
          << units << " " << i;
    }
  }
}

TEST(GroupTest, AGroupsEpsilonAndDeltaAreRoundedUp) {
  for (int i = 1; i < 200; ++i) {
    const PrivacyParams one = {.epsilon = 0.013 * i, .delta = 1e-9 / i};
    for (const int units : {2, 3, 7, 31}) {
      const long double epsilon = one.epsilon;
      const PrivacyParams group = *GroupOf(one, units);
      EXPECT_GE(group.epsilon, units * epsilon);
      const long double delta = one.delta * (std::expm1(units * epsilon) / std::expm1(epsilon));
      EXPECT_GE(group.delta, std::min(delta, 1.0L)) << one.epsilon << " " << units;
    }
  }
}

// (ε, δ) alone: e^ε/(1 + e^ε) but for the δ at which all is told.
TEST(AttackBoundsTest, TheWorstPairOfABudgetIsGuessedAsOftenAsItMayBe) {
  for (int i = 1; i < 100; ++i) {
    const PrivacyParams params = {.epsilon = 0.07 * i, .delta = 1e-3 / i};
    const long double odds = std::exp(-static_cast<long double>(params.epsilon));
    const long double exact = (1 + params.delta * odds) / (1 + odds);
    EXPECT_NEAR(BoundAttacks(params)->guess_at_even_odds, static_cast<double>(exact), 1e-15);
  }
}

// A profile that is no number on part of its way promises what it says elsewhere, and no more.
TEST(AttackBoundsTest, WhereAProfileIsNoNumberItPromisesNothing) {
  const auto from_one = [](double epsilon) { return epsilon < 1 ? std::nan("") : 0.0; };
  EXPECT_GE(BoundAttacks(from_one, 1)->guess_at_even_odds, 1 / (1 + std::exp(-1.0)));
  EXPECT_GE(TruePositives(from_one, 1, 0.01), 0.01 * std::exp(1.0) * (1 - 1e-15));
  const auto until_one = [](double epsilon) { return epsilon > 1 ? std::nan("") : 0.5; };
  EXPECT_GE(BoundAttacks(until_one, 1)->guess_at_even_odds, 0.75);
  for (const int units : {1, 2, 9}) {
    const GroupQuestion question = {.units = units, .delta = 1e-6, .largest_epsilon = 4};
    EXPECT_GE(*GroupEpsilonUpperBound(from_one, question), units);
    EXPECT_EQ(*GroupEpsilonUpperBound(until_one, question),
              std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace topicwall::accountant
