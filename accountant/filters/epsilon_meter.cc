#include "accountant/filters/epsilon_meter.h"

#include "base/status_macros.h"

namespace topicwall::accountant {

absl::StatusOr<double> EpsilonMeter::Of(const AdmissionPolicy& policy, const CostVector& spent) {
  if (const auto known = known_.find(spent); known != known_.end()) return known->second;
  if (still_wanted_ != nullptr) TW_RETURN_IF_ERROR(still_wanted_());
  const double epsilon = policy.EpsilonSpent(spent);
  known_.emplace(spent, epsilon);
  return epsilon;
}

}  // namespace topicwall::accountant
