// `topicwall-admin status` and `verify-ledger`: what the data directory holds. Both only
// read, need no key, and work beside a running server.
//
//   status         every corpus, configured or budgeted: state, ε, releases, overruns,
//                  events and head of its chain, and the plans that are not over.
//   verify-ledger  recomputes every chain and every budget from the events, the digest of
//                  every stored release and the structure of the file; prints the heads, to be
//                  compared with what auditors noted.
//
// Errors as of FoldedLedger::OpenReadOnly: DATA_LOSS, saying what does not verify. Without a
// ledger `status` says so and is done; `verify-ledger` is NOT_FOUND.
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
