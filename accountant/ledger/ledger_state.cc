#include "accountant/ledger/ledger_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"

namespace topicwall::accountant::ledger {
namespace {

const BudgetState* At(const std::vector<BudgetState>& budgets,
                      const std::map<std::string, std::size_t>& index, const std::string& key) {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : &budgets[found->second];
}

}  // namespace

// All that can fail comes before the indices are touched. A new budget is folded aside and moved in
// at the end. A budget keeps its place in the vector, so that the place stands for it in the
// indices; a pointer would not outlive the next push_back.
absl::Status LedgerState::Apply(absl::string_view budget_id, const v1::LedgerEntry& entry) {
  const auto known = by_id_.find(budget_id);
  BudgetState opened;
  BudgetState& budget = known == by_id_.end() ? opened : budgets_[known->second];
  const std::size_t place = known == by_id_.end() ? budgets_.size() : known->second;
  v1::LedgerEvent event;
  TW_RETURN_IF_ERROR(proto::VerifyEntry(entry, budget.length(), budget.head(), &event));
  if (event.budget_id() != budget_id) {
    return absl::DataLossError(absl::StrCat("ledger event ", entry.sequence(), " of budget ",
                                            budget_id, " is another budget's."));
  }
  // Ids are given once in a ledger, not once in a budget.
  const std::string& version = event.corpus_joined().corpus_version();
  const std::string& plan_id = event.plan_reserved().plan_id();
  if ((event.has_corpus_joined() && by_corpus_.count(version) != 0) ||
      (event.has_plan_reserved() && by_plan_.count(plan_id) != 0)) {
    return absl::DataLossError(absl::StrCat("ledger event ", entry.sequence(), " of budget ",
                                            budget_id, " gives an id a second time."));
  }
  TW_RETURN_IF_ERROR(budget.ApplyVerified(entry, event));
  if (event.has_corpus_joined()) by_corpus_[version] = place;
  if (event.has_plan_reserved()) by_plan_[plan_id] = place;
  if (known == by_id_.end()) {
    by_id_.emplace(budget_id, place);
    budgets_.push_back(std::move(opened));
  }
  return absl::OkStatus();
}

absl::StatusOr<const BudgetState*> LedgerState::Find(absl::string_view budget_id) const {
  const auto found = by_id_.find(budget_id);
  if (found == by_id_.end()) {
    return absl::NotFoundError(
        absl::StrCat("the ledger has no budget ", budget_id,
                     ". If a backup was restored, it may have been opened after that: then what it "
                     "paid for stays spent, and its documents get no other."));
  }
  return &budgets_[found->second];
}

const BudgetState* LedgerState::WithCorpus(const std::string& corpus_version) const {
  return At(budgets_, by_corpus_, corpus_version);
}

const BudgetState* LedgerState::WithPlan(const std::string& plan_id) const {
  return At(budgets_, by_plan_, plan_id);
}

absl::Status RequireThawed(const BudgetState& budget) {
  if (!budget.frozen()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the corpus is frozen: its ledger was restored from a backup and the custodian has not "
      "thawed it. Stored releases can be read.");
}

absl::Status RequireOpen(const BudgetState& budget, const Corpus& corpus) {
  TW_RETURN_IF_ERROR(RequireThawed(budget));
  if (!corpus.paused()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      corpus.unreadable > 0
          ? "the corpus is paused: documents could not be read. Ask the custodian."
          : "the corpus is paused: too many releases missed their instant. Ask the custodian.");
}

void Add(const LedgerState& ledger, absl::string_view budget_id, v1::LedgerEvent event,
         Events* events) {
  const absl::StatusOr<const BudgetState*> budget = ledger.Find(budget_id);
  const int64_t length = budget.ok() ? (*budget)->length() : 0;
  const int64_t before =
      std::count_if(events->begin(), events->end(),
                    [&](const v1::LedgerEvent& other) { return other.budget_id() == budget_id; });
  // Behind the chain and behind what this act has already added to the same chain.
  event.set_sequence(length + before + 1);
  event.set_budget_id(std::string(budget_id));
  events->push_back(std::move(event));
}

v1::LedgerEntry EntryOf(const v1::LedgerEvent& event, absl::string_view salt,
                        absl::string_view previous_head) {
  v1::LedgerEntry entry;
  entry.set_sequence(event.sequence());
  entry.set_event(event.SerializeAsString());
  entry.set_salt(std::string(salt));
  entry.set_commitment(proto::EventCommitment(salt, entry.event()));
  entry.set_head(proto::NextHead(previous_head, entry.commitment()));
  return entry;
}

}  // namespace topicwall::accountant::ledger
