#include "server/vault/attack_bounds_cache.h"

#include "base/status_macros.h"
#include "server/ledger/policy_record.h"

namespace topicwall::server {

absl::StatusOr<accountant::AttackBounds> AttackBoundsCache::Of(
    const accountant::AdmissionPolicy& policy) {
  const std::string record = ledger::RecordOf(policy.spec()).SerializeAsString();
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
