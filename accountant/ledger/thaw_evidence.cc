#include "accountant/ledger/thaw_evidence.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "proto/receipt.h"

namespace topicwall::accountant::ledger {
namespace {

std::set<std::string> PrincipalsOf(const BudgetState& budget) {
  std::set<std::string> principals;
  for (const auto& [id, plan] : budget.plans()) principals.insert(plan.principal);
  return principals;
}

absl::Status RequireHolds(const ClaimedChain& chain, const proto::OpenedReceipt& opened) {
  const v1::LedgerEntry& entry = opened.receipt.entry();
  const std::string name = absl::StrCat("the receipt of ", opened.event.principal(), " at entry ",
                                        entry.sequence(), " (", proto::DescribeAct(opened.event));
  if (entry.sequence() > chain.length()) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, ") is newer than what is said to be the newest: it ends at entry ",
                     chain.length(), ". Get a later export, or forfeit."));
  }
  const auto place = static_cast<size_t>(entry.sequence() - 1);
  if (entry.sequence() > 0 && chain.heads[place] == entry.head()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(name,
                   ") is of another history than this chain, which has another head there. Get the "
                   "export that continues it, or forfeit."));
}

void AddPromise(const proto::OpenedReceipt& opened, v1::BudgetSum* promises) {
  v1::SharedBudget& share = *promises->add_budgets();
  share.set_budget_id(opened.event.budget_id());
  share.set_epsilon(opened.receipt.epsilon());
  share.set_delta(opened.receipt.delta());
}

}  // namespace

absl::StatusOr<Shown> ShownBy(const ThawEvidence& evidence, const BudgetState& budget,
                              const ClaimedChain& chain) {
  Shown shown;
  // Of the claimed end and not of the backup: whoever came in between has to be asked, too.
  std::set<std::string> missing = PrincipalsOf(chain.state);
  for (const v1::SignedReceipt& receipt : evidence.receipts) {
    const absl::StatusOr<proto::OpenedReceipt> opened =
        proto::OpenReceipt(receipt, budget.signing_key());
    if (!opened.ok()) return absl::InvalidArgumentError(opened.status().message());
    // A receipts.pb may hold those of other budgets, all under the one key of the ledger.
    if (opened->event.budget_id() != budget.budget_id()) {
      AddPromise(*opened, &shown.others);
      continue;
    }
    TW_RETURN_IF_ERROR(RequireHolds(chain, *opened));
    missing.erase(opened->event.principal());
  }
  shown.by_all = missing.empty();
  if (shown.by_all || evidence.forfeit_unseen) return shown;
  return absl::FailedPreconditionError(absl::StrCat(
      "budget ", budget.budget_id(), " needs the newest receipt of everybody who ever had a plan; ",
      "none was shown of: ", absl::StrJoin(missing, ", "),
      ". Ask them for every receipts.pb that they have (--receipts FILE each), or give "
      "--forfeit-unseen, which counts everything that was left as spent."));
}

}  // namespace topicwall::accountant::ledger
