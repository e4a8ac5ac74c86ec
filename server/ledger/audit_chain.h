// The events of a budget as they are stored: appended in the transaction of the act they
// describe, read back as entries of the hash chain (proto/ledger_chain.h).
//
// An event is never changed or removed. It holds charge times and scheduled instants only,
// never when something was computed. Callers hold a transaction and the ledger's mutex.
#ifndef TOPICWALL_SERVER_LEDGER_AUDIT_CHAIN_H_
#define TOPICWALL_SERVER_LEDGER_AUDIT_CHAIN_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// Appends `event` with the next number, the budget's id and a fresh salt, and moves the
// budget's head; with it goes what a receipt of it needs. `event` has time, principal and act
// set, and the budget's spent sums are those after the act. NOT_FOUND for an unknown budget;
// INTERNAL without randomness.
absl::Status AppendEvent(SqliteConnection& connection, absl::string_view budget_id,
                         v1::LedgerEvent event);

// Entries first … first + limit − 1, as far as there are, events and salts in clear.
absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(SqliteConnection& connection,
                                                         absl::string_view budget_id, int64_t first,
                                                         int64_t limit);

// DATA_LOSS if there is no such event, or it does not parse.
absl::StatusOr<v1::LedgerEvent> EventAt(SqliteConnection& connection, absl::string_view budget_id,
                                        int64_t sequence);

// DATA_LOSS if the budget has no event, or its last one does not parse.
absl::StatusOr<int64_t> TimeOfLastEvent(SqliteConnection& connection, const BudgetRow& budget);

// Takes event and salt away unless the reader may see them: auditors all, analysts the
// custodian's acts and their own. An event that does not parse is seen by nobody.
void HideFromOthers(absl::string_view principal, bool is_auditor, v1::LedgerEntry* entry);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_AUDIT_CHAIN_H_
