#include "accountant/ledger/budget_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "accountant/ledger/policy_record.h"

namespace topicwall::accountant::ledger {
namespace {

bool DeclaresDisjoint(const Opening& opening, const Opening& other) {
  const auto& declared = opening.act.disjoint();
  return std::any_of(declared.begin(), declared.end(), [&](const v1::DisjointBudget& budget) {
    return budget.budget_id() == other.budget_id;
  });
}

v1::SharedBudget ShareOf(const Opening& opening) {
  const PrivacyParams params = PromiseOf(opening.act);
  v1::SharedBudget promise;
  promise.set_budget_id(opening.budget_id);
  promise.set_epsilon(params.epsilon);
  promise.set_delta(params.delta);
  return promise;
}

}  // namespace

double SumRoundedUp(double a, double b) {
  const double sum = a + b;
  // What was rounded off, exactly: with |big| >= |small|, big - sum has no rounding error.
  const double big = std::max(a, b);
  const double small = std::min(a, b);
  const double lost = small - (sum - big);
  return lost > 0 ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
}

std::vector<Opening> OpeningsOf(const LedgerState& ledger) {
  std::vector<Opening> openings;
  for (const BudgetState& budget : ledger.budgets()) {
    openings.push_back({.budget_id = budget.budget_id(), .act = budget.opening()});
  }
  return openings;
}

v1::BudgetSum SumOf(const std::vector<Opening>& openings, absl::string_view budget_id) {
  v1::BudgetSum sum;
  const auto own = std::find_if(openings.begin(), openings.end(), [&](const Opening& opening) {
    return opening.budget_id == budget_id;
  });
  if (own == openings.end()) return sum;
  const v1::SharedBudget promise = ShareOf(*own);
  sum.set_epsilon(promise.epsilon());
  sum.set_delta(promise.delta());
  for (const Opening& other : openings) {
    // Either may have declared it: the later one was opened with the earlier one in sight.
    if (&other == &*own || DeclaresDisjoint(*own, other) || DeclaresDisjoint(other, *own)) continue;
    v1::SharedBudget& added = *sum.add_budgets();
    added = ShareOf(other);
    // Rounded up at every addition: what several have rounded away none at the end gives back.
    sum.set_epsilon(SumRoundedUp(sum.epsilon(), added.epsilon()));
    sum.set_delta(SumRoundedUp(sum.delta(), added.delta()));
  }
  return sum;
}

// Every budget's readers must learn it from their own chain: whoever audits one sees no other.
void TellSums(const LedgerState& ledger, const std::vector<Opening>& openings,
              absl::string_view budget_id, int64_t now_ms, Events* events) {
  std::vector<std::string> told = {std::string(budget_id)};
  const v1::BudgetSum of_budget = SumOf(openings, budget_id);
  for (const v1::SharedBudget& other : of_budget.budgets()) told.push_back(other.budget_id());
  if (told.size() == 1) return;
  for (const std::string& id : told) {
    v1::LedgerEvent event;
    event.set_time_ms(now_ms);
    *event.mutable_budgets_summed()->mutable_sum() = SumOf(openings, id);
    Add(ledger, id, std::move(event), events);
  }
}

}  // namespace topicwall::accountant::ledger
