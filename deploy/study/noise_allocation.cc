#include "deploy/study/noise_allocation.h"

#include <cmath>

#include "absl/status/status.h"
#include "accountant/budget_filter.h"
#include "accountant/gaussian_mechanism.h"
#include "accountant/noise_calibration.h"
#include "accountant/status_macros.h"

namespace topicwall::study {

absl::StatusOr<double> LargestMu(const Recipe& recipe) {
  const accountant::PrivacyParams budget = {.epsilon = recipe.epsilon, .delta = recipe.delta};
  if (recipe.enforced != 0) {
    TW_ASSIGN_OR_RETURN(const accountant::FilterSpec spec,
                        accountant::BudgetFilter::DefaultSpec(budget));
    TW_ASSIGN_OR_RETURN(const accountant::BudgetFilter filter,
                        accountant::BudgetFilter::Create(spec));
    TW_ASSIGN_OR_RETURN(const double sigma,
                        filter.SmallestNoiseMultiplier(
                            {.epsilon = recipe.epsilon, .sampling_rate = 1, .releases = 1}));
    return 1 / sigma;
  }
  TW_ASSIGN_OR_RETURN(
      const double sigma,
      accountant::SmallestNoiseMultiplierThat([&budget](double sigma) -> absl::StatusOr<bool> {
        return accountant::GaussianEpsilonUpperBound(budget.delta, sigma) <= budget.epsilon;
      }));
  return 1 / sigma;
}

absl::StatusOr<NoiseAllocation> AllocateNoise(const Recipe& recipe) {
  const auto iterations = static_cast<int>(recipe.iterations);
  NoiseAllocation noise = {.mu = 0,
                           .unigram = 0,
                           .sums = std::vector<double>(static_cast<size_t>(iterations), 0),
                           .histogram = 0};
  if (recipe.no_noise != 0 || recipe.only_clip != 0) return noise;
  TW_ASSIGN_OR_RETURN(noise.mu, LargestMu(recipe));
  noise.mu *= recipe.scale;
  if (recipe.unigram_share > 0) noise.unigram = 1 / (noise.mu * std::sqrt(recipe.unigram_share));
  if (recipe.histogram_share > 0) {
    noise.histogram = std::sqrt(recipe.iterations / recipe.histogram_share) / noise.mu;
  }
  const double share = 1 - recipe.unigram_share - recipe.histogram_share;
  if (!(share > 0)) return absl::InvalidArgumentError("the shares leave nothing for the sums.");
  double total = 0;
  for (int t = 0; t < iterations; ++t) total += std::pow(recipe.growth, t);
  for (int t = 0; t < iterations; ++t) {
    noise.sums[static_cast<size_t>(t)] =
        std::sqrt(total / (share * std::pow(recipe.growth, t))) / noise.mu;
  }
  return noise;
}

}  // namespace topicwall::study
