#include "client/audit/enforced_price.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/filters/attack_bounds.h"
#include "tests/client/chain_wall.h"
#include "tests/client/stated_policy.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace enforced_price_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

accountant::FilterSpec Spec(accountant::PlannedUse use = accountant::PlannedUse::kFullBatch) {
  return *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}, use);
}
accountant::AdmissionPolicy Filter() { return *accountant::AdmissionPolicy::Create(Spec()); }
// (10, 1) × 5, (20, 1) × 20 and (2, 0.05) × 10.
accountant::AdmissionPolicy Vouchers() {
  return *accountant::AdmissionPolicy::Create(*accountant::MakeInventorySpec(
      {.epsilon = 2.44, .delta = 1e-6}, {{10, 1, 5}, {20, 1, 20}, {2, 0.05, 10}}));
}

v1::ReleaseSpec Plan(double noise_multiplier, double sampling_rate, int iterations) {
  v1::ReleaseSpec plan;
  plan.mutable_gaussian()->set_noise_multiplier(noise_multiplier);
  plan.set_sampling_rate(sampling_rate);
  plan.set_iterations(iterations);
  return plan;
}

TEST(PriceAloneTest, AgreesWithTheClosedFormOfTheFullBatchGaussian) {
  // By orders rdp(a) = a/2σ², ε = min_a J·rdp(a) + ln((a−1)/a) − (ln(w_a δ) + ln a)/(a−1), in long
  // double without the fixed point; by the Gaussian witness the curve of σ/√10 at w_G δ. The price
  // is at most 1e-8 above the least and never below.
  for (const accountant::PlannedUse use :
       {accountant::PlannedUse::kFullBatch, accountant::PlannedUse::kSampled}) {
    const accountant::FilterSpec spec = Spec(use);
    const auto policy = *accountant::AdmissionPolicy::Create(spec);
    for (const double sigma : {1.0, 3.7, 6.3, 40.0}) {
      long double least = std::numeric_limits<long double>::infinity();
      for (size_t i = 0; i < spec.orders.size(); ++i) {
        const long double a = spec.orders[i];
        const long double log_failure = std::log(spec.weights[i]) + std::log(1e-6L);
        least = std::min(least, 10 * a / (2 * sigma * sigma) + std::log((a - 1) / a) -
                                    (log_failure + std::log(a)) / (a - 1));
      }
      if (use == accountant::PlannedUse::kFullBatch) {
        const double gaussian = accountant::GaussianEpsilonLowerBound(spec.gaussian_weight * 1e-6,
                                                                      sigma / std::sqrt(10.0));
        EXPECT_LT(gaussian, least);
        least = gaussian;
      }
      ASSERT_OK_AND_ASSIGN(const auto price, PriceAlone(policy, Plan(sigma, 1, 10)));
      EXPECT_GE(price, static_cast<double>(least)) << sigma;
      EXPECT_NEAR(price, static_cast<double>(least), 2e-8 * (1 + sigma)) << sigma;
    }
  }
}

TEST(PriceAloneTest, TheOtherPlannedUseIsNamedWhereItWouldHaveCostLess) {
  using accountant::PlannedUse;
  const auto otherwise = [](PlannedUse use, double noise_multiplier, double sampling_rate) {
    const auto policy = *accountant::AdmissionPolicy::Create(Spec(use));
    return *LowerPriceIfPlannedOtherwise(policy, Plan(noise_multiplier, sampling_rate, 20));
  };
  EXPECT_EQ(otherwise(PlannedUse::kFullBatch, 10, 1), std::nullopt);
  EXPECT_EQ(otherwise(PlannedUse::kSampled, 1.3, 0.05), std::nullopt);
  const auto full = otherwise(PlannedUse::kSampled, 10, 1);
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(*full, *PriceAlone(Filter(), Plan(10, 1, 20)));
  const auto sampled = otherwise(PlannedUse::kFullBatch, 1.3, 0.05);
  ASSERT_TRUE(sampled.has_value());
  EXPECT_LT(*sampled, *PriceAlone(Filter(), Plan(1.3, 0.05, 20)));
  EXPECT_EQ(*LowerPriceIfPlannedOtherwise(Vouchers(), Plan(20, 1, 5)), std::nullopt);
}

TEST(PriceAloneTest, OfABudgetThatPlannedOtherwiseWouldHoldNothingNoLowerPriceIsNamed) {
  const auto policy = *accountant::AdmissionPolicy::Create(*accountant::BudgetFilter::DefaultSpec(
      {.epsilon = 1e-3, .delta = 1e-6}, accountant::PlannedUse::kFullBatch));
  EXPECT_EQ(*LowerPriceIfPlannedOtherwise(policy, Plan(1e5, 1, 1)), std::nullopt);
}

// Prices by `price` of what is asked, and says nothing else that is true.
class PricingWall : public ChainWall {
 public:
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    asked.push_back(plan.gaussian().noise_multiplier());
    v1::PlanPrice answer;
    answer.set_epsilon_alone(factor * *PriceAlone(chain.policy(), plan));
    answer.set_epsilon_total(0.01);
    answer.set_delta(1e-12);
    answer.mutable_attack_bounds()->set_best_posterior_at_even_odds(0.5001);
    answer.set_replace_one_epsilon(1e-3);
    answer.mutable_sum()->add_budgets()->set_epsilon(1e-3);
    answer.set_sum_replace_one_epsilon(1e-3);
    answer.set_fits(true);
    return answer;
  }
  absl::StatusOr<v1::PlanPrice> Price(const std::optional<double>& most,
                                      const v1::BudgetSum& sum = {}) {
    asked.clear();
    return PriceAtMost(*this, {.policy = chain.policy(), .sum = sum}, 20, most,
                       [](double noise_multiplier) { return Plan(noise_multiplier, 1, 5); });
  }

  double factor = 1;
  std::vector<double> asked;
};

TEST(PriceAtMostTest, APriceOfJustWhatWasAskedIsTakenAndADearerOneNeverIs) {
  PricingWall wall;
  const double alone = *PriceAlone(wall.chain.policy(), Plan(20, 1, 5));
  EXPECT_OK(wall.Price(alone));
  EXPECT_THAT(wall.asked, ElementsAre(20));
  wall.factor = 1 + 9e-7;
  EXPECT_OK(wall.Price(alone));
  EXPECT_THAT(wall.asked, ElementsAre(20, 20.0002));
  wall.factor = 1.5;
  EXPECT_THAT(wall.Price(alone), StatusIs(absl::StatusCode::kInternal));
}

TEST(PriceAtMostTest, AWallThatPricesLowerThanItsPolicyIsNotBelieved) {
  PricingWall wall;
  for (const double factor : {0.0, 0.5, 1 - 1e-5, 2.0, std::nan("")}) {
    wall.factor = factor;
    EXPECT_THAT(wall.Price(std::nullopt),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("by the policy that its ledger")))
        << factor;
  }
}

TEST(PriceAtMostTest, WhatABudgetPromisesIsThisSidesOwn) {
  PricingWall wall;
  const accountant::AdmissionPolicy& policy = wall.chain.policy();
  const auto alone = wall.Price(std::nullopt);
  ASSERT_OK(alone);
  EXPECT_EQ(alone->epsilon_total(), 2.44);
  EXPECT_EQ(alone->delta(), 1e-6);
  EXPECT_EQ(alone->attack_bounds().best_posterior_at_even_odds(),
            accountant::BoundAttacks(policy)->guess_at_even_odds);
  EXPECT_GT(alone->replace_one_epsilon(), 4.8);
  EXPECT_EQ(alone->groups_size(), 3);
  EXPECT_FALSE(alone->has_sum());
  EXPECT_EQ(alone->sum_replace_one_epsilon(), 0);
  EXPECT_TRUE(alone->fits()) << "that is the wall's to say";
  const v1::BudgetSum sum = wall.chain.SumWith(5, 1e-6);
  const auto together = wall.Price(std::nullopt, sum);
  ASSERT_OK(together);
  EXPECT_EQ(together->sum().SerializeAsString(), sum.SerializeAsString());
  EXPECT_EQ(together->sum_attack_bounds().best_posterior_at_even_odds(),
            accountant::BoundAttacks({.epsilon = 7.44, .delta = 2e-6})->guess_at_even_odds);
  EXPECT_GT(together->sum_replace_one_epsilon(), 14.8);
}

// A reservation's receipt as of (ε, δ) and of `cost`.
v1::PlanState ReservedFor(const accountant::PrivacyParams& budget,
                          const accountant::CostVector& cost) {
  v1::Receipt receipt;
  receipt.set_epsilon(budget.epsilon);
  receipt.set_delta(budget.delta);
  receipt.mutable_plan()->mutable_cost()->Assign(cost.begin(), cost.end());
  v1::PlanState state;
  state.set_plan_id("plan-7");
  state.mutable_reservation_receipt()->set_receipt(receipt.SerializeAsString());
  return state;
}

v1::FitPlan Quoted(const ChainBuilder& chain, const v1::ReleaseSpec& spec) {
  v1::FitPlan plan;
  *plan.mutable_plan() = spec;
  NoteQuoted(chain.Budget(), plan);
  return plan;
}

TEST(CheckReservedTest, AReceiptOfAnotherPriceThanWasQuotedIsToldWithBothNumbers) {
  const ChainBuilder chain;  // (2.44, 1e-6)
  const v1::FitPlan plan = Quoted(chain, Plan(20, 1, 5));
  const accountant::PrivacyParams budget = chain.policy().budget();
  const accountant::CostVector cost = chain.CostOf(20);
  EXPECT_OK(CheckReserved(plan, ReservedFor(budget, cost)));
  const auto is_refused = [](const char* why) {
    return StatusIs(absl::StatusCode::kDataLoss,
                    AllOf(HasSubstr(why), HasSubstr("`topicwall cancel plan-7`")));
  };
  EXPECT_THAT(
      CheckReserved(plan, ReservedFor({.epsilon = 2.44, .delta = 0.3}, cost)),
      is_refused(
          "a budget of epsilon 2.44 at delta 0.3, and the quote was of one of 2.44 at 1e-06"));
  EXPECT_THAT(CheckReserved(plan, ReservedFor({.epsilon = 10, .delta = 1e-6}, cost)),
              is_refused("epsilon 10 at delta 1e-06"));
  EXPECT_THAT(CheckReserved(plan, ReservedFor(budget, chain.CostOf(10))),
              is_refused("alone, and was quoted at "));
  EXPECT_THAT(CheckReserved(plan, ReservedFor(budget, {1, 2})), is_refused("by 2 costs"));
  EXPECT_THAT(CheckReserved(plan, v1::PlanState()), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_OK(CheckReserved(v1::FitPlan(), v1::PlanState())) << "quoted by an earlier version";
}

TEST(CheckReservedTest, WhichVouchersWereDrawnIsOpenAndThatTheyPayIsNot) {
  const ChainBuilder chain(ChainBuilder::Vouchers());  // (40, 1) × 6 and (20, 1) × 4
  const v1::FitPlan plan = Quoted(chain, Plan(40, 1, 3));
  const accountant::PrivacyParams budget = chain.policy().budget();
  EXPECT_OK(CheckReserved(plan, ReservedFor(budget, {3, 0})));
  EXPECT_OK(CheckReserved(plan, ReservedFor(budget, {1, 2})));
  EXPECT_THAT(CheckReserved(plan, ReservedFor(budget, {3, 4})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("other vouchers")));
}

TEST(PriceAloneTest, AHistogramFromTheSameCoinsCostsMoreThanNone) {
  v1::ReleaseSpec plan = Plan(6, 1, 10);
  const double without = *PriceAlone(Filter(), plan);
  plan.mutable_gaussian()->set_histogram_noise_multiplier(20);
  const double with = *PriceAlone(Filter(), plan);
  EXPECT_GT(with, without);
  // One Gaussian of σ_eff = (6^−2 + 20^−2)^−1/2.
  EXPECT_NEAR(with, *PriceAlone(Filter(), Plan(1 / std::sqrt(1 / 36.0 + 1 / 400.0), 1, 10)), 1e-9);
}

TEST(ChooseNoiseMultiplierTest, IsTheSmallestWithSixDigitsThatKeepsThePrice) {
  for (const double epsilon : {0.3, 1.0, 2.44, 8.0}) {
    for (const double sampling_rate : {0.05, 1.0}) {
      ASSERT_OK_AND_ASSIGN(const auto sigma, ChooseNoiseMultiplier(Filter(), epsilon,
                                                                   {.sampling_rate = sampling_rate,
                                                                    .releases = 10,
                                                                    .min_noise_multiplier = 0.01}));
      EXPECT_LE(*PriceAlone(Filter(), Plan(sigma, sampling_rate, 10)), epsilon);
      // Two units of the sixth digit less and it would cost too much.
      const double step = std::pow(10, std::floor(std::log10(sigma)) - 5);
      EXPECT_GT(*PriceAlone(Filter(), Plan(sigma - 2 * step, sampling_rate, 10)), epsilon);
    }
  }
}

TEST(ChooseNoiseMultiplierTest, NeverGoesBelowTheWallsLimit) {
  EXPECT_EQ(*ChooseNoiseMultiplier(
                Filter(), 2.44, {.sampling_rate = 1, .releases = 1, .min_noise_multiplier = 100}),
            100);
}

TEST(ChooseNoiseMultiplierTest, RefusesWhatNoNoiseCanReach) {
  for (const double epsilon : {0.0, -1.0, std::nan(""), 1e-9}) {
    EXPECT_FALSE(
        ChooseNoiseMultiplier(Filter(), epsilon,
                              {.sampling_rate = 1, .releases = 10, .min_noise_multiplier = 0.5})
            .ok())
        << epsilon;
  }
}

TEST(PriceAloneTest, OfVouchersIsWhatThePlanWouldDrawFromAllOfThem) {
  const accountant::AdmissionPolicy policy = Vouchers();
  ASSERT_OK_AND_ASSIGN(const auto price, PriceAlone(policy, Plan(20, 1, 20)));
  EXPECT_GT(price, 0);
  EXPECT_LE(price, 2.44);
  EXPECT_EQ(*PriceAlone(policy, Plan(50, 1, 20)), price) << "more noise saves no voucher";
  EXPECT_TRUE(std::isinf(*PriceAlone(policy, Plan(20, 1, 26))));
  EXPECT_TRUE(std::isinf(*PriceAlone(policy, Plan(9, 1, 1))));
}

TEST(ChooseNoiseMultiplierTest, OfVouchersIsTheSmallestOfAKindThatKeepsThePrice) {
  const accountant::AdmissionPolicy policy = Vouchers();
  const auto choose = [&](double epsilon, double sampling_rate, int64_t iterations, double least) {
    return ChooseNoiseMultiplier(
        policy, epsilon,
        {.sampling_rate = sampling_rate, .releases = iterations, .min_noise_multiplier = least});
  };
  EXPECT_EQ(*choose(2.44, 1, 5, 0.5), 10);
  EXPECT_EQ(*choose(2.44, 1, 6, 0.5), 20);
  EXPECT_EQ(*choose(2.44, 0.05, 5, 0.5), 2);
  EXPECT_EQ(*choose(2.44, 1, 5, 12), 12) << "the wall's limit";
  EXPECT_LE(*PriceAlone(policy, Plan(*choose(1.2, 1, 5, 0.5), 1, 5)), 1.2);
  EXPECT_THAT(choose(2.44, 1, 100, 0.5), StatusIs(absl::StatusCode::kFailedPrecondition));
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

TEST(PolicyOfTest, IsTheOneThatIsStated) {
  for (const accountant::AdmissionPolicy& policy : {Filter(), Vouchers()}) {
    v1::BudgetStatus budget;
    StatePolicy(policy.spec(), budget);
    v1::BudgetOpened opening;
    StatePolicy(policy.spec(), opening);
    for (const auto& read : {PolicyOf(budget), PolicyOf(opening)}) {
      ASSERT_OK(read);
      EXPECT_EQ(read->inventory() != nullptr, policy.inventory() != nullptr);
      EXPECT_EQ(read->budget().epsilon, 2.44);
      EXPECT_EQ(*PriceAlone(*read, Plan(20, 1, 5)), *PriceAlone(policy, Plan(20, 1, 5)));
    }
  }
}

TEST(PolicyOfTest, ARecordThatIsNoPolicyIsRefused) {
  v1::BudgetStatus budget;
  EXPECT_THAT(PolicyOf(budget), StatusIs(absl::StatusCode::kInvalidArgument));
  budget.mutable_filter();
  EXPECT_THAT(PolicyOf(budget), StatusIs(absl::StatusCode::kInvalidArgument));
  budget.mutable_inventory();
  EXPECT_THAT(PolicyOf(budget), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace enforced_price_test
}  // namespace topicwall::client
