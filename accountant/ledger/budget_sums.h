// Which budgets of a ledger may concern the same people, and what they promise together.
//
// Whoever is in the corpora of two budgets loses what both allow: (Σ ε, Σ δ), by basic
// composition, which holds for analysts who choose adaptively across budgets. If two budgets have
// different privacy units each promise is for its own unit, and the sum is what holds for whoever
// has one unit in each. Whether people may be in both is DECLARED by the custodian when the later
// one is opened (BudgetOpened.disjoint), and never found by looking: an answer that depends on
// whether units are shared is a bit about one person. Without a declaration they may be.
//
// PUBLIC: functions of recorded openings. Pure, any thread.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_SUMS_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_SUMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "accountant/ledger/ledger_state.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

// a + b, never below the sum of these two numbers. Both finite and >= 0.
double SumRoundedUp(double a, double b);

struct Opening {
  v1::SharedBudget share;  // what it promises
  std::vector<v1::DisjointBudget> disjoint;
  bool lost = false;
};
Opening OpeningOf(absl::string_view budget_id, const v1::BudgetOpened& act);
// The ledger's, and behind them those that are lost: a sum in a chain counts them, and the ledger,
// restored from a backup that is older than they are, does not have them. What was released from
// them is not taken back, and what they declared is not known: everybody may share with them.
std::vector<Opening> OpeningsOf(const LedgerState& ledger);
// The same of a sum that a lost ledger told.
void AddLost(const v1::BudgetSum& told, std::vector<Opening>* openings);

// The budget (one of `openings`) and all that may share people with it, in the order of
// `openings`. Sums are rounded up.
v1::BudgetSum SumOf(const std::vector<Opening>& openings, absl::string_view budget_id);

// Adds a BudgetsSummed to the chain of the budget and of every budget that may share people with
// it, or with a lost one; none if it stands alone. For every act that makes or changes a promise.
void TellSums(const LedgerState& ledger, const std::vector<Opening>& openings,
              absl::string_view budget_id, int64_t now_ms, Events* events);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_SUMS_H_
