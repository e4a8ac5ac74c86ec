#include "client/audit/wall_audit.h"

#include <utility>

#include "base/status_macros.h"
#include "client/audit/budget_sum.h"

namespace topicwall::client {

absl::StatusOr<WallAudit> AuditWall(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(corpus));
  v1::GetBudgetRequest request;
  request.set_corpus(corpus);
  // In this order: the ledger that is read then has at least as many entries as the budget counts.
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall.GetBudget(request));
  TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEntry> entries, wall.ReadLedger(corpus, 1));
  TW_ASSIGN_OR_RETURN(LedgerAudit audit, AuditLedger(entries, budget));
  // The description is what most analysts ever read of a corpus. A wall that keeps quiet there
  // shows its auditors something else than everybody.
  if (!IsSameSum(description.sum(), budget.sum())) {
    audit.findings.push_back(
        "DescribeCorpus tells another sum over budgets that may concern the same people than "
        "GetBudget.");
  }
  return WallAudit{.budget = budget, .entries = std::move(entries), .audit = std::move(audit)};
}

}  // namespace topicwall::client
