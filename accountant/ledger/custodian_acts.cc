#include "accountant/ledger/custodian_acts.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/budget_sums.h"
#include "accountant/ledger/policy_record.h"
#include "base/status_macros.h"

namespace topicwall::accountant::ledger {
namespace {

absl::Status CheckNewCorpus(const LedgerState& ledger, const std::string& corpus,
                            const std::string& corpus_version) {
  if (corpus.empty()) return absl::InvalidArgumentError("corpus must have a name.");
  if (corpus_version.size() != kCorpusVersionSize) {
    return absl::InvalidArgumentError(absl::StrCat("corpus_version must be ", kCorpusVersionSize,
                                                   " bytes; got ", corpus_version.size(), "."));
  }
  if (ledger.WithCorpus(corpus_version) == nullptr) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("this version of ", corpus, " has a budget already."));
}

void AddCorpus(const LedgerState& ledger, const JoinAct& act, Events* events) {
  v1::LedgerEvent event;
  event.set_time_ms(act.now_ms);
  event.mutable_corpus_joined()->set_corpus(act.corpus);
  event.mutable_corpus_joined()->set_corpus_version(act.corpus_version);
  Add(ledger, act.budget_id, std::move(event), events);
}

absl::StatusOr<v1::BudgetOpened> RecordOf(const LedgerState& ledger, const OpenAct& act) {
  v1::BudgetOpened opening;
  opening.set_custodian_id(act.custodian_id);
  SetPolicy(act.policy, &opening);
  opening.set_privacy_unit(act.privacy_unit);
  for (const v1::DisjointBudget& other : act.disjoint) {
    TW_RETURN_IF_ERROR(ledger.Find(other.budget_id()).status());
    if (other.reason().empty()) {
      return absl::InvalidArgumentError(
          "disjoint must say why no person can be in both budgets; the reason is empty.");
    }
    *opening.add_disjoint() = other;
  }
  opening.set_signing_key(act.signing_key);
  opening.set_after_restore(act.after_restore);
  return opening;
}

}  // namespace

// The one act that composes: an inventory is held against its budget on the day it is opened. From
// then on vouchers are only counted.
absl::StatusOr<Events> Decide(const LedgerState& ledger, const OpenAct& act) {
  TW_ASSIGN_OR_RETURN(const AdmissionPolicy policy, AdmissionPolicy::Create(act.policy));
  TW_RETURN_IF_ERROR(policy.RequireWithinBudget());
  if (act.privacy_unit != v1::PRIVACY_UNIT_DOCUMENT && act.privacy_unit != v1::PRIVACY_UNIT_OWNER) {
    return absl::InvalidArgumentError("privacy_unit must be document or owner.");
  }
  TW_RETURN_IF_ERROR(CheckNewCorpus(ledger, act.corpus, act.corpus_version));
  TW_ASSIGN_OR_RETURN(v1::BudgetOpened opening, RecordOf(ledger, act));
  std::vector<Opening> openings = OpeningsOf(ledger);
  // The new budget is not in the ledger yet, and must be in the sums.
  openings.push_back(OpeningOf(act.budget_id, opening));
  v1::LedgerEvent event;
  event.set_time_ms(act.now_ms);
  *event.mutable_budget_opened() = std::move(opening);
  // In this order: a corpus joins a budget that is there, and sums speak of both.
  Events events;
  Add(ledger, act.budget_id, std::move(event), &events);
  AddCorpus(ledger,
            {.budget_id = act.budget_id,
             .corpus = act.corpus,
             .corpus_version = act.corpus_version,
             .now_ms = act.now_ms},
            &events);
  TellSums(ledger, openings, act.budget_id, act.now_ms, &events);
  return events;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const JoinAct& act) {
  TW_RETURN_IF_ERROR(CheckNewCorpus(ledger, act.corpus, act.corpus_version));
  TW_ASSIGN_OR_RETURN(const BudgetState* budget, ledger.Find(act.budget_id));
  TW_RETURN_IF_ERROR(RequireThawed(*budget));
  Events events;
  AddCorpus(ledger, act, &events);
  TellSums(ledger, OpeningsOf(ledger), act.budget_id, act.now_ms, &events);
  return events;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const AcknowledgeAct& act) {
  const BudgetState* budget = ledger.WithCorpus(act.corpus_version);
  if (budget == nullptr) {
    return absl::NotFoundError("no budget is open for this corpus version.");
  }
  TW_RETURN_IF_ERROR(RequireThawed(*budget));
  Events events;
  const Corpus& corpus = *budget->FindCorpus(act.corpus_version);
  if (corpus.unacknowledged() == 0) return events;
  v1::LedgerEvent event;
  event.set_time_ms(act.now_ms);
  event.mutable_overruns_acknowledged()->set_overruns(corpus.overruns);
  event.mutable_overruns_acknowledged()->set_corpus_version(act.corpus_version);
  Add(ledger, budget->budget_id(), std::move(event), &events);
  return events;
}

// Frozen ones, too: where the copy of a frozen ledger ends is told by this event and not by the
// first.
Events Decide(const LedgerState& ledger, const RestoreAct& act) {
  Events events;
  for (const BudgetState& budget : ledger.budgets()) {
    v1::LedgerEvent event;
    event.set_time_ms(act.now_ms);
    event.mutable_budget_restored()->set_epoch(act.epoch);
    Add(ledger, budget.budget_id(), std::move(event), &events);
  }
  return events;
}

}  // namespace topicwall::accountant::ledger
