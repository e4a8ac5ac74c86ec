// What budgets that may concern the same people promise together, in words.
//
//   if (IsShared(description.sum())) table.AddRow({"together", SumText(description.sum())});
//
// ε of one budget is only part of what somebody can lose who is in the corpora of several. Wherever
// ε of a budget is told, this is told beside it; where a budget stands alone there is nothing to
// add. Which budgets may share people is declared by the custodian. PUBLIC. Pure functions.
#ifndef TOPICWALL_CLIENT_AUDIT_BUDGET_SUM_H_
#define TOPICWALL_CLIENT_AUDIT_BUDGET_SUM_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/table.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// Whether there is another budget.
bool IsShared(const v1::BudgetSum& sum);

// "epsilon 5.0000 at delta 2e-05, with 1 other budget that may concern the same people", or "no
// promise (delta would be 1), with …"; "" if the budget stands alone.
std::string SumText(const v1::BudgetSum& sum);
// The row "together", unless it stands alone; `when`, before it, for a sum that may be no more.
void AddSumRow(const v1::BudgetSum& sum, base::Table& table, absl::string_view when = "");
// Of the same, as JSON: the message; null if it stands alone.
std::string SumJson(const v1::BudgetSum& sum);

// What is said of others: SumText, or that there is none.
std::string SaidOf(const v1::BudgetSum& sum);

// The same budgets with the same numbers, in whatever order.
bool IsSameSum(const v1::BudgetSum& a, const v1::BudgetSum& b);

// Whether a chain knows of that budget: counts it in what is promised together, or has it declared
// to be of other people.
bool TellsOf(absl::string_view budget_id, absl::Span<const v1::LedgerEntry> entries);

// A budget's refusal, which tells the ε of one budget, with the sum for Explain (exit_code.h) to
// tell. Any other status as it is.
absl::Status WithSum(absl::Status status, const v1::BudgetSum& sum);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_BUDGET_SUM_H_
