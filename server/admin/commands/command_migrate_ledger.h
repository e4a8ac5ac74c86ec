// `topicwall-admin migrate-ledger`: moves the ledger from the data directory into the database of
// config.ledger, which other servers can then use, too, or back. Its chains have the same heads
// afterwards, plans and releases are the same, and what was open goes on.
//
// All servers of the ledger must be stopped. In this order, each step durable before the next:
//   1. a copy, which is verified with all releases, and which nobody can use yet;
//   2. the ledger loses its name: ledger.db is marked as a backup and becomes ledger.db.moved, or
//      the schema topicwall becomes topicwall_moved_ and the time, if nobody has moved a chain
//      since;
//   3. the copy becomes the ledger.
// Interrupted, there is at most one that can be spent from, and the same command goes on, or says
// what is to be done first. deploy/RUNBOOK.md has the table: which name to give back where step 2
// has taken it.
//
// Takes the server's lock. Errors: FAILED_PRECONDITION without config.ledger, or if the lock is
// held; ALREADY_EXISTS if there is a ledger, or an unfinished copy, where it is to go; ABORTED if
// another server still runs; DATA_LOSS if it does not verify; UNAVAILABLE (database, disk, or
// somebody reads ledger.db); home also as SeenOfShared (seen_heads.h). No guarantee depends on it:
// no event.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_MIGRATE_LEDGER_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_MIGRATE_LEDGER_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct MigrateLedgerFlags {
  std::string config;
  bool to_database = false;  // else into the data directory
};

absl::StatusOr<Outcome> MigrateLedger(const MigrateLedgerFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_MIGRATE_LEDGER_H_
