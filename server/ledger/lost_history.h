// What an export shows of a lost ledger beyond the backup that was put in its place.
//
// A file from outside is believed in nothing that can be checked: its chain is recomputed, must
// agree with the backup where that ends, and must end in a head that was signed with the budget's
// own key; everything that happened beyond is done over again (budget_replay.h) on what the backup
// knows, and every plan's cost must be what the budget's own policy asks. Callers hold a
// transaction and the ledger's mutex. PUBLIC. Cost: as opening the ledger, and a price a plan.
#ifndef TOPICWALL_SERVER_LEDGER_LOST_HISTORY_H_
#define TOPICWALL_SERVER_LEDGER_LOST_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/ledger.pb.h"
#include "server/ledger/budget_picture.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

struct LostHistory {
  std::vector<v1::LedgerEvent> beyond;  // the events behind where the backup ends, in order
  BudgetPicture picture;                // of the budget after the last of them
};

// `budget` is frozen. FAILED_PRECONDITION if the export is not the backup's continuation, hides an
// event beyond, has no signed head (then it says what to do), or another cost than the policy's;
// INVALID_ARGUMENT if it does not verify or cannot have happened.
absl::StatusOr<LostHistory> ReadLostHistory(SqliteConnection& connection, const BudgetRow& budget,
                                            const v1::LedgerExport& lost);

// The head of the budget's own chain at entry `sequence`; of the empty chain for 0.
absl::StatusOr<std::string> HeadAt(SqliteConnection& connection, const BudgetRow& budget,
                                   int64_t sequence);

// INVALID_ARGUMENT: the one refusal for what cannot have happened.
absl::Status ImpossibleEvent();

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LOST_HISTORY_H_
