#include "server/ledger/thaw_evidence.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "proto/receipt.h"

namespace topicwall::ledger {
namespace {

absl::Status RequireHolds(const ClaimedChain& chain, const proto::OpenedReceipt& opened) {
  const v1::LedgerEntry& entry = opened.receipt.entry();
  const std::string name = absl::StrCat("the receipt of ", opened.event.principal(), " at entry ",
                                        entry.sequence(), " (", proto::DescribeAct(opened.event));
  if (entry.sequence() > chain.length) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, ") is newer than what is said to be the newest: it ends at entry ",
                     chain.length, ". Get a later export, or forfeit."));
  }
  TW_ASSIGN_OR_RETURN(const std::string head, chain.head_at(entry.sequence()));
  if (head == entry.head()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(name,
                   ") is of another history than this chain, which has another head there. Get the "
                   "export that continues it, or forfeit."));
}

}  // namespace

absl::StatusOr<bool> AllHaveShown(const BudgetRow& budget, const ClaimedChain& chain,
                                  const ThawEvidence& evidence) {
  std::set<std::string> missing = chain.principals;
  for (const v1::SignedReceipt& receipt : evidence.receipts) {
    const absl::StatusOr<proto::OpenedReceipt> opened =
        proto::OpenReceipt(receipt, budget.signing_key);
    if (!opened.ok()) return absl::InvalidArgumentError(opened.status().message());
    if (opened->event.budget_id() != budget.budget_id) continue;
    TW_RETURN_IF_ERROR(RequireHolds(chain, *opened));
    missing.erase(opened->event.principal());
  }
  if (missing.empty()) return true;
  if (evidence.forfeit_unseen) return false;
  return absl::FailedPreconditionError(absl::StrCat(
      "budget ", budget.budget_id, " needs the newest receipt of everybody who ever had a plan; ",
      "none was shown of: ", absl::StrJoin(missing, ", "),
      ". Ask them for the file that their client keeps (--receipts FILE), or give "
      "--forfeit-unseen, which counts everything that was left as spent."));
}

}  // namespace topicwall::ledger
