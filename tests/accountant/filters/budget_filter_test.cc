#include "accountant/filters/budget_filter.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/renyi_accountant.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace budget_filter_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr PrivacyParams kBudget = {.epsilon = 2.44, .delta = 1e-6};

constexpr PlannedUse kEachUse[] = {PlannedUse::kFullBatch, PlannedUse::kSampled};

BudgetFilter DefaultFilter(const PrivacyParams& budget,
                           PlannedUse planned = PlannedUse::kFullBatch) {
  return *BudgetFilter::Create(*BudgetFilter::DefaultSpec(budget, planned));
}

double WeightOf(double share) { return std::ldexp(std::floor(std::ldexp(share, 32)), -32); }

// Small numbers that can be followed by hand: one nat is 2^16 units.
BudgetFilter TinyFilter() {
  return *BudgetFilter::Create({.budget = {.epsilon = 10, .delta = 0.01},
                                .orders = {2, 4},
                                .weights = {0.5, 0.5},
                                .fixed_point_bits = 16});
}

TEST(BudgetFilterTest, BadBudgetsAndSpecsAreRefused) {
  EXPECT_THAT(BudgetFilter::DefaultSpec({.epsilon = 0, .delta = 1e-6}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  FilterSpec spec = *BudgetFilter::DefaultSpec(kBudget);
  spec.weights[0] = 0.5;
  EXPECT_THAT(BudgetFilter::Create(spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("weights")));
}

TEST(BudgetFilterTest, ABudgetThatCouldAdmitNothingIsRefusedWhenOpened) {
  const PrivacyParams budget = {.epsilon = 1e-3, .delta = 1e-9};
  EXPECT_THAT(BudgetFilter::Create(*BudgetFilter::DefaultSpec(budget, PlannedUse::kSampled)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too small for delta")));
  // A Gaussian witness holds there, down to where its budget is no unit at all.
  EXPECT_OK(BudgetFilter::Create(*BudgetFilter::DefaultSpec(budget)));
  EXPECT_THAT(BudgetFilter::Create(*BudgetFilter::DefaultSpec({.epsilon = 1e-6, .delta = 1e-9})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too small for delta")));
}

TEST(BudgetFilterTest, CostsAreTheRenyiPricesRoundedUp) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  for (const SubsampledGaussian& release : {Release(0.05, 1.24), Release(1, 6.3)}) {
    const CostVector cost = *filter.CostPerRelease(release);
    ASSERT_EQ(cost.size(), 75);
    EXPECT_EQ(cost.back(), GaussianCostPerRelease(release.noise_multiplier()));
    for (size_t i = 0; i < filter.spec().orders.size(); ++i) {
      const double order = filter.spec().orders[i];
      if (order != std::floor(order)) continue;
      const double exact =
          LogMomentIntegerOrder(release, static_cast<int64_t>(order)) / (order - 1) * 0x1p32;
      EXPECT_GE(static_cast<double>(cost[i]), exact) << order;
      EXPECT_LE(static_cast<double>(cost[i]), exact * (1 + 1e-11) + 2) << order;
    }
  }
}

TEST(BudgetFilterTest, NoReleaseIsFreeHoweverLargeItsNoise) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  for (const double sigma : {1e8, 1e20, 1e150}) {
    EXPECT_EQ(*filter.CostPerRelease(Release(1e-9, sigma)), CostVector(75, 1)) << sigma;
  }
}

TEST(BudgetFilterTest, HugePricesKillOrdersAndAbsurdOnesAreRefused) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  // rdp(a) = a/2σ² passes 2^30 nats from a = 2^31 σ² = 214.7 on, σ² = 1e-7.
  const CostVector cost = *filter.CostPerRelease(Release(1, std::sqrt(1e-7)));
  for (size_t i = 0; i < filter.spec().orders.size(); ++i) {
    EXPECT_EQ(cost[i] == kDeadOrder, filter.spec().orders[i] > 214) << filter.spec().orders[i];
  }
  EXPECT_EQ(filter.Admit(filter.NothingSpent(), cost, 1), std::nullopt);
  EXPECT_EQ(filter.MostReleases(filter.NothingSpent(), cost), 0);
  EXPECT_THAT(filter.CostPerRelease(Release(1, 1e-6)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too small to have a price")));
  EXPECT_THAT(filter.CostPerRelease(Release(0.5, 1e-200)),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

// At ν = 1 the divergence of order a is a/2σ². Every rounding is below 2^-50 of it: a price that is
// above by 2^-41, where that is units, is above whatever they do.
TEST(BudgetFilterTest, APriceIsAboveTheExactOneByMoreThanAllRoundingsAndByHardlyMore) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  const std::vector<double>& orders = filter.spec().orders;
  for (const double sigma : {0.01, 0.07, 0.7, 1.0, 6.3, 10.1685, 71.9022, 1e3}) {
    ASSERT_OK_AND_ASSIGN(const auto cost, filter.CostPerRelease(Release(1, sigma)));
    for (size_t i = 0; i < orders.size(); ++i) {
      const long double rdp = orders[i] / (2 * static_cast<long double>(sigma) * sigma);
      const long double exact = std::ldexp(rdp, filter.spec().fixed_point_bits);
      EXPECT_GT(cost[i], exact * (1 + 0x1p-41L)) << orders[i] << " at " << sigma;
      EXPECT_LE(cost[i], exact * (1 + 1e-12L) + 1) << orders[i] << " at " << sigma;
    }
  }
}

TEST(BudgetFilterTest, AdmissionFollowsTheFormulaToTheUnit) {
  const BudgetFilter filter = TinyFilter();
  // B(2) = 10 + ln 2 + ln 0.005 + ln 2, B(4) = 10 − ln ¾ + (ln 0.005 + ln 4)/3.
  const int64_t budget2 =
      static_cast<int64_t>(std::floor(65536 * (10 + 2 * std::log(2.0L) + std::log(0.005L))));
  const int64_t budget4 = static_cast<int64_t>(
      std::floor(65536 * (10 - std::log(0.75L) + (std::log(0.005L) + std::log(4.0L)) / 3)));
  const auto admit = [&](int64_t at2, int64_t at4) {
    return filter.Admit(filter.NothingSpent(),
                        {static_cast<uint64_t>(at2), static_cast<uint64_t>(at4)}, 1);
  };
  ASSERT_TRUE(admit(budget2, budget4 + 1).has_value());
  EXPECT_EQ(admit(budget2, budget4 + 1)->witness_order, 2);
  ASSERT_TRUE(admit(budget2 + 1, budget4).has_value());
  EXPECT_EQ(admit(budget2 + 1, budget4)->witness_order, 4);
  EXPECT_FALSE(admit(budget2 + 1, budget4 + 1).has_value());
  EXPECT_EQ(admit(5, 7)->spent_after, (CostVector{5, 7}));
  EXPECT_EQ(filter.MostReleases({0, 0}, {1000, 900}), std::max(budget2 / 1000, budget4 / 900));
}

TEST(BudgetFilterTest, RefusingLeavesTheInputAlone) {
  const BudgetFilter filter = TinyFilter();
  const CostVector spent = {100, 200};
  const CostVector cost = {1 << 20, 1 << 20};
  EXPECT_FALSE(filter.Admit(spent, cost, 1).has_value());
  EXPECT_EQ(spent, (CostVector{100, 200}));
}

TEST(BudgetFilterTest, SumsThatWouldOverflowKillTheOrderForEver) {
  const BudgetFilter filter = TinyFilter();
  constexpr uint64_t kHuge = uint64_t{1} << 62;
  for (const int64_t count : {int64_t{2}, int64_t{1} << 3, kMostReleases}) {
    const auto admission = filter.Admit({7, 0}, {kHuge, 0}, count);
    ASSERT_TRUE(admission.has_value()) << "order 4 is within budget";
    EXPECT_EQ(admission->spent_after, (CostVector{kDeadOrder, 0}));
    EXPECT_EQ(admission->witness_order, 4);
    EXPECT_EQ(*filter.Refund(admission->spent_after, {kHuge, 0}, count),
              (CostVector{kDeadOrder, 0}));
    EXPECT_EQ(filter.EpsilonUpperBound({kDeadOrder, kDeadOrder}), kInfinity);
    EXPECT_EQ(filter.OdometerUpperBound({kDeadOrder, kDeadOrder}), kInfinity);
  }
  // 2^62 · 4 and 2^24 · 2^40 are multiples of 2^64: a wrapped sum would read as free.
  EXPECT_FALSE(filter.Admit({0, 0}, {kHuge, kHuge}, 4).has_value());
  EXPECT_FALSE(filter.Admit({0, 0}, {1 << 24, 1 << 24}, kMostReleases).has_value());
  EXPECT_FALSE(filter.Admit({kDeadOrder, kDeadOrder}, {1, 1}, 1).has_value());
  EXPECT_FALSE(filter.Admit({0, 0}, {kDeadOrder, kDeadOrder}, 1).has_value());
  // As signed numbers they would be −1: less than nothing spent, or a price that is paid back.
  EXPECT_EQ(filter.MostReleases({kDeadOrder, kDeadOrder}, {1, 1}), 0);
  EXPECT_EQ(filter.MostReleases({kHuge, kHuge}, {kDeadOrder, kDeadOrder}), 0);
}

TEST(BudgetFilterTest, TheGaussianEntryNeverWrapsEither) {
  const BudgetFilter filter = *BudgetFilter::Create({.budget = kBudget,
                                                     .orders = {16},
                                                     .weights = {WeightOf(0.1)},
                                                     .gaussian_weight = WeightOf(0.9)});
  constexpr uint64_t kHuge = uint64_t{1} << 62;
  const auto admission = filter.Admit({0, 7}, {0, kHuge}, 4);
  ASSERT_TRUE(admission.has_value()) << "order 16 is within budget";
  EXPECT_EQ(admission->spent_after, (CostVector{0, kDeadOrder}));
  EXPECT_EQ(*filter.Refund(admission->spent_after, {0, kHuge}, 4), (CostVector{0, kDeadOrder}));
  // Multiples of 2^64: a wrapped sum would read as free.
  EXPECT_FALSE(filter.Admit({kHuge, 0}, {kHuge, kHuge}, 4).has_value());
  EXPECT_FALSE(filter.Admit({kHuge, 0}, {1, 1 << 24}, kMostReleases).has_value());
  EXPECT_FALSE(filter.Admit({kHuge, kDeadOrder}, {1, 1}, 1).has_value());
  EXPECT_EQ(filter.MostReleases({kHuge, kDeadOrder}, {1, 1}), 0);
  EXPECT_EQ(filter.MostReleases({kHuge, 0}, {kHuge, kDeadOrder}), 0);
  EXPECT_EQ(filter.EpsilonUpperBound({kDeadOrder, kDeadOrder}), kInfinity);
  EXPECT_EQ(filter.OdometerUpperBound({kDeadOrder, kDeadOrder}), kInfinity);
  EXPECT_FALSE(filter.Admit({0}, {1}, 1).has_value()) << "the vectors of a filter without G";
  EXPECT_EQ(filter.EpsilonUpperBound({0}), kInfinity);
}

// mpmath: B_G is 1229042517 units at weight ⌊0.9 · 2^32⌋/2^32 (gaussian_witness_test.cc).
TEST(BudgetFilterTest, TheGaussianWitnessAdmitsToTheUnit) {
  const BudgetFilter filter = *BudgetFilter::Create({.budget = kBudget,
                                                     .orders = {2},
                                                     .weights = {WeightOf(0.1)},
                                                     .gaussian_weight = WeightOf(0.9)});
  constexpr uint64_t kMost = 1229042517;
  const uint64_t order_full = uint64_t{1} << 61;
  const auto admission = filter.Admit({order_full, 0}, {1, kMost}, 1);
  ASSERT_TRUE(admission.has_value());
  EXPECT_EQ(admission->witness_order, kInfinity);
  EXPECT_FALSE(filter.Admit({order_full, 0}, {1, kMost + 1}, 1).has_value());
  EXPECT_FALSE(filter.Admit({order_full, 1}, {1, kMost}, 1).has_value());
  EXPECT_EQ(filter.MostReleases({order_full, 17}, {1, 1000}), (kMost - 17) / 1000);
  EXPECT_EQ(filter.MostReleases({order_full, kMost + 1}, {1, 1}), 0);
}

TEST(BudgetFilterTest, BadCountsAndLengthsAreNeverAdmitted) {
  const BudgetFilter filter = TinyFilter();
  EXPECT_FALSE(filter.Admit({0, 0}, {1, 1}, -1).has_value());
  EXPECT_FALSE(filter.Admit({0, 0}, {1, 1}, kMostReleases + 1).has_value());
  EXPECT_FALSE(filter.Admit({0}, {1, 1}, 1).has_value());
  EXPECT_FALSE(filter.Admit({0, 0}, {1}, 1).has_value());
  EXPECT_EQ(filter.MostReleases({0}, {1, 1}), 0);
  EXPECT_EQ(filter.EpsilonUpperBound({0}), kInfinity);
  EXPECT_TRUE(filter.Admit({0, 0}, {1, 1}, 0).has_value());
  EXPECT_THAT(filter.Refund({0}, {1, 1}, 1), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(filter.Refund({9, 9}, {5, 1}, 2),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than was spent")));
  EXPECT_THAT(filter.Refund({9, 9}, {1, 1}, -1), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(BudgetFilterTest, RefundsAreExact) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  const CostVector first = *filter.CostPerRelease(Release(0.05, 2));
  const CostVector second = *filter.CostPerRelease(Release(1, 40));
  const CostVector one = filter.Admit(filter.NothingSpent(), first, 30)->spent_after;
  const CostVector both = filter.Admit(one, second, 17)->spent_after;
  EXPECT_EQ(*filter.Refund(both, second, 17), one);
  EXPECT_EQ(*filter.Refund(*filter.Refund(both, first, 30), second, 17), filter.NothingSpent());
  EXPECT_EQ(*filter.Refund(both, second, 0), both);
}

TEST(BudgetFilterTest, MostReleasesFitAndOneMoreDoesNot) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  CostVector spent = filter.NothingSpent();
  for (const double sigma : {40.0, 6.3, 1.24}) {
    const CostVector cost = *filter.CostPerRelease(Release(0.05, sigma));
    const int64_t most = filter.MostReleases(spent, cost);
    ASSERT_GT(most, 0);
    EXPECT_TRUE(filter.Admit(spent, cost, most).has_value());
    EXPECT_FALSE(filter.Admit(spent, cost, most + 1).has_value());
    spent = filter.Admit(spent, cost, std::max<int64_t>(1, most / 3))->spent_after;
  }
  EXPECT_EQ(filter.MostReleases(filter.NothingSpent(), CostVector(75, 0)), 0);
}

TEST(BudgetFilterTest, TheMeterAndTheGateAgreeExactly) {
  for (const PlannedUse planned : kEachUse) {
    const BudgetFilter filter = DefaultFilter(kBudget, planned);
    std::mt19937_64 random(20260101);
    std::uniform_real_distribution<double> unit(0, 1);
    int by_the_gaussian = 0;
    for (int i = 0; i < 2000; ++i) {
      const double sigma = std::exp(5 * unit(random));
      const double nu = std::exp(-6 * unit(random));
      CostVector cost = filter.NothingSpent();
      for (size_t k = 0; k < filter.spec().orders.size(); ++k) {
        // Any cost will do: full-batch shape, scaled.
        cost[k] = 1 + static_cast<uint64_t>(0x1p31 * filter.spec().orders[k] / sigma / sigma * nu);
      }
      if (cost.size() > filter.spec().orders.size()) cost.back() = GaussianCostPerRelease(sigma);
      const int64_t count = 1 + static_cast<int64_t>(100 * unit(random));
      const CostVector after = filter.SpentAfter(filter.NothingSpent(), cost, count);
      const double epsilon = filter.EpsilonUpperBound(after);
      const auto admitted = filter.Admit(filter.NothingSpent(), cost, count);
      EXPECT_EQ(admitted.has_value(), epsilon <= kBudget.epsilon);
      if (admitted.has_value() && admitted->witness_order == kInfinity) ++by_the_gaussian;
      if (epsilon > 0 && epsilon <= kBudget.epsilon) {
        // A cap equal to the meter admits; the next double below does not.
        EXPECT_TRUE(filter.Admit(filter.NothingSpent(), cost, count, epsilon).has_value());
        EXPECT_FALSE(filter.Admit(filter.NothingSpent(), cost, count, std::nextafter(epsilon, 0))
                         .has_value());
        EXPECT_GE(filter.MostReleases(filter.NothingSpent(), cost, epsilon), count);
        EXPECT_LT(filter.MostReleases(filter.NothingSpent(), cost, std::nextafter(epsilon, 0)),
                  count);
      }
    }
    EXPECT_EQ(by_the_gaussian > 0, planned == PlannedUse::kFullBatch);
  }
}

// With 40 bits 2^19 nats are 2^59 units, of which a double keeps 53 bits.
TEST(BudgetFilterTest, TheMeterIsRoundedUpWhereADoubleDoesNotHoldItsUnits) {
  const BudgetFilter filter = *BudgetFilter::Create({.budget = {.epsilon = 0x1p20, .delta = 1e-6},
                                                     .orders = {2},
                                                     .weights = {1},
                                                     .fixed_point_bits = 40});
  for (uint64_t i = 0; i < 256; ++i) {
    const CostVector spent = {(uint64_t{1} << 59) + i};
    const double epsilon = filter.EpsilonUpperBound({spent[0] + 1});
    EXPECT_TRUE(filter.Admit(spent, {1}, 1, epsilon).has_value()) << i;
  }
}

TEST(BudgetFilterTest, ACapIsAFilterOfItsOwnAndNeverMoreThanTheBudget) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  const CostVector cost = *filter.CostPerRelease(Release(1, 30));
  const CostVector nothing = filter.NothingSpent();
  const int64_t capped = filter.MostReleases(nothing, cost, 1.0);
  ASSERT_GT(capped, 0);
  EXPECT_LT(capped, filter.MostReleases(nothing, cost));
  EXPECT_TRUE(filter.Admit(nothing, cost, capped, 1.0).has_value());
  EXPECT_FALSE(filter.Admit(nothing, cost, capped + 1, 1.0).has_value());
  const int64_t most = filter.MostReleases(nothing, cost);
  EXPECT_EQ(filter.MostReleases(nothing, cost, 100), most);
  EXPECT_TRUE(filter.Admit(nothing, cost, most, 100).has_value());
  EXPECT_FALSE(filter.Admit(nothing, cost, most + 1, 100).has_value());
  for (const double cap : {0.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(filter.Admit(nothing, cost, 1, cap).has_value());
    EXPECT_EQ(filter.MostReleases(nothing, cost, cap), 0);
  }
}

TEST(BudgetFilterTest, NothingSpentReadsAsZero) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  EXPECT_EQ(filter.EpsilonUpperBound(filter.NothingSpent()), 0);
  EXPECT_EQ(filter.OdometerUpperBound(filter.NothingSpent()), 0);
}

// Reserve, charge, cancel at random until the budget is exhausted; what was kept is then priced by
// the binomial sum in long double (the filter uses quadrature and integers) and must be within some
// witness's budget, recomputed from the formula.
TEST(BudgetFilterTest, AnyInterleavingOfPlansAndCancelsStaysWithinTheBudget) {
  struct Plan {
    SubsampledGaussian release;
    int64_t count;
  };
  FilterSpec spec = {.budget = kBudget,
                     .orders = {2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 64},
                     .weights = std::vector<double>(11, 1.0 / 11)};
  FilterSpec with_gaussian = spec;
  with_gaussian.weights.assign(11, WeightOf(0.1 / 11));
  with_gaussian.gaussian_weight = WeightOf(0.9);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    if (seed == 30) spec = with_gaussian;
    const BudgetFilter filter = *BudgetFilter::Create(spec);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    CostVector spent = filter.NothingSpent();
    std::vector<Plan> kept;
    int refused = 0;
    while (refused < 10) {
      if (unit(random) < 0.3 && !kept.empty()) {
        Plan& plan = kept[random() % kept.size()];
        const int64_t back = static_cast<int64_t>(unit(random) * static_cast<double>(plan.count));
        spent = *filter.Refund(spent, *filter.CostPerRelease(plan.release), back);
        plan.count -= back;
        continue;
      }
      const Plan plan = {.release = Release(unit(random) < 0.3 ? 1 : 0.01 + 0.5 * unit(random),
                                            std::exp(3.5 * unit(random))),
                         .count = 1 + static_cast<int64_t>(20 * unit(random))};
      const CostVector cost = *filter.CostPerRelease(plan.release);
      const auto admission = filter.Admit(spent, cost, plan.count);
      if (!admission.has_value()) {
        ++refused;
        continue;
      }
      spent = admission->spent_after;
      kept.push_back(plan);
    }
    long double least_excess = kInfinity;
    for (size_t i = 0; i < spec.orders.size(); ++i) {
      const long double a = spec.orders[i];
      long double loss = 0;
      for (const Plan& plan : kept) {
        loss += static_cast<long double>(plan.count) *
                LogMomentIntegerOrder(plan.release, std::llround(a)) / (a - 1);
      }
      const long double budget =
          kBudget.epsilon - std::log((a - 1) / a) +
          (std::log(spec.weights[i] * kBudget.delta) + std::log(a)) / (a - 1);
      least_excess = std::min(least_excess, loss - budget);
    }
    if (spec.gaussian_weight > 0) {
      long double squares = 0;
      for (const Plan& plan : kept) {
        const long double sigma = plan.release.noise_multiplier();
        squares += static_cast<long double>(plan.count) / (sigma * sigma);
      }
      // μ*² to the unit, by mpmath.
      least_excess = std::min(least_excess, squares - std::ldexp(1229042517.0L, -32));
    }
    EXPECT_LE(least_excess, 0) << "seed " << seed;
    EXPECT_GE(least_excess, -kBudget.epsilon / 2) << "the budget should be nearly used up";
  }
}

// Full-batch releases have an exact answer: σ₁ … σ_n together are one Gaussian with
// 1/σ² = Σ 1/σ_i². Whatever was admitted must satisfy (ε, δ) by that formula.
TEST(BudgetFilterTest, WhateverIsAdmittedSatisfiesTheBudgetByTheExactGaussian) {
  for (const PrivacyParams budget :
       {PrivacyParams{.epsilon = 0.2, .delta = 1e-9}, PrivacyParams{.epsilon = 2.44, .delta = 1e-6},
        PrivacyParams{.epsilon = 30, .delta = 1e-3}}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const BudgetFilter filter = DefaultFilter(budget, kEachUse[seed % 2]);
      std::mt19937_64 random(seed);
      std::uniform_real_distribution<double> unit(0, 1);
      CostVector spent = filter.NothingSpent();
      double inverse_squares = 0;
      for (int i = 0; i < 40; ++i) {
        const double sigma = 0.3 * std::exp(6 * unit(random));
        const CostVector cost = *filter.CostPerRelease(Release(1, sigma));
        const int64_t count = std::min<int64_t>(filter.MostReleases(spent, cost), 1 + i);
        if (count == 0) continue;
        spent = filter.Admit(spent, cost, count)->spent_after;
        inverse_squares += static_cast<double>(count) / sigma / sigma;
      }
      ASSERT_GT(inverse_squares, 0);
      const double sigma = 1 / std::sqrt(inverse_squares);
      EXPECT_LE(GaussianDeltaUpperBound(budget.epsilon, sigma), budget.delta) << seed;
      // The meter, the odometer and the profile bound the same law.
      const double meter = filter.EpsilonUpperBound(spent);
      EXPECT_LE(GaussianDeltaUpperBound(meter, sigma), budget.delta) << seed;
      EXPECT_GE(filter.OdometerUpperBound(spent), meter) << seed;
      for (double epsilon = 0; epsilon < 2 * budget.epsilon; epsilon += budget.epsilon / 16) {
        EXPECT_LE(GaussianDeltaUpperBound(epsilon, sigma), filter.DeltaOfProfile(epsilon))
            << seed << " " << epsilon;
      }
    }
  }
}

// The Gaussian witness costs ln(1/0.9) of ln δ and the rounding of units: below 1 % of ε here.
TEST(BudgetFilterTest, FullBatchPlansGetAlmostAllThatTheExactGaussianAllows) {
  for (const PrivacyParams budget : {PrivacyParams{.epsilon = 0.1, .delta = 1e-6}, kBudget,
                                     PrivacyParams{.epsilon = 8, .delta = 1e-5}}) {
    const BudgetFilter filter = DefaultFilter(budget);
    const double sigma = *filter.SmallestNoiseMultiplier(
        {.epsilon = budget.epsilon, .sampling_rate = 1, .releases = 25});
    const double epsilon = GaussianEpsilonUpperBound(budget.delta, sigma / 5);
    EXPECT_LE(epsilon, budget.epsilon);
    EXPECT_GE(epsilon, 0.99 * budget.epsilon) << budget.epsilon;
  }
}

// A fit of the quickstart: a release of word frequencies and 25 of sums with a norm histogram.
// mpmath at 50 digits: μ = 0.501449533567, exactly ε = 2.2612654660 at δ and 2.2725940797 at 0.9 δ.
// Rényi orders alone took 2.44.
TEST(BudgetFilterTest, TheQuickstartsFitCosts227InsteadOf244) {
  const SubsampledGaussian unigram = Release(1, 10.1685);
  const SubsampledGaussian sums =
      *SubsampledGaussian::Create({.sampling_rate = 1, .noise_multipliers = {10.2718, 71.9022}});
  const auto price = [&](PlannedUse planned) {
    const BudgetFilter filter = DefaultFilter(kBudget, planned);
    const CostVector one = *filter.CostPerRelease(unigram);
    const CostVector spent = filter.SpentAfter(filter.SpentAfter(filter.NothingSpent(), one, 1),
                                               *filter.CostPerRelease(sums), 25);
    return filter.EpsilonUpperBound(spent);
  };
  EXPECT_NEAR(price(PlannedUse::kFullBatch), 2.2725940797, 5e-8);  // 26 roundings up
  EXPECT_GE(price(PlannedUse::kFullBatch), 2.2725940797);
  EXPECT_GT(price(PlannedUse::kSampled), 2.44);
  const double squares =
      std::pow(unigram.noise_multiplier(), -2.0) + 25 * std::pow(sums.noise_multiplier(), -2.0);
  EXPECT_NEAR(std::sqrt(squares), 0.501449533567, 1e-11);
  EXPECT_NEAR(GaussianEpsilonUpperBound(1e-6, 1 / std::sqrt(squares)), 2.2612654660, 1e-9);
}

TEST(BudgetFilterTest, SmallestNoiseIsPricedAtOrUnderTheTargetAndLessNoiseIsNot) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  for (const double epsilon : {0.5, 2.44}) {
    for (const double nu : {0.05, 1.0}) {
      const double sigma = *filter.SmallestNoiseMultiplier(
          {.epsilon = epsilon, .sampling_rate = nu, .releases = 10});
      const auto price = [&](double s) {
        const CostVector cost = *filter.CostPerRelease(Release(nu, s));
        CostVector spent = cost;
        for (uint64_t& sum : spent) sum *= 10;
        return filter.EpsilonUpperBound(spent);
      };
      EXPECT_LE(price(sigma), epsilon);
      EXPECT_GT(price(sigma * (1 - 1e-8)), epsilon);
    }
  }
  // Ten full-batch iterations at ε = 2.44, δ = 1e-6: √10 times the noise of a single release of
  // μ = 0.53493809 (mpmath).
  EXPECT_NEAR(
      *filter.SmallestNoiseMultiplier({.epsilon = 2.44, .sampling_rate = 1, .releases = 10}),
      std::sqrt(10) / 0.5349380903, 1e-7);
}

TEST(BudgetFilterTest, BadNoiseTargetsAreRefusedByName) {
  const BudgetFilter filter = DefaultFilter(kBudget);
  EXPECT_THAT(filter.SmallestNoiseMultiplier({.epsilon = 0, .sampling_rate = 1, .releases = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  EXPECT_THAT(filter.SmallestNoiseMultiplier({.epsilon = 1, .sampling_rate = 0, .releases = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sampling_rate")));
  EXPECT_THAT(filter.SmallestNoiseMultiplier({.epsilon = 1, .sampling_rate = 1, .releases = 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("releases")));
  EXPECT_THAT(filter.SmallestNoiseMultiplier(
                  {.epsilon = 1, .sampling_rate = 1, .releases = kMostReleases + 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("releases")));
  EXPECT_THAT(filter.SmallestNoiseMultiplier(
                  {.epsilon = 1e-6, .sampling_rate = 1, .releases = kMostReleases}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(BudgetFilterTest, TheProfileIsTheBudgetAtEpsilonAndFallsFromThere) {
  for (const PlannedUse planned : kEachUse) {
    const BudgetFilter filter = DefaultFilter(kBudget, planned);
    EXPECT_LE(filter.DeltaOfProfile(kBudget.epsilon), kBudget.delta * (1 + 1e-9));
    double previous = 1;
    for (double epsilon = 0; epsilon < 6; epsilon += 0.05) {
      const double delta = filter.DeltaOfProfile(epsilon);
      EXPECT_LE(delta, previous) << epsilon;
      EXPECT_GT(delta, 0) << epsilon;
      previous = delta;
    }
    EXPECT_EQ(filter.DeltaOfProfile(-1), 1);
    EXPECT_EQ(filter.DeltaOfProfile(std::nan("")), 1);
    // Below ε it never exceeds what randomised response with ε and leak δ would give.
    EXPECT_LE(filter.DeltaOfProfile(0), std::tanh(kBudget.epsilon / 2) + 1e-6);
  }
}

// Σ w_a δ e^{(a−1)(ε−ε')} and the plain Gaussian's curve at μ*.
TEST(BudgetFilterTest, TheProfileIsThatOfAllWitnesses) {
  const BudgetFilter filter = *BudgetFilter::Create({.budget = kBudget,
                                                     .orders = {8},
                                                     .weights = {WeightOf(0.1)},
                                                     .gaussian_weight = WeightOf(0.9)});
  const double sigma = 1 / std::sqrt(std::ldexp(1229042517.0, -32));
  for (const double epsilon : {2.2, 2.44, 3.0, 4.0}) {
    const double expected = WeightOf(0.1) * 1e-6 * std::exp(7 * (2.44 - epsilon)) +
                            GaussianDeltaUpperBound(epsilon, sigma);
    EXPECT_NEAR(filter.DeltaOfProfile(epsilon), expected, 1e-8 * expected) << epsilon;
  }
}

TEST(BudgetFilterTest, TheProfileNeverSaysThatNothingCanLeak) {
  for (const PlannedUse planned : kEachUse) {
    for (const double epsilon : {0.3, 1.0, 1.7, 2.44, 8.0}) {
      const BudgetFilter filter = DefaultFilter({.epsilon = epsilon, .delta = 1e-20}, planned);
      EXPECT_GT(filter.DeltaOfProfile(1e6), 0) << "something may be released";
      // Where one is all that rounding leaves of the ratio.
      const double at_budget = filter.DeltaOfProfile(epsilon);
      double below = epsilon;
      for (int i = 0; i < 8; ++i) {
        below = std::nextafter(below, 0);
        EXPECT_GE(filter.DeltaOfProfile(below), at_budget) << epsilon << " " << i;
      }
    }
  }
}

// One order, so that the formulas of the header are one term each, in long double.
TEST(BudgetFilterTest, ProfileAndOdometerAreRoundedUp) {
  FilterSpec spec = *BudgetFilter::DefaultSpec({.epsilon = 20, .delta = 1e-6});
  spec.weights = {1};
  spec.gaussian_weight = 0;
  const long double log_delta = std::log(1e-6L);
  for (const double order : {3, 5, 6, 7, 8, 9, 11}) {
    spec.orders = {order};
    const BudgetFilter filter = *BudgetFilter::Create(spec);
    for (int i = 0; i < 200; ++i) {
      const double epsilon = 20 + 0.037 * i;
      EXPECT_GE(filter.DeltaOfProfile(epsilon),
                std::exp(log_delta + (order - 1) * (20.0L - epsilon)));
    }
    // A multiple of 2^8 units is a double still, whose sum with the other term is rounded.
    const uint64_t spent = uint64_t{1} << 60;
    EXPECT_GE(filter.OdometerUpperBound({spent}),
              std::ldexp(static_cast<long double>(spent), -32) - log_delta / (order - 1));
  }
  const BudgetFilter filter = *BudgetFilter::Create(spec);
  EXPECT_EQ(filter.DeltaOfProfile(std::nan("")), 1);
  EXPECT_FALSE(filter.Admit({0}, {1}, 1, std::nan("")).has_value());
  EXPECT_EQ(filter.MostReleases({0}, {1}, std::nan("")), 0);
}

}  // namespace budget_filter_test
}  // namespace topicwall::accountant
