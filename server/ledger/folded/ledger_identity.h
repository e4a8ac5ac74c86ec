// What a ledger is known by: its random id, how often it was restored, and that both are sealed
// under the custodian's key.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_LEDGER_IDENTITY_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_LEDGER_IDENTITY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/sealing/sealing_key.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// Random, 128 bits as 32 hexadecimal digits: ledgers, budgets and plans have such ids. INTERNAL
// without randomness.
absl::StatusOr<std::string> RandomId();

// Something sealed under the custodian's key, so that a wrong key is noticed at start and not at
// the first release, and for its place, which is the ledger's id and epoch: Identity.key_check.
absl::StatusOr<std::string> SealKeyCheck(const sealing::SealingKey& key,
                                         const store::Identity& identity);
// FAILED_PRECONDITION for a backup. One that was opened where it lies would be a second ledger with
// the same budget to spend.
absl::Status RequireInUse(const store::Identity& identity, absl::string_view directory);
// FAILED_PRECONDITION if the ledger is sealed under another key, or was when it had this id and
// epoch.
absl::Status CheckKey(const store::Identity& identity, const sealing::SealingKey& key);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_LEDGER_IDENTITY_H_
