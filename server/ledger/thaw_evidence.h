// Whether a chain that is said to be the newest is contradicted, or backed, by those who were
// released to.
//
// Every act on a plan gave its principal a signed receipt, which names its place in the chain. A
// chain that does not hold such a place, as it was, is older than the receipt, or another history.
// If everybody who ever had a plan has shown the newest receipt they have, and the chain holds all
// of them, then what it misses was charged to nobody who says so. Pure functions. PUBLIC.
#ifndef TOPICWALL_SERVER_LEDGER_THAW_EVIDENCE_H_
#define TOPICWALL_SERVER_LEDGER_THAW_EVIDENCE_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/ledger_requests.h"

namespace topicwall::ledger {

// What is said to be all of a budget's chain.
struct ClaimedChain {
  int64_t length;
  absl::FunctionRef<absl::StatusOr<std::string>(int64_t sequence)> head_at;  // 1 … length
  std::set<std::string> principals;  // who ever had a plan in it
};

// True if all of its principals have shown a receipt of this budget that the chain holds. False if
// somebody has not and `evidence` forfeits for that. FAILED_PRECONDITION if it does not, naming
// them; or if a receipt is beyond the chain or not in it, whatever is forfeited; INVALID_ARGUMENT
// for one that is not signed with the budget's key. Receipts of other budgets count for nothing.
absl::StatusOr<bool> AllHaveShown(const BudgetRow& budget, const ClaimedChain& chain,
                                  const ThawEvidence& evidence);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_THAW_EVIDENCE_H_
