#include "server/ledger/audit_chain.h"

#include <array>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "proto/ledger_chain.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/receipt_table.h"
#include "server/random/secure_random.h"

namespace topicwall::ledger {

absl::Status AppendEvent(SqliteConnection& connection, absl::string_view budget_id,
                         v1::LedgerEvent event) {
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, budget_id));
  event.set_sequence(budget.events + 1);
  event.set_budget_id(budget.budget_id);

  std::array<uint8_t, proto::kEventSaltSize> salt_bytes;
  TW_RETURN_IF_ERROR(random::FillRandom(absl::MakeSpan(salt_bytes)));
  const std::string salt(salt_bytes.begin(), salt_bytes.end());
  const std::string bytes = event.SerializeAsString();
  const std::string commitment = proto::EventCommitment(salt, bytes);
  const std::string head = proto::NextHead(budget.head, commitment);
  TW_RETURN_IF_ERROR(connection.Run("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", budget_id,
                                    event.sequence(), Blob{bytes}, Blob{salt}, Blob{commitment},
                                    Blob{head}));
  TW_RETURN_IF_ERROR(InsertReceipt(connection, event, budget.spent));
  TOPICWALL_KILL_POINT("inside-event");
  return connection.Run("UPDATE budget SET events = ?, head = ? WHERE budget_id = ?",
                        event.sequence(), Blob{head}, budget_id);
}

absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(SqliteConnection& connection,
                                                         absl::string_view budget_id, int64_t first,
                                                         int64_t limit) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare("SELECT sequence, event, salt, commitment, head FROM event "
                         "WHERE budget_id = ? AND sequence >= ? ORDER BY sequence LIMIT ?",
                         budget_id, first, limit));
  std::vector<v1::LedgerEntry> entries;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return entries;
    v1::LedgerEntry& entry = entries.emplace_back();
    entry.set_sequence(row.Int64(0));
    entry.set_event(row.Bytes(1));
    entry.set_salt(row.Bytes(2));
    entry.set_commitment(row.Bytes(3));
    entry.set_head(row.Bytes(4));
  }
}

absl::StatusOr<v1::LedgerEvent> EventAt(SqliteConnection& connection, absl::string_view budget_id,
                                        int64_t sequence) {
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                      ReadEntries(connection, budget_id, sequence, 1));
  v1::LedgerEvent event;
  if (entries.empty() || entries.front().sequence() != sequence ||
      !event.ParseFromString(entries.front().event())) {
    return absl::DataLossError("the ledger has lost events.");
  }
  return event;
}

absl::StatusOr<int64_t> TimeOfLastEvent(SqliteConnection& connection, const BudgetRow& budget) {
  TW_ASSIGN_OR_RETURN(const v1::LedgerEvent last,
                      EventAt(connection, budget.budget_id, budget.events));
  return last.time_ms();
}

void HideFromOthers(absl::string_view principal, bool is_auditor, v1::LedgerEntry* entry) {
  v1::LedgerEvent event;
  const bool parsed = event.ParseFromString(entry->event());
  if (parsed && (is_auditor || event.principal().empty() || event.principal() == principal)) return;
  entry->clear_event();
  entry->clear_salt();
}

}  // namespace topicwall::ledger
