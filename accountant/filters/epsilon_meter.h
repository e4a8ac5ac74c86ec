// EpsilonMeter: a policy's meter for one answer that needs it several times.
//
//   EpsilonMeter meter([&] { return StillWanted(cancelled); });
//   TW_ASSIGN_OR_RETURN(const double epsilon, meter.Of(policy, spent));
//
// Under an inventory each ε is a composition (voucher_inventory.h), up to some seconds. The meter
// composes nothing twice, and asks before each whether anybody still waits: nothing in between can
// be interrupted. PUBLIC. One policy and one thread; hold no lock meanwhile.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_EPSILON_METER_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_EPSILON_METER_H_

#include <functional>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/filters/admission_policy.h"

namespace topicwall::accountant {

// Whether the answer is still waited for: an error ends the work, and is its result. Empty: always.
using StillWanted = std::function<absl::Status()>;

class EpsilonMeter {
 public:
  explicit EpsilonMeter(StillWanted still_wanted = nullptr)
      : still_wanted_(std::move(still_wanted)) {}

  // AdmissionPolicy::EpsilonSpent, or the error of whoever does not want it any more.
  absl::StatusOr<double> Of(const AdmissionPolicy& policy, const CostVector& spent);

 private:
  StillWanted still_wanted_;
  std::map<CostVector, double> known_;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_EPSILON_METER_H_
