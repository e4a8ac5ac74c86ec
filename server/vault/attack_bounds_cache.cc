#include "server/vault/attack_bounds_cache.h"

#include "accountant/ledger/policy_record.h"
#include "base/status_macros.h"

namespace topicwall::server {

// The lock is not held while it composes: seconds, for which others who ask for what is known would
// wait. If two did the same work, the first result stays.
absl::StatusOr<accountant::AttackBounds> AttackBoundsCache::Of(
    const accountant::AdmissionPolicy& policy) {
  v1::BudgetOpened recorded;
  accountant::ledger::SetPolicy(policy.spec(), &recorded);
  const std::string record = recorded.SerializeAsString();
  {
    absl::MutexLock lock(&mutex_);
    const auto known = bounds_.find(record);
    if (known != bounds_.end()) return known->second;
  }
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds, accountant::BoundAttacks(policy));
  absl::MutexLock lock(&mutex_);
  return bounds_.try_emplace(record, bounds).first->second;
}

}  // namespace topicwall::server
