// `topicwall-admin rekey`: seals everything under a new key that keeps the old identity.
//
// In this order, each step durable before the next:
//   1. the new key file, fresh secret and the identity of the old key (so that units keep
//      their ids, and corpora that share people are still recognised);
//   2. every corpus file of the data directory, each replaced by its resealed copy in one rename;
//   3. what the ledger hides, in one transaction.
// Interrupted, it is finished by the same command with the same new key file. In between the
// server, which has one of the two keys, refuses to start.
// The custodian then puts the new one in the place of key_file, as the vault's user could not. The
// old one is still needed for backups that were made before; it is never deleted here.
//
// Takes the server's lock. Errors: INVALID_ARGUMENT if the output is a key of another identity,
// or the configured key itself; DATA_LOSS if a corpus opens with neither key; FAILED_PRECONDITION
// if the lock is held, or the ledger opens with neither key; UNAVAILABLE (disk: room for a copy
// of the largest corpus is needed). No guarantee depends on it: no event. PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_REKEY_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_REKEY_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct RekeyFlags {
  std::string config;  // with the old key in key_file
  std::string output;  // the new key: to be made, or to go on with
};

absl::StatusOr<Outcome> Rekey(const RekeyFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_REKEY_H_
