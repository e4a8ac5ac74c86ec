// What says that a chain is the newest: the receipts of whoever was released to.
//
// A head that somebody noted, or an export, may be older than the loss, which cannot be seen from
// inside. But every act on a plan gave its principal a signed receipt, which names its place in the
// chain. A chain that does not hold such a place, as it was, is older than the receipt, or another
// history. If everybody who ever had a plan has shown the newest receipt they have, and the chain
// holds all of them, then what it misses was charged to nobody who says so.
//
// A receipt of a budget that the ledger does not have is evidence, too: of one that was opened
// after the backup, and whose promise counts for whoever is in it.
//
// PUBLIC. Pure functions, any thread. Cost: a signature a receipt.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_THAW_EVIDENCE_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_THAW_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/ledger/budget_state.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

struct ThawEvidence {
  // The newest receipt of every principal who ever had a plan of the budget, and any others.
  std::vector<v1::SignedReceipt> receipts = {};
  // Somebody's is not to be had: everything that was left then counts as spent.
  bool forfeit_unseen = false;
};

// What is said to be all of a budget's chain.
struct ClaimedChain {
  std::vector<std::string> heads;  // of entry 1, 2, …
  const BudgetState& state;        // at its end

  int64_t length() const { return static_cast<int64_t>(heads.size()); }
};

struct Shown {
  // False if somebody has not shown a receipt and the evidence forfeits for that.
  bool by_all = false;
  // What other budgets promise, by their receipts, one each: for AddLost (budget_sums.h), which
  // takes of each that the ledger does not have the first. ε and δ of the sum are not set.
  v1::BudgetSum others;
};
// A receipt that is not signed with the budget's key is INVALID_ARGUMENT; one beyond the end of
// `chain`, or not in it, FAILED_PRECONDITION, whatever is forfeited; so are missing ones, whose
// principals the message names. Those of other budgets are compared with nothing.
absl::StatusOr<Shown> ShownBy(const ThawEvidence& evidence, const BudgetState& budget,
                              const ClaimedChain& chain);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_THAW_EVIDENCE_H_
