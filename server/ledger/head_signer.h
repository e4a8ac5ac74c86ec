// The signed head of a budget's chain, as it leaves with GetBudget and ReadLedger.
//
// Whoever holds one can show later how long the chain was; a backup that is older, or an export
// that was cut or made up, cannot (ledger_thaw.h). No clock and no document goes in: the same
// head has the same bytes. Callers hold a transaction and the ledger's mutex. PUBLIC.
// Cost: about 100 µs.
#ifndef TOPICWALL_SERVER_LEDGER_HEAD_SIGNER_H_
#define TOPICWALL_SERVER_LEDGER_HEAD_SIGNER_H_

#include "absl/status/statusor.h"
#include "base/ed25519.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// Of the budget's last entry. DATA_LOSS if its first event is damaged.
absl::StatusOr<v1::SignedHead> SignHead(SqliteConnection& connection, const base::SigningKey& key,
                                        const BudgetRow& budget);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_HEAD_SIGNER_H_
