// The custodian's acts.
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "accountant/ledger/custodian_acts.h"
#include "accountant/ledger/thaw_acts.h"
#include "base/status_macros.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/folded/kept_rows.h"
#include "server/ledger/folded/ledger_identity.h"
#include "server/store/entry_reader.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;

template <typename Act>
auto Deciding(const Act& act) {
  return [&act](const fold::LedgerState& state) -> absl::StatusOr<fold::Events> {
    return fold::Decide(state, act);
  };
}

// From the first entry, since the kept state is past the length that is asked for; `see` is shown
// the state after each. Rows may have been edited since they were folded: DATA_LOSS if one does not
// follow from those before it.
absl::StatusOr<fold::BudgetState> FoldTo(store::EventStore& store, absl::string_view budget_id,
                                         int64_t length,
                                         absl::FunctionRef<void(const fold::BudgetState&)> see) {
  fold::BudgetState state;
  TW_RETURN_IF_ERROR(store::ReadEntriesSlowly(store, budget_id, 1, length,
                                              [&](const v1::LedgerEntry& entry) -> absl::Status {
                                                TW_RETURN_IF_ERROR(state.Apply(entry));
                                                see(state);
                                                return absl::OkStatus();
                                              }));
  return state;
}

}  // namespace

absl::StatusOr<std::vector<v1::IterationCharged>> FoldedLedger::UnderWay(
    absl::string_view corpus_version) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  absl::ReaderMutexLock lock(&state_mutex_);
  const BudgetState* budget = state_.ledger.WithCorpus(std::string(corpus_version));
  if (budget == nullptr) return absl::NotFoundError("no budget is open for this corpus version.");
  std::vector<v1::IterationCharged> under_way;
  for (const auto& [place, row] : state_.open) {
    if (place.first != budget->budget_id() || !row.release_sha256.empty()) continue;
    const auto [plan, iteration] = ChargedBy(*budget, row.sequence);
    if (plan == nullptr || plan->terms.spec().corpus_version() != corpus_version) continue;
    under_way.push_back(plan->charges.at(iteration).terms);
  }
  return under_way;
}

absl::StatusOr<std::string> FoldedLedger::OpenBudget(const OpenBudgetParams& params) {
  TW_RETURN_IF_ERROR(RequireWritable());
  TW_ASSIGN_OR_RETURN(const std::string budget_id, RandomId());
  const fold::OpenAct act{params, budget_id, signing_key_->public_key(), identity_.epoch > 1};
  TW_RETURN_IF_ERROR(DecideAndCommit("open-budget", Deciding(act)));
  return budget_id;
}

absl::Status FoldedLedger::JoinBudget(absl::string_view budget_id, absl::string_view corpus,
                                      absl::string_view corpus_version, int64_t now_ms) {
  const fold::JoinAct act{.budget_id = std::string(budget_id),
                          .corpus = std::string(corpus),
                          .corpus_version = std::string(corpus_version),
                          .now_ms = now_ms};
  return DecideAndCommit("join-budget", Deciding(act));
}

absl::Status FoldedLedger::AcknowledgeOverruns(absl::string_view corpus_version, int64_t now_ms) {
  const fold::AcknowledgeAct act{.corpus_version = std::string(corpus_version), .now_ms = now_ms};
  return DecideAndCommit("acknowledge", Deciding(act));
}

absl::Status FoldedLedger::ThawByHead(absl::string_view head, const ThawEvidence& evidence,
                                      int64_t now_ms) {
  // Of a chain the state knows the last head alone.
  const auto heads_to = [this](absl::string_view budget_id,
                               int64_t length) -> absl::StatusOr<std::vector<std::string>> {
    std::vector<std::string> heads;
    TW_RETURN_IF_ERROR(FoldTo(*store_, budget_id, length, [&heads](const fold::BudgetState& state) {
                         heads.push_back(state.head());
                       }).status());
    return heads;
  };
  const fold::ThawByHeadAct act{
      .head = std::string(head), .evidence = evidence, .heads_to = heads_to, .now_ms = now_ms};
  return DecideAndCommit("thaw", Deciding(act));
}

absl::Status FoldedLedger::ThawByEvents(const v1::LedgerExport& lost, const ThawEvidence& evidence,
                                        int64_t now_ms) {
  const auto state_at = [this](absl::string_view budget_id, int64_t length) {
    return FoldTo(*store_, budget_id, length, [](const fold::BudgetState&) {});
  };
  const fold::ThawByEventsAct act{
      .lost = lost, .evidence = evidence, .state_at = state_at, .now_ms = now_ms};
  return DecideAndCommit("thaw", Deciding(act));
}

absl::Status FoldedLedger::ThawByForfeiting(absl::string_view budget_id, int64_t now_ms) {
  const fold::ForfeitAct act{.budget_id = std::string(budget_id), .now_ms = now_ms};
  return DecideAndCommit("thaw", Deciding(act));
}

// All keys and the key check in one Append: a kill leaves a ledger that is wholly under the old
// custodian's key or wholly under the new one, and the check says at start which of them opens it.
absl::Status FoldedLedger::ReplaceSealingKey(sealing::SealingKey key) {
  TW_RETURN_IF_ERROR(RequireWritable());
  if (store_->OthersWrite()) {
    return absl::FailedPreconditionError(
        "other servers hold the key of a shared ledger: stop them all and bring it home with "
        "topicwall-admin migrate-ledger --to file, then change the key.");
  }
  absl::MutexLock lock(&acts_mutex_);
  store::Change change{.name = "rekey"};
  change.identity = identity_;
  TW_ASSIGN_OR_RETURN(change.identity->key_check, SealKeyCheck(key, identity_));
  ReleaseKeys renewed(std::move(key), identity_);
  {
    absl::ReaderMutexLock looking(&state_mutex_);
    for (const BudgetState& budget : state_.ledger.budgets()) {
      for (const auto& [id, plan] : budget.plans()) {
        for (const auto& [iteration, charge] : plan.charges) {
          const Place place = state_.Seek(id, iteration);
          if (place.open == nullptr || !place.open->release_sha256.empty()) continue;
          // One that does not open is lost with either key; Charge will say so.
          TW_ASSIGN_OR_RETURN(const std::optional<random::SecretKey> release_key,
                              keys_->Unseal(place.open->sealed_key, charge.terms));
          if (!release_key.has_value()) continue;
          store::OpenCharge row = *place.open;
          TW_ASSIGN_OR_RETURN(row.sealed_key, renewed.Seal(*release_key, charge.terms));
          change.open_charges.push_back({.before = *place.open, .after = std::move(row)});
        }
      }
    }
  }
  TW_RETURN_IF_ERROR(Commit({}, std::move(change)));
  // Only now: had the Append failed, the old key would still be the one that opens all. identity_
  // keeps the check of before, which nothing but opening reads.
  keys_ = std::move(renewed);
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
