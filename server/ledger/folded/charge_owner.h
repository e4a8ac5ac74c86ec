// Whose an open charge of a shared ledger is. The server that made it owns it: it alone computes,
// stores and voids it. Another one may do so kTakeoverMs after the last of its instants, by its own
// clock, and then is the owner. Should both compute it, since their clocks differ or one was only
// slow, they have the same key and draw the same bits; the first to store is the one that counts. A
// stored release has no owner: whoever is asked for it publishes it, at the same instants.
//
// PRIVATE. Pure; threads: any.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_CHARGE_OWNER_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_CHARGE_OWNER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/ledger/folded/kept_chains.h"

namespace topicwall::ledger {

// Longer than the clocks of two servers differ.
inline constexpr int64_t kTakeoverMs = 60000;

// Whether the charge of a place with one is, for now, for another server than `owner` to end. One
// without an owner is anybody's.
bool IsAnothers(const KeptState::Place& place, absl::string_view owner, int64_t now_ms);

// UNAVAILABLE, for whoever asks for the release of such a charge.
absl::Status ComputedElsewhere();

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_CHARGE_OWNER_H_
