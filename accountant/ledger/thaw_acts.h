// Decides the three ways out of the frozen state of a restored budget.
//
// What happened between the backup and the loss is unknown to a restored ledger: whoever was
// released to knows it. In all three, plans that were active stay paused and give nothing back:
// what they had left counts as charged. Each ends with a BudgetThawed event, which says what was
// taken for the newest head, and tells the sums again. FAILED_PRECONDITION if nothing fits. By a
// head and by events want evidence that they are the newest (thaw_evidence.h).
//
// PUBLIC. Pure functions, any thread; Decide and Events as ledger_state.h says. Cost: a signature a
// receipt; by events, folding what the export shows beyond the backup, and a price a plan.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_THAW_ACTS_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_THAW_ACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/ledger/ledger_state.h"
#include "accountant/ledger/thaw_evidence.h"
#include "proto/ledger.pb.h"

namespace topicwall::accountant::ledger {

// Somebody outside confirms that nothing was lost: `head` (32 bytes), which an auditor noted last,
// is where the backup of a frozen budget ends. That one thaws.
struct ThawByHeadAct {
  std::string head;
  ThawEvidence evidence;
  // From the chain as it is kept: the heads of the budget's first `length` entries, each of which
  // was verified to follow from the one before. DATA_LOSS if the last one is not `head`.
  absl::FunctionRef<absl::StatusOr<std::vector<std::string>>(absl::string_view budget_id,
                                                             int64_t length)>
      heads_to;
  int64_t now_ms;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const ThawByHeadAct& act);

// `lost` is the chain of a frozen budget from its first entry, agrees with it where the backup
// ends, shows every event beyond, and ends in a head that the budget's own key signed. What
// happened beyond is taken over word for word, under new numbers: plans and charges as spent, at
// the price that the budget's own policy asks, which must be the one recorded; and publications,
// restarts, voids and acknowledgements, so that the counts are those of the budget's life. Cancels
// are not, since an export cannot prove that it is the last word; nor pauses (all plans are
// paused), restores and thaws of the lost ledger; sums are told anew, with the budgets they show.
// INVALID_ARGUMENT if the export does not verify or cannot have happened.
struct ThawByEventsAct {
  const v1::LedgerExport& lost;
  ThawEvidence evidence;
  // From the chain as it is kept: the fold of the budget's first `length` entries.
  absl::FunctionRef<absl::StatusOr<BudgetState>(absl::string_view budget_id, int64_t length)>
      state_at;
  int64_t now_ms;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const ThawByEventsAct& act);

// Nobody knows: the whole budget counts as spent, for ever. Releases stay readable. NOT_FOUND.
struct ForfeitAct {
  std::string budget_id;
  int64_t now_ms;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const ForfeitAct& act);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_THAW_ACTS_H_
