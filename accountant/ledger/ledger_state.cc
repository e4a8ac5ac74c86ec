#include "accountant/ledger/ledger_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"

namespace topicwall::accountant::ledger {
namespace {

template <typename Budgets>
auto Seek(Budgets& budgets, absl::string_view budget_id) {
  return std::find_if(budgets.begin(), budgets.end(),
                      [&](const BudgetState& budget) { return budget.budget_id() == budget_id; });
}

// Ids are given once in a ledger, not once in a budget.
bool IsTakenElsewhere(const LedgerState& ledger, absl::string_view budget_id,
                      const v1::LedgerEntry& entry) {
  v1::LedgerEvent event;
  if (!event.ParseFromString(entry.event())) return false;  // Apply will say so
  const BudgetState* owner = nullptr;
  if (event.has_corpus_joined()) owner = ledger.WithCorpus(event.corpus_joined().corpus_version());
  if (event.has_plan_reserved()) owner = ledger.WithPlan(event.plan_reserved().plan_id());
  return owner != nullptr && owner->budget_id() != budget_id;
}

}  // namespace

absl::Status LedgerState::Apply(absl::string_view budget_id, const v1::LedgerEntry& entry) {
  if (IsTakenElsewhere(*this, budget_id, entry)) {
    return absl::DataLossError(absl::StrCat("ledger event ", entry.sequence(), " of budget ",
                                            budget_id, " gives an id of another budget again."));
  }
  const auto budget = Seek(budgets_, budget_id);
  if (budget != budgets_.end()) return budget->Apply(entry);
  BudgetState opened;
  TW_RETURN_IF_ERROR(opened.Apply(entry));
  if (opened.budget_id() != budget_id) {
    return absl::DataLossError(absl::StrCat("budget ", budget_id, " begins with another's event."));
  }
  budgets_.push_back(std::move(opened));
  return absl::OkStatus();
}

absl::StatusOr<const BudgetState*> LedgerState::Find(absl::string_view budget_id) const {
  const auto budget = Seek(budgets_, budget_id);
  if (budget == budgets_.end()) return absl::NotFoundError("no budget with this budget_id.");
  return &*budget;
}

const BudgetState* LedgerState::WithCorpus(const std::string& corpus_version) const {
  for (const BudgetState& budget : budgets_) {
    if (budget.FindCorpus(corpus_version) != nullptr) return &budget;
  }
  return nullptr;
}

const BudgetState* LedgerState::WithPlan(const std::string& plan_id) const {
  for (const BudgetState& budget : budgets_) {
    if (budget.FindPlan(plan_id) != nullptr) return &budget;
  }
  return nullptr;
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
  const auto budget = Seek(ledger.budgets(), budget_id);
  const int64_t length = budget == ledger.budgets().end() ? 0 : budget->length();
  const int64_t before =
      std::count_if(events->begin(), events->end(),
                    [&](const v1::LedgerEvent& other) { return other.budget_id() == budget_id; });
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
