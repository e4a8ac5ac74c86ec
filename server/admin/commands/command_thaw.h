// `topicwall-admin thaw`: lets a corpus release again that only reads.
//
// After a restore every budget is frozen, since the backup does not know what was released
// after it was made: `head`, `events` or `forfeit` settles that (accountant/ledger/thaw_acts.h).
// `acknowledge_overruns` opens a corpus again that too many overruns paused. The two last need
// `corpus`. Each budget is thawed on its own; the outcome lists those that are frozen still, and
// those that sums count and that were lost with the ledger.
//
// Takes the server's lock, or lets the server that runs do it. Errors: FAILED_PRECONDITION if the
// ground does not hold, nothing is frozen, another command holds the lock or a newer version wrote
// the evidence; INVALID_ARGUMENT for a head or export that is none, or a file without receipts;
// NOT_FOUND for a corpus without budget or a file that cannot be read. Nothing is then changed.
// PUBLIC.
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
