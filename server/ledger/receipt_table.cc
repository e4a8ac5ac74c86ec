#include "server/ledger/receipt_table.h"

#include "proto/receipt.h"
#include "server/ledger/spent_vector.h"

namespace topicwall::ledger {

absl::Status InsertReceipt(SqliteConnection& connection, const v1::LedgerEvent& event,
                           const accountant::CostVector& spent) {
  const proto::ReceiptSubject subject = proto::SubjectOf(event);
  if (subject.plan_id.empty()) return absl::OkStatus();
  return connection.Run("INSERT INTO receipt VALUES (?, ?, ?, ?, ?, ?)", subject.plan_id,
                        static_cast<int64_t>(event.act_case()), int64_t{subject.iteration},
                        event.budget_id(), event.sequence(), Blob{BytesOfCost(spent)});
}

absl::StatusOr<ReceiptRow> FindReceipt(SqliteConnection& connection,
                                       const ReceiptSubjectKey& subject) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection.Prepare("SELECT budget_id, sequence, spent FROM receipt "
                                         "WHERE plan_id = ? AND act = ? AND iteration = ?",
                                         subject.plan_id, static_cast<int64_t>(subject.act),
                                         int64_t{subject.iteration}));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return absl::NotFoundError("there is no receipt of what has not happened.");
  return ReceiptRow{.budget_id = row.Bytes(0), .sequence = row.Int64(1), .spent = row.Bytes(2)};
}

absl::Status CheckReceipt(SqliteConnection& connection, const v1::LedgerEvent& event,
                          const accountant::CostVector& spent) {
  const proto::ReceiptSubject subject = proto::SubjectOf(event);
  if (subject.plan_id.empty()) return absl::OkStatus();
  const absl::StatusOr<ReceiptRow> row = FindReceipt(
      connection,
      {.plan_id = subject.plan_id, .act = event.act_case(), .iteration = subject.iteration});
  if (!row.ok() && !absl::IsNotFound(row.status())) return row.status();
  if (row.ok() && row->budget_id == event.budget_id() && row->sequence == event.sequence() &&
      row->spent == BytesOfCost(spent)) {
    return absl::OkStatus();
  }
  return absl::DataLossError("the ledger's receipts differ from its events.");
}

}  // namespace topicwall::ledger
