// `topicwall-admin backup`: one folder with all that a data directory holds: the ledger as of
// one moment, marked so that nobody uses it where it lies, and every corpus file. Never a key.
//
// Works beside a running server and takes no lock. The folder appears under its name when it
// is whole and durable, mode 0700; until then it is DIR.unfinished, which is removed after
// an error and left, to be deleted, after a crash. Every corpus is unsealed from the copy and
// checked as a whole, so the key file is read; a rekey or an ingestion at the same time shows
// as an error here.
//
// Errors: ALREADY_EXISTS (the folder, or an unfinished one); NOT_FOUND without a ledger;
// DATA_LOSS if ledger or corpora do not verify; or the system's own (disk).
// Privacy: sealed corpora and public events; whoever has the backup and the key has the corpus.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_BACKUP_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_BACKUP_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct BackupFlags {
  std::string config;
  std::string output;  // a new folder
};

absl::StatusOr<Outcome> MakeBackup(const BackupFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_BACKUP_H_
