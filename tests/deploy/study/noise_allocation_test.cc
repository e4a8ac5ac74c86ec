#include "deploy/study/noise_allocation.h"

#include <gtest/gtest.h>

#include "accountant/budget_filter.h"
#include "accountant/gaussian_mechanism.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace {

TEST(NoiseAllocationTest, TheSharesAddUpToTheWholeOfTheBudget) {
  for (const double growth : {1.0, 1.2}) {
    Recipe recipe;
    recipe.growth = growth;
    const auto noise = AllocateNoise(recipe);
    ASSERT_OK(noise);
    double sum = 1 / (noise->unigram * noise->unigram);
    for (const double sigma : noise->sums) {
      sum += 1 / (sigma * sigma) + 1 / (noise->histogram * noise->histogram);
    }
    EXPECT_NEAR(sum / (noise->mu * noise->mu), 1, 1e-12);
    EXPECT_EQ(noise->sums.size(), static_cast<size_t>(recipe.iterations));
  }
}

TEST(NoiseAllocationTest, ExactIsWhatTheGaussianMechanismAllowsAndNoLess) {
  Recipe recipe;
  recipe.enforced = 0;
  const auto mu = LargestMu(recipe);
  ASSERT_OK(mu);
  EXPECT_LE(accountant::GaussianEpsilonUpperBound(recipe.delta, 1 / *mu), recipe.epsilon);
  EXPECT_GT(accountant::GaussianEpsilonUpperBound(recipe.delta, 1 / (*mu * 1.001)), recipe.epsilon);
}

TEST(NoiseAllocationTest, EnforcedIsAdmittedByTheFilterReleaseByRelease) {
  const Recipe recipe;
  const auto noise = AllocateNoise(recipe);
  ASSERT_OK(noise);
  const auto spec =
      accountant::BudgetFilter::DefaultSpec({.epsilon = recipe.epsilon, .delta = recipe.delta});
  ASSERT_OK(spec);
  const auto filter = accountant::BudgetFilter::Create(*spec);
  ASSERT_OK(filter);
  accountant::CostVector spent = filter->NothingSpent();
  const auto take = [&](std::vector<double> sigmas) {
    // A part in a million less budget pays for the rounding of many prices up.
    for (double& sigma : sigmas) sigma *= 1 + 1e-6;
    const auto release = accountant::SubsampledGaussian::Create(
        {.sampling_rate = 1, .noise_multipliers = std::move(sigmas)});
    const auto admitted = filter->Admit(spent, *filter->CostPerRelease(*release), 1);
    if (admitted.has_value()) spent = admitted->spent_after;
    return admitted.has_value();
  };
  EXPECT_TRUE(take({noise->unigram}));
  for (const double sigma : noise->sums) EXPECT_TRUE(take({sigma, noise->histogram}));
  EXPECT_FALSE(take({100}));
}

TEST(NoiseAllocationTest, TheFilterAllowsALittleLessThanTheExactCurve) {
  Recipe recipe;
  const double enforced = *LargestMu(recipe);
  recipe.enforced = 0;
  const double exact = *LargestMu(recipe);
  EXPECT_LT(enforced, exact);
  EXPECT_GT(enforced, 0.8 * exact);
}

}  // namespace
}  // namespace topicwall::study
