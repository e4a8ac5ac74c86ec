// The three ways out of the frozen state of a restored budget (custodian_acts.h says when
// each is right). Each checks its ground, appends what it takes over and a BudgetThawed
// event, and unfreezes. Callers hold a write transaction and the ledger's mutex; after an
// error they roll back. FAILED_PRECONDITION if the budget is not frozen or the ground does
// not hold; the first two also as AllHaveShown (thaw_evidence.h) answers for `evidence`.
//
// "Where the backup ends" is the entry before the BudgetRestored event: the numbers from
// there on were used for other events in the ledger that was lost.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_THAW_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_THAW_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "server/ledger/ledger_requests.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// `head` (32 bytes) is the head where the backup of a frozen budget ends.
absl::Status ThawWithHead(SqliteConnection& connection, absl::string_view head,
                          const ThawEvidence& evidence, int64_t now_ms);

// `lost` is the chain of a frozen budget from its first entry, agrees with it where the
// backup ends, shows every event beyond, and ends in a head that the budget's own key signed. Plans
// and charges beyond are taken over as spent, at the price that the budget's own policy asks, which
// must be the one recorded; cancels beyond are not, since an export cannot prove that it is the
// last word. INVALID_ARGUMENT if the export does not verify.
absl::Status ThawWithEvents(SqliteConnection& connection, const v1::LedgerExport& lost,
                            const ThawEvidence& evidence, int64_t now_ms);

// Nothing is left to spend from now on, for ever. NOT_FOUND for an unknown budget.
absl::Status ThawWithNothing(SqliteConnection& connection, absl::string_view budget_id,
                             int64_t now_ms);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_THAW_H_
