// The inverse questions: how much noise, or how many releases, for a given (ε, δ).
//
//   TW_ASSIGN_OR_RETURN(const double sigma, SmallestNoiseMultiplier(
//       {.budget = {.epsilon = 2.44, .delta = 1e-6}, .sampling_rate = 1, .steps = 10},
//       *accountant));
//
// `accountant` is a prototype: it is cloned, never changed, and whatever it has composed already
// counts against the budget. Answers are always on the private side: what is returned was itself
// priced and its *upper* bound is at most the target, so rounding and a failed search can only cost
// noise. Every search is bracketed and stops after a fixed number of prices (bracketed_search.h).
// PUBLIC, stateless. Cost: some 12 prices where ε is smooth in σ, at most 80.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_NOISE_CALIBRATION_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_NOISE_CALIBRATION_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "accountant/accountants/privacy_accountant.h"
#include "accountant/events/dp_event.h"
#include "accountant/events/privacy_params.h"

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

// One release of two statistics for the price of σ_eff: 1/σ_eff² = 1/σ² + 1/σ_h², of which the
// norm histogram gets the given share. Both rounded up, so that SubsampledGaussian finds a σ_eff
// of at least noise_multiplier. INVALID_ARGUMENT unless σ_eff is finite and > 0 and the share lies
// strictly between 0 and 1.
struct JointNoiseTarget {
  double noise_multiplier;  // σ_eff
  double histogram_share;
};
struct JointNoise {
  double noise_multiplier;            // σ of the sums
  double histogram_noise_multiplier;  // σ_h
};
absl::StatusOr<JointNoise> SplitNoise(const JointNoiseTarget& target);

// The searches themselves for any rule. It must be monotone: what fits, fits at a larger σ, a
// smaller count. It is asked at every value returned, so a rule that is not monotone yields a value
// that fits all the same, perhaps not the best. Its errors end the search and are returned.
//
// The smallest σ, by yes or no. Cost: about 60 questions.
absl::StatusOr<double> SmallestNoiseMultiplierThat(
    absl::FunctionRef<absl::StatusOr<bool>(double noise_multiplier)> fits);
// The largest count up to `at_most` of which `excess`, ln of ε over its target (LogExcess), is ≤ 0;
// 0 if there is none, which is not asked about. Cost: 6 to 14 questions for the ε of an accountant.
absl::StatusOr<int64_t> LargestCountWithin(
    int64_t at_most, absl::FunctionRef<absl::StatusOr<double>(int64_t count)> excess);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_NOISE_CALIBRATION_H_
