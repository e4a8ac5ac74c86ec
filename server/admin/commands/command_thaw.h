// `topicwall-admin thaw`: lets a corpus release again that only reads.
//
// After a restore every budget is frozen, since the backup does not know what was released
// after it was made. One of three settles that (server/ledger/custodian_acts.h):
//   head     whoever noted the last head of the chain confirms that it is the backup's;
//   events   a chain that an analyst or auditor exported, and the server had signed, continues the
//            backup's: what it shows beyond is taken over as spent;
//   forfeit  nobody knows: the whole budget counts as spent.
// The first two want the receipts of everybody who ever had a plan, none newer than the end of the
// chain, or `forfeit_unseen`, which counts what was left as spent.
// And after too many overruns:
//   acknowledge_overruns   opens a corpus again that they paused.
// The two last need `corpus`. Each budget is thawed on its own; the outcome lists those that
// are frozen still, and those that sums count and that were lost with the ledger.
//
// Takes the server's lock, or lets the server that runs do it. Errors: FAILED_PRECONDITION if the
// ground does not hold, nothing is frozen or another command holds the lock; INVALID_ARGUMENT for a
// head or export that is none; NOT_FOUND for a corpus without budget or a file that cannot be read.
// Nothing is then changed. PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_THAW_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_THAW_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

// Exactly one of the four; main.cc sees to that.
struct ThawFlags {
  std::string config;
  std::string head;    // 64 hexadecimal digits
  std::string events;  // a file that `topicwall ledger --events` wrote
  // With head or events: files of receipts, as clients keep them, or several behind each other.
  std::vector<std::string> receipts = {};
  bool forfeit_unseen = false;
  bool forfeit;
  bool acknowledge_overruns;
  std::string corpus;  // as FindBudgeted takes it
};

absl::StatusOr<Outcome> Thaw(const ThawFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_THAW_H_
