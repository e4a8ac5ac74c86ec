// `topicwall-admin restore`: puts a backup into a data directory that lost its ledger.
//
// The directory must have no ledger.db: what is there is never overwritten, move it away
// first (a damaged one may still be wanted). Corpus files that are there in the backup's version
// and whole stay; missing and damaged ones are installed; one of another version is an error,
// since its people would lose their budget. Corpora go first and the ledger last: after an
// interruption the directory has no ledger, nothing serves, and the same command goes on.
//
// Once the ledger is in its place it is restored: what fails after that is a warning.
//
// The restored ledger is one epoch on and frozen: it only reads until topicwall-admin thaw
// settles what the backup missed (command_thaw.h).
//
// Takes the server's lock. Errors: FAILED_PRECONDITION (lock, another version, another ledger),
// ALREADY_EXISTS, NOT_FOUND (no backup there), DATA_LOSS (it does not verify, or the key is
// another one), or the system's own (disk). PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_RESTORE_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_RESTORE_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct RestoreFlags {
  std::string config;
  std::string input;  // a folder that `backup` made
};

absl::StatusOr<Outcome> RestoreBackup(const RestoreFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_RESTORE_H_
