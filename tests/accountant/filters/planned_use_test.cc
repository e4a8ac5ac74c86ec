#include "accountant/filters/planned_use.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "accountant/filters/budget_filter.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace planned_use_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr PrivacyParams kBudget = {.epsilon = 2.44, .delta = 1e-6};

size_t MainOf(const FilterSpec& spec) {
  return static_cast<size_t>(std::max_element(spec.weights.begin(), spec.weights.end()) -
                             spec.weights.begin());
}

TEST(PlannedUseTest, NamesGoThereAndBack) {
  for (const PlannedUse use : {PlannedUse::kFullBatch, PlannedUse::kSampled}) {
    EXPECT_EQ(PlannedUseOfName(NameOf(use)), use);
    EXPECT_EQ(Other(Other(use)), use);
    EXPECT_NE(Other(use), use);
    EXPECT_EQ(PlannedUseOf(*SpecFor(use, kBudget)), use);
  }
  EXPECT_EQ(PlannedUseOfName("full"), std::nullopt);
}

TEST(PlannedUseTest, SampledGivesNineTenthsToOneOrderAndNothingToAGaussian) {
  const FilterSpec spec = *SpecFor(PlannedUse::kSampled, kBudget);
  ASSERT_OK(Validate(spec));
  EXPECT_EQ(spec.gaussian_weight, 0);
  EXPECT_EQ(spec.orders.size(), 74);
  EXPECT_EQ(spec.orders.front(), 1.25);
  EXPECT_EQ(spec.orders.back(), 1024);
  EXPECT_EQ(spec.fixed_point_bits, 32);
  EXPECT_NEAR(spec.weights[MainOf(spec)], 0.9, 1e-9);
  EXPECT_NEAR(spec.weights[0], 0.1 / 73, 1e-9);
}

TEST(PlannedUseTest, FullBatchGivesTheGaussianNineTenthsInMultiplesOf2ToMinus32) {
  for (const PrivacyParams& budget :
       {PrivacyParams{.epsilon = 0.1, .delta = 1e-9}, kBudget,
        PrivacyParams{.epsilon = 8, .delta = 1e-5}, PrivacyParams{.epsilon = 1e-3, .delta = 1e-12},
        PrivacyParams{.epsilon = 0x1p20, .delta = 1e-6}}) {
    const FilterSpec spec = *SpecFor(PlannedUse::kFullBatch, budget);
    ASSERT_OK(Validate(spec));
    EXPECT_EQ(spec.gaussian_weight, std::ldexp(3865470566.0, -32));  // ⌊0.9 · 2^32⌋
    const double main = spec.weights[MainOf(spec)];
    EXPECT_EQ(main, std::ldexp(386547056.0, -32));  // ⌊0.09 · 2^32⌋
    const double all = std::accumulate(spec.weights.begin(), spec.weights.end(), 0.0);
    EXPECT_LE(all - main, 0.01);
    EXPECT_GT(all - main, 0.01 - 1e-7);
  }
}

// No other order as the main one lets 20 releases of ν = 0.05 have less noise.
TEST(PlannedUseTest, TheMainOrderIsTheBestForThePapersSchedule) {
  for (const PlannedUse use : {PlannedUse::kFullBatch, PlannedUse::kSampled}) {
    const PrivacyParams budget = kBudget;
    const FilterSpec spec = *SpecFor(use, budget);
    const size_t main = MainOf(spec);
    const auto noise_with = [&](size_t order) {
      FilterSpec moved = spec;
      std::swap(moved.weights[main], moved.weights[order]);
      return *BudgetFilter::Create(moved)->SmallestNoiseMultiplier(
          {.epsilon = budget.epsilon, .sampling_rate = 0.05, .releases = 20});
    };
    const double chosen = noise_with(main);
    for (const size_t other : {main - 4, main - 1, main + 1, main + 4}) {
      EXPECT_LE(chosen, noise_with(other) * (1 + 1e-8)) << spec.orders[other];
    }
  }
}

TEST(PlannedUseTest, EachServesItsOwnReleasesBetter) {
  const BudgetFilter full = *BudgetFilter::Create(*SpecFor(PlannedUse::kFullBatch, kBudget));
  const BudgetFilter sampled = *BudgetFilter::Create(*SpecFor(PlannedUse::kSampled, kBudget));
  const auto noise = [](const BudgetFilter& filter, double nu) {
    return *filter.SmallestNoiseMultiplier(
        {.epsilon = kBudget.epsilon, .sampling_rate = nu, .releases = 20});
  };
  EXPECT_LT(noise(full, 1), 0.9 * noise(sampled, 1));
  EXPECT_LT(noise(sampled, 0.05), 0.95 * noise(full, 0.05));
}

TEST(PlannedUseTest, BadBudgetsAreRefused) {
  for (const PlannedUse use : {PlannedUse::kFullBatch, PlannedUse::kSampled}) {
    EXPECT_THAT(SpecFor(use, {.epsilon = 0, .delta = 1e-6}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
    EXPECT_THAT(SpecFor(use, {.epsilon = 1, .delta = 1}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("delta")));
  }
}

}  // namespace planned_use_test
}  // namespace topicwall::accountant
