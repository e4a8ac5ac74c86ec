#include "client/enforced_price.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::topicwall::testing::StatusIs;

accountant::FilterSpec Spec() {
  return *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6});
}
accountant::BudgetFilter Filter() { return *accountant::BudgetFilter::Create(Spec()); }

v1::PlanSpec Plan(double noise_multiplier, double sampling_rate, int iterations) {
  v1::PlanSpec plan;
  plan.set_noise_multiplier(noise_multiplier);
  plan.set_sampling_rate(sampling_rate);
  plan.set_iterations(iterations);
  return plan;
}

TEST(PriceAloneTest, AgreesWithTheClosedFormOfTheFullBatchGaussian) {
  // rdp(a) = a/2σ², ε = min_a J·rdp(a) + ln((a−1)/a) − (ln(w_a δ) + ln a)/(a−1), in long double,
  // without the fixed point: the price is at most 1e-8 above it and never below.
  for (const double sigma : {1.0, 3.7, 6.3, 40.0}) {
    long double least = std::numeric_limits<long double>::infinity();
    const accountant::FilterSpec spec = Spec();
    for (size_t i = 0; i < spec.orders.size(); ++i) {
      const long double a = spec.orders[i];
      const long double log_failure = std::log(spec.weights[i]) + std::log(1e-6L);
      least = std::min(least, 10 * a / (2 * sigma * sigma) + std::log((a - 1) / a) -
                                  (log_failure + std::log(a)) / (a - 1));
    }
    const auto price = PriceAlone(Filter(), Plan(sigma, 1, 10));
    ASSERT_OK(price);
    EXPECT_GE(*price, static_cast<double>(least)) << sigma;
    EXPECT_NEAR(*price, static_cast<double>(least), 1e-8) << sigma;
  }
}

TEST(PriceAloneTest, AHistogramFromTheSameCoinsCostsMoreThanNone) {
  v1::PlanSpec plan = Plan(6, 1, 10);
  const double without = *PriceAlone(Filter(), plan);
  plan.set_histogram_noise_multiplier(20);
  const double with = *PriceAlone(Filter(), plan);
  EXPECT_GT(with, without);
  // One Gaussian of σ_eff = (6^−2 + 20^−2)^−1/2.
  EXPECT_NEAR(with, *PriceAlone(Filter(), Plan(1 / std::sqrt(1 / 36.0 + 1 / 400.0), 1, 10)), 1e-9);
}

TEST(ChooseNoiseMultiplierTest, IsTheSmallestWithSixDigitsThatKeepsThePrice) {
  for (const double epsilon : {0.3, 1.0, 2.44, 8.0}) {
    for (const double sampling_rate : {0.05, 1.0}) {
      const auto sigma = ChooseNoiseMultiplier(Filter(), {.epsilon = epsilon,
                                                          .sampling_rate = sampling_rate,
                                                          .iterations = 10,
                                                          .min_noise_multiplier = 0.01});
      ASSERT_OK(sigma);
      EXPECT_LE(*PriceAlone(Filter(), Plan(*sigma, sampling_rate, 10)), epsilon);
      // Two units of the sixth digit less and it would cost too much.
      const double step = std::pow(10, std::floor(std::log10(*sigma)) - 5);
      EXPECT_GT(*PriceAlone(Filter(), Plan(*sigma - 2 * step, sampling_rate, 10)), epsilon);
    }
  }
}

TEST(ChooseNoiseMultiplierTest, NeverGoesBelowTheWallsLimit) {
  EXPECT_EQ(
      *ChooseNoiseMultiplier(
          Filter(),
          {.epsilon = 2.44, .sampling_rate = 1, .iterations = 1, .min_noise_multiplier = 100}),
      100);
}

TEST(ChooseNoiseMultiplierTest, RefusesWhatNoNoiseCanReach) {
  for (const double epsilon : {0.0, -1.0, std::nan(""), 1e-9}) {
    EXPECT_FALSE(
        ChooseNoiseMultiplier(
            Filter(),
            {.epsilon = epsilon, .sampling_rate = 1, .iterations = 10, .min_noise_multiplier = 0.5})
            .ok())
        << epsilon;
  }
}

TEST(SpentAfterTest, NeverWrapsAndDeadStaysDead) {
  using accountant::kDeadOrder;
  const uint64_t top = uint64_t{1} << 62;
  EXPECT_EQ(SpentAfter({5, top - 1, kDeadOrder, 0, 7}, {2, 1, 1, kDeadOrder, 3}, 1),
            (accountant::CostVector{7, top, kDeadOrder, kDeadOrder, 10}));
  EXPECT_EQ(SpentAfter({0}, {top}, std::numeric_limits<int64_t>::max()),
            (accountant::CostVector{kDeadOrder}));
  EXPECT_EQ(SpentAfter({5}, {kDeadOrder}, 0), (accountant::CostVector{5}));
}

TEST(SpentAfterTest, AgreesWithTheFilterWhereTheFilterAdmits) {
  const accountant::BudgetFilter filter = Filter();
  const auto cost = filter.CostPerRelease(*ReleaseOf(0.5, 12, {}));
  ASSERT_OK(cost);
  const auto admitted = filter.Admit(filter.NothingSpent(), *cost, 3);
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(SpentAfter(filter.NothingSpent(), *cost, 3), admitted->spent_after);
}

TEST(RoundUpToSixDigitsTest, IsReadableAndNeverBelow) {
  EXPECT_EQ(RoundUpToSixDigits(6.3123456), 6.31235);
  EXPECT_EQ(RoundUpToSixDigits(0.0123456001), 0.0123457);
  EXPECT_EQ(RoundUpToSixDigits(123456.1), 123457);
  EXPECT_EQ(RoundUpToSixDigits(2), 2);
  for (double x = 1e-3; x < 1e6; x *= 1.37) {
    EXPECT_GE(RoundUpToSixDigits(x), x);
    EXPECT_LE(RoundUpToSixDigits(x), x * (1 + 1.0001e-5));
  }
}

TEST(FilterOfTest, ARecordThatIsNoFilterIsRefused) {
  v1::FilterRecord record;
  EXPECT_THAT(FilterOf(record), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::client
