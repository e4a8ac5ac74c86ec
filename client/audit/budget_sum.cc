#include "client/audit/budget_sum.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/price_record.h"
#include "base/table.h"
#include "client/exit_code.h"
#include "client/json.h"
#include "proto/ledger.pb.h"

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
  return absl::StrCat(
      accountant::ledger::PromiseText({.epsilon = sum.epsilon(), .delta = sum.delta()}), ", with ",
      sum.budgets_size(), " other ", sum.budgets_size() == 1 ? "budget" : "budgets",
      " that may concern the same people");
}

std::string SaidOf(const v1::BudgetSum& sum) {
  return IsShared(sum) ? SumText(sum) : "there is no other";
}

void AddSumRow(const v1::BudgetSum& sum, base::Table& table, absl::string_view when) {
  if (IsShared(sum)) table.AddRow({"together", absl::StrCat(when, SumText(sum))});
}

std::string SumJson(const v1::BudgetSum& sum) { return IsShared(sum) ? JsonOf(sum) : "null"; }

// By id: nobody promises an order. Without other budgets a wall may tell its own ε or nothing at
// all, which is the same to whoever reads it.
bool IsSameSum(const v1::BudgetSum& a, const v1::BudgetSum& b) {
  if (!IsShared(a) || !IsShared(b)) return IsShared(a) == IsShared(b);
  return NumbersOf(a) == NumbersOf(b) && a.epsilon() == b.epsilon() && a.delta() == b.delta();
}

bool TellsOf(absl::string_view budget_id, absl::Span<const v1::LedgerEntry> entries) {
  const auto is_it = [budget_id](const auto& other) { return other.budget_id() == budget_id; };
  return std::any_of(entries.begin(), entries.end(), [&is_it](const v1::LedgerEntry& entry) {
    v1::LedgerEvent event;
    if (!event.ParseFromString(entry.event())) return false;
    const auto& disjoint = event.budget_opened().disjoint();
    const auto& counted = event.budgets_summed().sum().budgets();
    return std::any_of(disjoint.begin(), disjoint.end(), is_it) ||
           std::any_of(counted.begin(), counted.end(), is_it);
  });
}

absl::Status WithSum(absl::Status status, const v1::BudgetSum& sum) {
  if (ExitCodeOf(status) != ExitCode::kBudgetRefused || !IsShared(sum)) return status;
  return WithNote(std::move(status), "all together  " + SumText(sum));
}

}  // namespace topicwall::client
