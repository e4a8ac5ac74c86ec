// What a ledger stands at: its budgets, each the fold of its own chain, and what acts ask of them.
//
//   LedgerState ledger;
//   for (each chain, oldest first) for (entry : chain) TW_RETURN_IF_ERROR(ledger.Apply(id, entry));
//   TW_ASSIGN_OR_RETURN(const Events events, Decide(ledger, act));   // plan_acts.h and its likes
//   … append them, durably, all or none; then ledger.Apply each entry.
//
// An act is decided by a pure function Decide(ledger, act): the events that it leads to, perhaps
// none, or the refusal. It changes nothing, and needs no lock on a copy: what it decided holds as
// long as the chains that it names still have the lengths it was decided at, which the append
// compares. Events come complete but for their salts.
//
// PUBLIC. A value; const methods from any thread.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_LEDGER_STATE_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_LEDGER_STATE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/ledger/budget_state.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

class LedgerState {
 public:
  // The next entry of this budget's chain; its first one adds the budget. DATA_LOSS as
  // BudgetState::Apply, and for a corpus or plan that another budget has; nothing is changed then.
  absl::Status Apply(absl::string_view budget_id, const v1::LedgerEntry& entry);

  // In the order in which they were opened, which whoever keeps the chains remembers.
  const std::vector<BudgetState>& budgets() const { return budgets_; }

  // NOT_FOUND.
  absl::StatusOr<const BudgetState*> Find(absl::string_view budget_id) const;
  // Null if there is none.
  const BudgetState* WithCorpus(const std::string& corpus_version) const;
  const BudgetState* WithPlan(const std::string& plan_id) const;

 private:
  std::vector<BudgetState> budgets_;
  // Where each is in budgets_.
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::map<std::string, std::size_t> by_corpus_;  // version
  std::map<std::string, std::size_t> by_plan_;
};

// FAILED_PRECONDITION if the budget is frozen; if it is, or the corpus is paused.
absl::Status RequireThawed(const BudgetState& budget);
absl::Status RequireOpen(const BudgetState& budget, const Corpus& corpus);

// What an act leads to, in order; several chains may be among them, each without a gap.
using Events = std::vector<v1::LedgerEvent>;

// Adds the event, with its budget's id and the number it will have behind those already there.
void Add(const LedgerState& ledger, absl::string_view budget_id, v1::LedgerEvent event,
         Events* events);

// An event as it stands in a chain behind `previous_head`. `salt`: 16 bytes.
v1::LedgerEntry EntryOf(const v1::LedgerEvent& event, absl::string_view salt,
                        absl::string_view previous_head);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_LEDGER_STATE_H_
