#include "server/ledger/budget_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "proto/ledger.pb.h"
#include "server/ledger/audit_chain.h"

namespace topicwall::ledger {
namespace {

struct Opening {
  std::string budget_id;
  v1::BudgetOpened act;
};

absl::StatusOr<std::vector<Opening>> AllOpenings(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare("SELECT budget.budget_id, event.event FROM budget JOIN event "
                         "ON event.budget_id = budget.budget_id AND event.sequence = 1 "
                         "ORDER BY budget.rowid"));
  std::vector<Opening> openings;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return openings;
    v1::LedgerEvent event;
    if (!event.ParseFromString(row.Bytes(1))) {
      return absl::DataLossError("the ledger has lost events.");
    }
    openings.push_back({.budget_id = row.Bytes(0), .act = event.budget_opened()});
  }
}

bool DeclaresDisjoint(const Opening& opening, const Opening& other) {
  const auto& declared = opening.act.disjoint();
  return std::any_of(declared.begin(), declared.end(), [&](const v1::DisjointBudget& budget) {
    return budget.budget_id() == other.budget_id;
  });
}

v1::SharedBudget PromiseOf(const Opening& opening) {
  const bool filter = opening.act.has_filter();
  v1::SharedBudget promise;
  promise.set_budget_id(opening.budget_id);
  promise.set_epsilon(filter ? opening.act.filter().epsilon() : opening.act.inventory().epsilon());
  promise.set_delta(filter ? opening.act.filter().delta() : opening.act.inventory().delta());
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

absl::StatusOr<v1::BudgetSum> SumOf(SqliteConnection& connection, absl::string_view budget_id) {
  TW_ASSIGN_OR_RETURN(const std::vector<Opening> openings, AllOpenings(connection));
  const auto own = std::find_if(openings.begin(), openings.end(), [&](const Opening& opening) {
    return opening.budget_id == budget_id;
  });
  if (own == openings.end()) return absl::NotFoundError("no budget with this budget_id.");
  const v1::SharedBudget promise = PromiseOf(*own);
  v1::BudgetSum sum;
  sum.set_epsilon(promise.epsilon());
  sum.set_delta(promise.delta());
  for (const Opening& other : openings) {
    if (&other == &*own || DeclaresDisjoint(*own, other) || DeclaresDisjoint(other, *own)) continue;
    v1::SharedBudget& added = *sum.add_budgets();
    added = PromiseOf(other);
    sum.set_epsilon(SumRoundedUp(sum.epsilon(), added.epsilon()));
    sum.set_delta(SumRoundedUp(sum.delta(), added.delta()));
  }
  return sum;
}

absl::Status TellSums(SqliteConnection& connection, absl::string_view budget_id, int64_t now_ms) {
  TW_ASSIGN_OR_RETURN(const v1::BudgetSum of_budget, SumOf(connection, budget_id));
  std::vector<std::string> told = {std::string(budget_id)};
  for (const v1::SharedBudget& other : of_budget.budgets()) told.push_back(other.budget_id());
  if (told.size() == 1) return absl::OkStatus();
  for (const std::string& id : told) {
    v1::LedgerEvent event;
    event.set_time_ms(now_ms);
    TW_ASSIGN_OR_RETURN(*event.mutable_budgets_summed()->mutable_sum(), SumOf(connection, id));
    TW_RETURN_IF_ERROR(AppendEvent(connection, id, std::move(event)));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
