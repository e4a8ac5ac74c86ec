// For each act that a receipt is given for: where its event is, and what was spent right after.
//
// A row is written with its event, in the same transaction, and never changed; so a receipt can
// be made at any later time and says the same. Both columns can be derived from the events, and
// verification (ledger_verification.h) does so. Callers hold a transaction and the ledger's
// mutex. PUBLIC to the plan's analyst.
#ifndef TOPICWALL_SERVER_LEDGER_RECEIPT_TABLE_H_
#define TOPICWALL_SERVER_LEDGER_RECEIPT_TABLE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/filters/budget_filter.h"
#include "proto/ledger.pb.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// Which act: every plan is reserved once and cancelled at most once, every iteration charged and
// published at most once.
struct ReceiptSubjectKey {
  absl::string_view plan_id;
  v1::LedgerEvent::ActCase act;
  int iteration = 0;  // 0 for acts on the whole plan
};

struct ReceiptRow {
  std::string budget_id;
  int64_t sequence;
  std::string spent;  // see spent_vector.h
};

// Does nothing for an event of which there are no receipts. `spent`: by everybody, with the act.
absl::Status InsertReceipt(SqliteConnection& connection, const v1::LedgerEvent& event,
                           const accountant::CostVector& spent);

// NOT_FOUND if the act has not happened.
absl::StatusOr<ReceiptRow> FindReceipt(SqliteConnection& connection,
                                       const ReceiptSubjectKey& subject);

// DATA_LOSS unless the row of this event says exactly this; OK for events without receipts.
absl::Status CheckReceipt(SqliteConnection& connection, const v1::LedgerEvent& event,
                          const accountant::CostVector& spent);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_RECEIPT_TABLE_H_
