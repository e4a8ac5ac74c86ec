// `topicwall-admin status` and `verify-ledger`: what the data directory holds, and whether all of
// it follows from its events. Both only read, need no key, and work beside a running server.
//
// Errors as of FoldedLedger::OpenReadOnly: DATA_LOSS, saying what does not verify. Without a
// ledger `status` warns of it and is done, since none may have been made yet; `verify-ledger` is
// NOT_FOUND. Without the folder both are FAILED_PRECONDITION.
// Privacy: PUBLIC. Cost: status about 10 µs an event; verify-ledger reads the whole file.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_STATUS_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_STATUS_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct StatusFlags {
  std::string config;
};

absl::StatusOr<Outcome> ShowStatus(const StatusFlags& flags);
absl::StatusOr<Outcome> VerifyLedger(const StatusFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_STATUS_H_
