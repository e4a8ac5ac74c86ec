// Brings a ledger that an earlier version of this program wrote up to date.
//
//   version 2 → 3   receipts: the table of receipt_table.h, filled from the events; and a place
//                   for the budget's signing key, empty until RecordSigningKey.
//   version 3 → 4   what a charge fixes, restarts and voids: places for them. What was charged
//                   before says so: interval -1, and a kernel without a name. Term weights are kept
//                   apart from plans, once each. Where a budget was thawed is kept beside it,
//                   filled from the events.
//
// Nothing that was written is changed or removed, and no event is added: heads that readers
// noted stay heads. Callers hold the ledger's mutex, if there is one yet.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_UPGRADE_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_UPGRADE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// In one transaction; does nothing to a ledger of this version or one that cannot be upgraded
// (ReadIdentity says what it is). DATA_LOSS if the events do not make sense.
absl::Status UpgradeTables(SqliteConnection& connection);

// Puts the key's public half (32 bytes) into the chain of every budget that names none: budgets
// opened before receipts were signed. FAILED_PRECONDITION if a budget names another key: whoever
// keeps its receipts would take this ledger for somebody else's. In one transaction.
absl::Status RecordSigningKey(SqliteConnection& connection, absl::string_view public_key);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_UPGRADE_H_
