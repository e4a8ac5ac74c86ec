#include "accountant/attack_bounds.h"

#include <cmath>
#include <limits>

#include "accountant/budget_filter.h"
#include "accountant/gaussian_mechanism.h"
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
      const double bound = *TruePositiveRateUpperBound(profile, 10, rate);
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
    const double bound = *TruePositiveRateUpperBound(profile, 2.44, rate);
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

TEST(AttackBoundsTest, PerfectPrivacyLeavesABlindGuess) {
  const AttackBounds bounds = *BoundAttacks([](double) { return 0.0; }, 1);
  EXPECT_EQ(bounds.guess_at_even_odds, 0.5);
  EXPECT_DOUBLE_EQ(bounds.true_positives_at_fpr_1_percent, 0.01);
}

TEST(AttackBoundsTest, ReplacingAUnitIsAnExclusionAndAnInclusion) {
  const PrivacyParams replaced = *ReplaceOne({.epsilon = 1, .delta = 1e-6});
  EXPECT_DOUBLE_EQ(replaced.epsilon, 2);
  EXPECT_DOUBLE_EQ(replaced.delta, (1 + std::exp(1.0)) * 1e-6);
  EXPECT_EQ(ReplaceOne({.epsilon = 900, .delta = 1e-6})->delta, 1);
}

TEST(AttackBoundsTest, BadQuestionsAreRefusedByName) {
  const auto profile = [](double) { return 0.5; };
  EXPECT_THAT(BoundAttacks(profile, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  EXPECT_THAT(TruePositiveRateUpperBound(profile, 1, 1.5),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("false_positive_rate")));
  EXPECT_THAT(ReplaceOne({.epsilon = 1, .delta = 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("delta")));
}

}  // namespace
}  // namespace topicwall::accountant
