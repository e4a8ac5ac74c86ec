// Whether what stands beside the chains is theirs. Rows have no hashes; each is of a charge, and a
// charge's event says what its row may be.
//
// PRIVATE, as the rows are. Errors: the store's, and as below. Threads: any.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_KEPT_ROWS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_KEPT_ROWS_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "accountant/ledger/ledger_state.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/folded/release_keys.h"
#include "server/ledger/ledger_seals.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// DATA_LOSS of rows that are not those of the charges.
absl::Status RowsDiffer();

// The plan and the iteration that an event charged; an open charge has one.
std::pair<const accountant::ledger::Plan*, int> ChargedBy(
    const accountant::ledger::BudgetState& budget, int64_t sequence);

// Of a row, if there are seals, whether its release is the one that was stored; if there are keys,
// whether its key is the one that the charge names. DATA_LOSS (NotTheCustodians). One that does not
// open is nobody's: its release will be given up.
absl::Status CheckRow(const accountant::ledger::LedgerState& state, const store::OpenCharge& row,
                      const LedgerSeals* seals, const ReleaseKeys* keys);

// Whether a charge that has not ended may be without a row: no backup has keys, and what was taken
// over from a lost ledger comes without.
bool MayLackRow(const accountant::ledger::BudgetState& budget,
                const accountant::ledger::Charge& charge);

// Whether the rows are those of the charges that have not ended, all but such and no others.
// DATA_LOSS. Cost: looks at all charges.
absl::Status CheckOpenCharges(const accountant::ledger::LedgerState& state,
                              const decltype(KeptState::open)& open, bool is_backup);

// Whether what stands beside the chains is theirs: the epoch is none from before they were
// restored, every open charge is one that has not ended, and every plan's text is the one that was
// priced. DATA_LOSS. A backup has no open charges but those whose release is stored. Cost: reads
// the text of every plan.
absl::Status CheckRows(store::EventStore& store, const KeptState& state);

// Every stored release against its digests. DATA_LOSS. Cost: reads them all.
absl::Status CheckReleases(store::EventStore& store, const KeptState& state);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_KEPT_ROWS_H_
