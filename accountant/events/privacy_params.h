// (ε, δ): what a release, a plan or a whole budget promises.
//
// A mechanism M is (ε, δ)-private under include/exclude when, for every pair of corpora that
// differ in one privacy unit, in either order, and every set S of outputs,
//   Pr[M(D) ∈ S] ≤ e^ε Pr[M(D') ∈ S] + δ.
// PUBLIC: budgets and prices never depend on the corpus.
#ifndef TOPICWALL_ACCOUNTANT_EVENTS_PRIVACY_PARAMS_H_
#define TOPICWALL_ACCOUNTANT_EVENTS_PRIVACY_PARAMS_H_

#include <limits>

#include "absl/status/status.h"

namespace topicwall::accountant {

// An ε that nothing bounds, and what such a release costs.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct PrivacyParams {
  double epsilon;  // nats; finite, > 0
  double delta;    // probability; in [kSmallestDelta, 1)

  bool operator==(const PrivacyParams&) const = default;
};

// The smallest of which a double holds all digits, and no bound is lost in rounding. Of a δ that is
// less this is told as its upper bound, and 0 as the lower: an upper one of 0 says that nothing was
// composed.
inline constexpr double kSmallestDelta = 2.3e-308;

// INVALID_ARGUMENT, naming field, rule and value, unless epsilon is finite and > 0 and delta lies
// in [kSmallestDelta, 1) (NaN fails both).
absl::Status Validate(const PrivacyParams& params);

// The same two rules for one number alone, for calls that take only that number.
absl::Status ValidateEpsilon(double epsilon);
absl::Status ValidateDelta(double delta);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_EVENTS_PRIVACY_PARAMS_H_
