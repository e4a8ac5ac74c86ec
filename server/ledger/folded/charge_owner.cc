#include "server/ledger/folded/charge_owner.h"

namespace topicwall::ledger {
namespace {

// As release::ReleaseSchedule::kLevels, which this room does not see.
constexpr int64_t kLastLevel = 16;  // of the schedule, in intervals

}  // namespace

bool IsOwn(const store::OpenCharge& open, absl::string_view owner) {
  return open.owner.empty() || open.owner == owner;
}

bool IsAnothers(const KeptState::Place& place, absl::string_view owner, int64_t now_ms) {
  if (place.open == nullptr || IsOwn(*place.open, owner)) return false;
  const int64_t last_ms = place.charge->begun_at_ms() + kLastLevel * place.charge->interval_ms();
  return !(now_ms >= last_ms + kTakeoverMs);
}

absl::Status ComputedElsewhere() {
  return absl::UnavailableError(
      "another server of the ledger computes this release; it is paid once: send the same request "
      "again in a while.");
}

}  // namespace topicwall::ledger
