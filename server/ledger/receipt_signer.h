// Receipts as they leave: put together from the stored event and signed, each time anew.
//
//   TW_ASSIGN_OR_RETURN(v1::SignedReceipt receipt,
//                       SignReceipt(connection, key, {plan_id, LedgerEvent::kPlanReserved}));
//
// Everything in a receipt was written with the act, and signing is deterministic, so the same
// act has the same receipt to the byte, after restarts, too, and there is none before its
// event: a release's receipt appears with the release. No clock, no request and no document
// goes in: its event, the head before, the plan as it was reserved, the budget's (ε, δ), what
// was spent and the odometer of that. (The meter of what is spent is no guarantee, and so not
// signed.) Callers hold a transaction and the ledger's mutex. PUBLIC to the plan's analyst.
// Cost: about 100 µs.
#ifndef TOPICWALL_SERVER_LEDGER_RECEIPT_SIGNER_H_
#define TOPICWALL_SERVER_LEDGER_RECEIPT_SIGNER_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ed25519.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/receipt_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// NOT_FOUND if the act has not happened; DATA_LOSS if what was written with it is damaged.
absl::StatusOr<v1::SignedReceipt> SignReceipt(SqliteConnection& connection,
                                              const base::SigningKey& key,
                                              const ReceiptSubjectKey& subject);

// Of what has happened to the plan, and to the release; nothing without a key (read-only).
absl::Status AddReceipts(SqliteConnection& connection, const std::optional<base::SigningKey>& key,
                         v1::PlanState* plan);
absl::Status AddReceipts(SqliteConnection& connection, const std::optional<base::SigningKey>& key,
                         v1::ReleaseHeader* release);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_RECEIPT_SIGNER_H_
