#include "accountant/events/privacy_params.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::accountant {

absl::Status ValidateEpsilon(double epsilon) {
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon must be finite and > 0 (nats); got ", epsilon, "."));
  }
  return absl::OkStatus();
}

// δ = 0 is no Gaussian's, and δ = 1 is a promise of nothing.
absl::Status ValidateDelta(double delta) {
  if (!(delta > 0 && delta < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("delta must be in (0, 1); got ", delta,
                                                   ". Take it well below 1 / number of units."));
  }
  if (!(delta >= kSmallestDelta)) {
    return absl::InvalidArgumentError(
        absl::StrCat("delta must be at least ", kSmallestDelta, "; got ", delta,
                     ", of which a double holds too few digits. Take 1e-300."));
  }
  return absl::OkStatus();
}

absl::Status Validate(const PrivacyParams& params) {
  TW_RETURN_IF_ERROR(ValidateEpsilon(params.epsilon));
  return ValidateDelta(params.delta);
}

}  // namespace topicwall::accountant
