#include "accountant/noise_calibration.h"

#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr double kRelativeTolerance = 1e-9;

absl::StatusOr<bool> StaysWithin(const PrivacyParams& budget, const DpEvent& more,
                                 const PrivacyAccountant& accountant) {
  const std::unique_ptr<PrivacyAccountant> trial = accountant.Clone();
  TW_RETURN_IF_ERROR(trial->Compose(more));
  TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, trial->Epsilon(budget.delta));
  return epsilon.upper <= budget.epsilon;
}

}  // namespace

absl::StatusOr<double> SmallestNoiseMultiplierThat(
    absl::FunctionRef<absl::StatusOr<bool>(double)> fits) {
  TW_ASSIGN_OR_RETURN(const bool least_fits, fits(kSmallestNoiseMultiplier));
  if (least_fits) return kSmallestNoiseMultiplier;
  // Doubling first: the answer is mostly near 1, far below the geometric middle of the range.
  double low = kSmallestNoiseMultiplier;
  double high = 0;
  for (double trial = 2 * low; high == 0 && trial <= kLargestNoiseMultiplier; trial *= 2) {
    TW_ASSIGN_OR_RETURN(const bool trial_fits, fits(trial));
    (trial_fits ? high : low) = trial;
  }
  if (high == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("no noise_multiplier up to ", kLargestNoiseMultiplier,
                     " meets the target. Ask for fewer steps, a smaller sampling_rate or a larger "
                     "epsilon."));
  }
  // A factor of two halves 30 times to 6e-10.
  while (high - low > kRelativeTolerance * low) {
    const double middle = low + (high - low) / 2;
    TW_ASSIGN_OR_RETURN(const bool middle_fits, fits(middle));
    (middle_fits ? high : low) = middle;
  }
  return high;
}

absl::StatusOr<int64_t> LargestCountThat(absl::FunctionRef<absl::StatusOr<bool>(int64_t)> fits) {
  int64_t low = 0;
  int64_t high = kMostReleases + 1;  // never asked
  for (int64_t trial = 1; trial <= kMostReleases; trial *= 2) {
    TW_ASSIGN_OR_RETURN(const bool trial_fits, fits(trial));
    if (!trial_fits) {
      high = trial;
      break;
    }
    low = trial;
  }
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    TW_ASSIGN_OR_RETURN(const bool middle_fits, fits(middle));
    (middle_fits ? low : high) = middle;
  }
  return low;
}

absl::StatusOr<double> SmallestNoiseMultiplier(const NoiseTarget& target,
                                               const PrivacyAccountant& accountant) {
  TW_RETURN_IF_ERROR(Validate(target.budget));
  if (!(target.steps >= 1 && target.steps <= kMostReleases)) {
    return absl::InvalidArgumentError(
        absl::StrCat("steps must be in [1, ", kMostReleases, "]; got ", target.steps, "."));
  }
  return SmallestNoiseMultiplierThat([&](double noise_multiplier) -> absl::StatusOr<bool> {
    TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                        SubsampledGaussian::Create({.sampling_rate = target.sampling_rate,
                                                    .noise_multipliers = {noise_multiplier}}));
    return StaysWithin(target.budget, {.release = release, .count = target.steps}, accountant);
  });
}

absl::StatusOr<int64_t> MostSteps(const StepsTarget& target, const PrivacyAccountant& accountant) {
  TW_RETURN_IF_ERROR(Validate(target.budget));
  return LargestCountThat([&](int64_t count) {
    return StaysWithin(target.budget, {.release = target.release, .count = count}, accountant);
  });
}

}  // namespace topicwall::accountant
