#include "client/audit/budget_sum.h"

#include <map>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/table.h"
#include "client/exit_code.h"
#include "client/json.h"

namespace topicwall::client {
namespace {

using Numbers = std::map<std::string, std::pair<double, double>>;

Numbers NumbersOf(const v1::BudgetSum& sum) {
  Numbers numbers;
  for (const v1::SharedBudget& budget : sum.budgets()) {
    numbers[budget.budget_id()] = {budget.epsilon(), budget.delta()};
  }
  return numbers;
}

}  // namespace

bool IsShared(const v1::BudgetSum& sum) { return !sum.budgets().empty(); }

std::string SumText(const v1::BudgetSum& sum) {
  if (!IsShared(sum)) return "";
  return absl::StrFormat(
      "epsilon %.4f at delta %g, with %d other %s that may concern the same people", sum.epsilon(),
      sum.delta(), sum.budgets_size(), sum.budgets_size() == 1 ? "budget" : "budgets");
}

void AddSumRow(const v1::BudgetSum& sum, base::Table& table) {
  if (IsShared(sum)) table.AddRow({"together", SumText(sum)});
}

std::string SumJson(const v1::BudgetSum& sum) { return IsShared(sum) ? JsonOf(sum) : "null"; }

// By id: nobody promises an order. Without other budgets a wall may tell its own ε or nothing at
// all, which is the same to whoever reads it.
bool IsSameSum(const v1::BudgetSum& a, const v1::BudgetSum& b) {
  if (!IsShared(a) || !IsShared(b)) return IsShared(a) == IsShared(b);
  return NumbersOf(a) == NumbersOf(b) && a.epsilon() == b.epsilon() && a.delta() == b.delta();
}

absl::Status WithSum(absl::Status status, const v1::BudgetSum& sum) {
  if (ExitCodeOf(status) != ExitCode::kBudgetRefused || !IsShared(sum)) return status;
  return WithNote(std::move(status), "all together  " + SumText(sum));
}

}  // namespace topicwall::client
