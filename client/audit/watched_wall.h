// A wall whose ledger must go on from what was noted of it, before anything else is asked.
//
// Passes every call on. The chain of a corpus is looked at (chain_watch.h) before the first call
// that concerns it, and again before each that spends: ReservePlan, RunRelease, CancelPlan. The
// head that a GetBudget states, and a chain that a ReadLedger brings, must hold the note as well; a
// signed head that comes with a budget must hold.
//
// So every command that talks to a wall keeps the notes, and a fit stops before it pays for a
// release to a wall whose ledger was put back under it.
//
// Errors: those of chain_watch.h, and of the call itself. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_AUDIT_WATCHED_WALL_H_
#define TOPICWALL_CLIENT_AUDIT_WATCHED_WALL_H_

#include <functional>
#include <memory>
#include <string>

#include "client/audit/chain_watch.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

struct WatchOptions {
  std::string signing_key = {};  // as WatchedChain
  // Told once that a corpus has another budget than the one that was noted of it.
  std::function<void(const ChainSight& sight)> on_new_budget = {};
};
std::unique_ptr<WallPort> Watched(std::unique_ptr<WallPort> wall, HeadBook book,
                                  WatchOptions options);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_WATCHED_WALL_H_
