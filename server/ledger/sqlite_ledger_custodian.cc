// The custodian's acts.
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/ledger_chain.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_sums.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/ledger_thaw.h"
#include "server/ledger/policy_record.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {
namespace {

absl::Status CheckNewCorpus(SqliteConnection& connection, absl::string_view corpus,
                            absl::string_view corpus_version) {
  if (corpus.empty()) return absl::InvalidArgumentError("corpus must have a name.");
  if (corpus_version.size() != kCorpusVersionSize) {
    return absl::InvalidArgumentError(absl::StrCat("corpus_version must be ", kCorpusVersionSize,
                                                   " bytes; got ", corpus_version.size(), "."));
  }
  const absl::Status known = FindCorpus(connection, corpus_version).status();
  if (known.ok()) {
    return absl::AlreadyExistsError(
        absl::StrCat("this version of ", corpus, " has a budget already."));
  }
  return absl::IsNotFound(known) ? absl::OkStatus() : known;
}

absl::Status AddCorpus(SqliteConnection& connection, const CorpusRow& corpus, int64_t now_ms) {
  TW_RETURN_IF_ERROR(InsertCorpus(connection, corpus));
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  event.mutable_corpus_joined()->set_corpus(corpus.corpus);
  event.mutable_corpus_joined()->set_corpus_version(corpus.corpus_version);
  return AppendEvent(connection, corpus.budget_id, std::move(event));
}

absl::StatusOr<v1::BudgetOpened> OpenedAct(SqliteConnection& connection,
                                           const OpenBudgetParams& params) {
  v1::BudgetOpened act;
  act.set_custodian_id(params.custodian_id);
  SetPolicy(RecordOf(params.policy), &act);
  act.set_privacy_unit(params.privacy_unit);
  for (const v1::DisjointBudget& other : params.disjoint) {
    TW_RETURN_IF_ERROR(FindBudget(connection, other.budget_id()).status());
    if (other.reason().empty()) {
      return absl::InvalidArgumentError(
          "disjoint must say why no person can be in both budgets; the reason is empty.");
    }
    *act.add_disjoint() = other;
  }
  return act;
}

absl::Status CommitThaw(WriteTransaction transaction) {
  TOPICWALL_KILL_POINT("before-thaw-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-thaw-commit");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> SqliteLedger::OpenBudget(const OpenBudgetParams& params) {
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy,
                      accountant::AdmissionPolicy::Create(params.policy));
  TW_RETURN_IF_ERROR(policy.RequireWithinBudget());
  if (params.privacy_unit != v1::PRIVACY_UNIT_DOCUMENT &&
      params.privacy_unit != v1::PRIVACY_UNIT_OWNER) {
    return absl::InvalidArgumentError("privacy_unit must be document or owner.");
  }
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_RETURN_IF_ERROR(CheckNewCorpus(connection_, params.corpus, params.corpus_version));
  TW_ASSIGN_OR_RETURN(v1::BudgetOpened act, OpenedAct(connection_, params));
  if (signing_key_.has_value()) act.set_signing_key(signing_key_->public_key());
  TW_ASSIGN_OR_RETURN(const std::string budget_id, RandomId());
  TW_RETURN_IF_ERROR(InsertBudget(connection_, {.budget_id = budget_id,
                                                .privacy_unit = params.privacy_unit,
                                                .policy = RecordOf(act).SerializeAsString(),
                                                .spent = policy.NothingSpent(),
                                                .events = 0,
                                                .head = proto::GenesisHead(),
                                                .restored_at = 0,
                                                .signing_key = act.signing_key()}));
  v1::LedgerEvent event;
  event.set_time_ms(params.now_ms);
  *event.mutable_budget_opened() = std::move(act);
  TW_RETURN_IF_ERROR(AppendEvent(connection_, budget_id, std::move(event)));
  TW_RETURN_IF_ERROR(AddCorpus(connection_,
                               {.corpus_version = params.corpus_version,
                                .corpus = params.corpus,
                                .budget_id = budget_id,
                                .overruns = 0,
                                .acknowledged = 0},
                               params.now_ms));
  TW_RETURN_IF_ERROR(TellSums(connection_, budget_id, params.now_ms));
  TOPICWALL_KILL_POINT("before-open-budget-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-open-budget-commit");
  return budget_id;
}

absl::Status SqliteLedger::JoinBudget(absl::string_view budget_id, absl::string_view corpus,
                                      absl::string_view corpus_version, int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_RETURN_IF_ERROR(CheckNewCorpus(connection_, corpus, corpus_version));
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection_, budget_id));
  TW_RETURN_IF_ERROR(RequireThawed(budget));
  TW_RETURN_IF_ERROR(AddCorpus(connection_,
                               {.corpus_version = std::string(corpus_version),
                                .corpus = std::string(corpus),
                                .budget_id = budget.budget_id,
                                .overruns = 0,
                                .acknowledged = 0},
                               now_ms));
  TW_RETURN_IF_ERROR(TellSums(connection_, budget_id, now_ms));
  return transaction.Commit();
}

absl::Status SqliteLedger::AcknowledgeOverruns(absl::string_view corpus_version, int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(CorpusRow corpus, FindCorpus(connection_, corpus_version));
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection_, corpus.budget_id));
  TW_RETURN_IF_ERROR(RequireThawed(budget));
  if (corpus.unacknowledged() == 0) return absl::OkStatus();
  corpus.acknowledged = corpus.overruns + corpus.voided;
  corpus.unreadable = 0;
  TW_RETURN_IF_ERROR(SetCounters(connection_, corpus));
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  event.mutable_overruns_acknowledged()->set_overruns(corpus.overruns);
  event.mutable_overruns_acknowledged()->set_corpus_version(corpus.corpus_version);
  TW_RETURN_IF_ERROR(AppendEvent(connection_, corpus.budget_id, std::move(event)));
  return transaction.Commit();
}

absl::Status SqliteLedger::ThawByHead(absl::string_view head, const ThawEvidence& evidence,
                                      int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_RETURN_IF_ERROR(ThawWithHead(connection_, head, evidence, now_ms));
  return CommitThaw(std::move(transaction));
}

absl::Status SqliteLedger::ThawByEvents(const v1::LedgerExport& lost, const ThawEvidence& evidence,
                                        int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_RETURN_IF_ERROR(ThawWithEvents(connection_, lost, evidence, now_ms));
  return CommitThaw(std::move(transaction));
}

absl::Status SqliteLedger::ThawByForfeiting(absl::string_view budget_id, int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_RETURN_IF_ERROR(ThawWithNothing(connection_, budget_id, now_ms));
  return CommitThaw(std::move(transaction));
}

absl::Status SqliteLedger::ReplaceSealingKey(sealing::SealingKey key) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(std::vector<ChargeRow> charges,
                      ChargesInState(connection_, ChargeState::kCharged));
  for (ChargeRow& charge : charges) {
    // One that does not open is lost with either key; Charge will say so.
    const absl::StatusOr<random::SecretKey> release_key = Unseal(charge);
    if (absl::IsDataLoss(release_key.status())) continue;
    if (!release_key.ok()) return release_key.status();
    const absl::Span<const uint8_t> bytes = release_key->ExposeBytes();
    TW_ASSIGN_OR_RETURN(
        charge.sealed_release_key,
        key.Seal({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, PlaceOfKey(charge)));
    TW_RETURN_IF_ERROR(UpdateCharge(connection_, charge));
  }
  TW_RETURN_IF_ERROR(ReplaceKeyCheck(connection_, identity_.ledger_id, key));
  TW_RETURN_IF_ERROR(transaction.Commit());
  key_ = std::move(key);
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
