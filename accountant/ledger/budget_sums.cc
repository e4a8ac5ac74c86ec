#include "accountant/ledger/budget_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "accountant/ledger/policy_record.h"

namespace topicwall::accountant::ledger {
namespace {

bool DeclaresDisjoint(const Opening& opening, const Opening& other) {
  const auto& declared = opening.disjoint;
  return std::any_of(declared.begin(), declared.end(), [&](const v1::DisjointBudget& budget) {
    return budget.budget_id() == other.share.budget_id();
  });
}

// Either may have declared it: the later one was opened with the earlier one in sight.
bool MayShare(const Opening& one, const Opening& other) {
  return !DeclaresDisjoint(one, other) && !DeclaresDisjoint(other, one);
}

std::vector<Opening>::const_iterator Find(const std::vector<Opening>& openings,
                                          absl::string_view budget_id) {
  return std::find_if(openings.begin(), openings.end(), [&](const Opening& opening) {
    return opening.share.budget_id() == budget_id;
  });
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

Opening OpeningOf(absl::string_view budget_id, const v1::BudgetOpened& act) {
  const PrivacyParams params = PromiseOf(act);
  Opening opening;
  opening.share.set_budget_id(std::string(budget_id));
  opening.share.set_epsilon(params.epsilon);
  opening.share.set_delta(params.delta);
  opening.disjoint.assign(act.disjoint().begin(), act.disjoint().end());
  return opening;
}

std::vector<Opening> OpeningsOf(const LedgerState& ledger) {
  std::vector<Opening> openings;
  for (const BudgetState& budget : ledger.budgets()) {
    openings.push_back(OpeningOf(budget.budget_id(), budget.opening()));
  }
  for (const BudgetState& budget : ledger.budgets()) AddLost(budget.sum(), &openings);
  return openings;
}

void AddLost(const v1::BudgetSum& told, std::vector<Opening>* openings) {
  for (const v1::SharedBudget& share : told.budgets()) {
    if (Find(*openings, share.budget_id()) != openings->end()) continue;
    openings->push_back({.share = share, .disjoint = {}, .lost = true});
  }
}

v1::BudgetSum SumOf(const std::vector<Opening>& openings, absl::string_view budget_id) {
  v1::BudgetSum sum;
  const auto own = Find(openings, budget_id);
  if (own == openings.end()) return sum;
  sum.set_epsilon(own->share.epsilon());
  sum.set_delta(own->share.delta());
  for (const Opening& other : openings) {
    if (&other == &*own || !MayShare(*own, other)) continue;
    *sum.add_budgets() = other.share;
    // Rounded up at every addition: what several have rounded away none at the end gives back.
    sum.set_epsilon(SumRoundedUp(sum.epsilon(), other.share.epsilon()));
    sum.set_delta(SumRoundedUp(sum.delta(), other.share.delta()));
  }
  return sum;
}

// Every budget's readers must learn it from their own chain: whoever audits one sees no other.
void TellSums(const LedgerState& ledger, const std::vector<Opening>& openings,
              absl::string_view budget_id, int64_t now_ms, Events* events) {
  const auto own = Find(openings, budget_id);
  const bool any_lost = std::any_of(openings.begin(), openings.end(),
                                    [](const Opening& opening) { return opening.lost; });
  std::vector<std::string> told = {std::string(budget_id)};
  for (const Opening& other : openings) {
    // A lost one may have been heard of only now, and concerns everybody.
    if (&other == &*own || other.lost || !(any_lost || MayShare(*own, other))) continue;
    told.push_back(other.share.budget_id());
  }
  if (told.size() == 1 && !any_lost) return;
  for (const std::string& id : told) {
    v1::LedgerEvent event;
    event.set_time_ms(now_ms);
    *event.mutable_budgets_summed()->mutable_sum() = SumOf(openings, id);
    Add(ledger, id, std::move(event), events);
  }
}

}  // namespace topicwall::accountant::ledger
