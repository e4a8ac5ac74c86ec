// What an attacker can reach by each budget, worked out once a budget.
//
// accountant::BoundAttacks is a constant of a policy, and for an inventory of vouchers some 30
// compositions: seconds, for every PricePlan. Kept by the policy's own record, so that nothing
// can go stale. Holds one entry for each budget that was ever asked about: as many as there are
// corpora.
//
// PUBLIC: functions of recorded policies. Threads: any; no lock is held while working one out,
// so that two who ask first at once both do.
#ifndef TOPICWALL_SERVER_VAULT_ATTACK_BOUNDS_CACHE_H_
#define TOPICWALL_SERVER_VAULT_ATTACK_BOUNDS_CACHE_H_

#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/filters/attack_bounds.h"

namespace topicwall::server {

class AttackBoundsCache {
 public:
  // Errors as accountant::BoundAttacks; they are not kept.
  absl::StatusOr<accountant::AttackBounds> Of(const accountant::AdmissionPolicy& policy);

 private:
  absl::Mutex mutex_;
  std::map<std::string, accountant::AttackBounds> bounds_ ABSL_GUARDED_BY(mutex_);  // by record
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_ATTACK_BOUNDS_CACHE_H_
