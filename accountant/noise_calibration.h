// The inverse questions: how much noise, or how many releases, for a given (ε, δ).
//
//   TW_ASSIGN_OR_RETURN(const double sigma, SmallestNoiseMultiplier(
//       {.budget = {.epsilon = 2.44, .delta = 1e-6}, .sampling_rate = 1, .steps = 10},
//       *accountant));
//
// `accountant` is a prototype: it is cloned, never changed, and whatever it has composed already
// counts against the budget. Answers are always on the private side: what is returned was itself
// priced and its *upper* bound is at most the target, so rounding and a failed search can only cost
// noise. Every search is bracketed and stops after a fixed number of prices.
// PUBLIC, stateless. Cost: about 60 prices.
#ifndef TOPICWALL_ACCOUNTANT_NOISE_CALIBRATION_H_
#define TOPICWALL_ACCOUNTANT_NOISE_CALIBRATION_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "accountant/dp_event.h"
#include "accountant/privacy_accountant.h"
#include "accountant/privacy_params.h"

namespace topicwall::accountant {

// The noise multipliers a wall accepts; no answer lies outside.
inline constexpr double kSmallestNoiseMultiplier = 0x1p-6;
inline constexpr double kLargestNoiseMultiplier = 0x1p20;

struct NoiseTarget {
  PrivacyParams budget;
  double sampling_rate;  // ν in (0, 1]
  int64_t steps;         // ≥ 1
};

struct StepsTarget {
  PrivacyParams budget;
  SubsampledGaussian release;
};

// The smallest σ, from above and within 1e-9 relative, at which `steps` more releases keep
// everything within the budget. INVALID_ARGUMENT for bad fields; FAILED_PRECONDITION when even
// kLargestNoiseMultiplier is not enough.
absl::StatusOr<double> SmallestNoiseMultiplier(const NoiseTarget& target,
                                               const PrivacyAccountant& accountant);

// The most further releases that keep everything within the budget: 0 … kMostReleases.
absl::StatusOr<int64_t> MostSteps(const StepsTarget& target, const PrivacyAccountant& accountant);

// The searches themselves, for any rule. `fits` must be monotone: true stays true for a larger σ,
// a smaller count. It is asked at every value returned, so a rule that is not monotone yields a
// value that fits all the same, perhaps not the best. Its errors end the search and are returned.
absl::StatusOr<double> SmallestNoiseMultiplierThat(
    absl::FunctionRef<absl::StatusOr<bool>(double noise_multiplier)> fits);
absl::StatusOr<int64_t> LargestCountThat(
    absl::FunctionRef<absl::StatusOr<bool>(int64_t count)> fits);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_NOISE_CALIBRATION_H_
