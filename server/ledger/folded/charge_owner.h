// Whose an open charge of a shared ledger is. The server that made it owns it: it alone computes,
// stores, publishes and voids it, at instants of its own clock. Another one may do so kTakeoverMs
// after the last of these, by its own clock, and then is the owner: it counts the instants anew,
// which is a restart. Should both compute it, since their clocks differ or one was only slow, they
// have the same key and draw the same bits; the first to store is the one that counts.
//
// PRIVATE. Pure; threads: any.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_CHARGE_OWNER_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_CHARGE_OWNER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// Longer than the clocks of two servers differ.
inline constexpr int64_t kTakeoverMs = 60000;

// Whether it is the server's whose name is `owner`. One without an owner is anybody's.
bool IsOwn(const store::OpenCharge& open, absl::string_view owner);

// Whether the charge of a place with one is, for now, for another server than `owner` to end.
bool IsAnothers(const KeptState::Place& place, absl::string_view owner, int64_t now_ms);

// UNAVAILABLE, for whoever asks for the release of such a charge.
absl::Status ComputedElsewhere();

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_CHARGE_OWNER_H_
