#include "tests/server/ledger/shadow_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "accountant/ledger/custodian_acts.h"
#include "accountant/ledger/plan_acts.h"
#include "accountant/ledger/thaw_acts.h"
#include "base/sha256.h"
#include "proto/budget_refusal.h"
#include "server/ledger/ledger_backup.h"
#include "server/ledger/plan_table.h"
#include "tests/support/describe_state.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;
using Kept = fold::OpenCharge::Kept;

fold::Purse FoldOf(const Purse& purse) {
  return {.principal = purse.principal,
          .epsilon_cap = purse.epsilon_cap,
          .max_releases = purse.max_releases,
          .own_max_releases = purse.own_max_releases,
          .max_open_plans = purse.max_open_plans,
          .reservation_days = purse.reservation_days};
}

fold::ThawEvidence FoldOf(const ThawEvidence& evidence) {
  return {.receipts = evidence.receipts, .forfeit_unseen = evidence.forfeit_unseen};
}

void ExpectSameRefusal(const absl::Status& done, const absl::Status& decided) {
  EXPECT_EQ(done.code(), decided.code()) << done << " and " << decided;
  EXPECT_EQ(done.message(), decided.message());
  const auto numbers = proto::BudgetExhaustedOf(done);
  const auto same = proto::BudgetExhaustedOf(decided);
  ASSERT_EQ(numbers.has_value(), same.has_value()) << done;
  if (!numbers.has_value()) return;
  EXPECT_EQ(numbers->SerializeAsString(), same->SerializeAsString());
}

v1::CorpusState StateOf(const fold::BudgetState& budget, const fold::Corpus& corpus) {
  if (budget.frozen()) return v1::CORPUS_STATE_FROZEN;
  return corpus.paused() ? v1::CORPUS_STATE_PAUSED : v1::CORPUS_STATE_OPEN;
}

std::string Bytes(const std::vector<v1::BudgetThawed>& thaws) {
  std::string bytes;
  for (const v1::BudgetThawed& thaw : thaws) bytes += thaw.SerializeAsString();
  return bytes;
}

bool IsTakenOverByBoth(const v1::LedgerEvent& event) {
  return !event.has_release_published() && !event.has_release_voided() &&
         !event.has_release_restarted() && !event.has_overruns_acknowledged();
}

// Without what the SqliteLedger makes anew when it takes an event over.
std::string Essence(v1::LedgerEvent event) {
  event.clear_sequence();
  if (event.has_plan_reserved()) event.mutable_plan_reserved()->clear_plan_sha256();
  return event.SerializeAsString();
}

}  // namespace

ShadowLedger::ShadowLedger(const OpenBudgetParams& first)
    : directory_(std::make_unique<testing::TemporaryDirectory>()) {
  auto lock = DataDirectoryLock::Acquire(directory_->path());
  EXPECT_OK(lock);
  auto made = SqliteLedger::Create(*std::move(lock), testing::LedgerKeysForTests());
  EXPECT_OK(made);
  real_ = *std::move(made);
  auto budget = OpenBudget(first);
  EXPECT_OK(budget);
  first_budget_ = *std::move(budget);
}

ShadowLedger::ShadowLedger(std::unique_ptr<SqliteLedger> opened) : real_(std::move(opened)) {
  auto grown = NewEntries();
  auto corpora = real_->Corpora();
  EXPECT_OK(corpora);
  for (const CorpusStanding& corpus : *corpora) {  // oldest first, and so are their budgets
    for (const v1::LedgerEntry& entry : grown[corpus.budget_id]) {
      EXPECT_OK(kept_.state.Apply(corpus.budget_id, entry));
      kept_.chains[corpus.budget_id].push_back(entry);
    }
    grown[corpus.budget_id].clear();
  }
  CompareStandings();
}

void ShadowLedger::Open() {
  real_.reset();
  auto lock = DataDirectoryLock::Acquire(directory_->path());
  EXPECT_OK(lock);
  auto opened = SqliteLedger::Open(*std::move(lock), testing::LedgerKeysForTests());
  ASSERT_OK(opened);
  real_ = *std::move(opened);
}

void ShadowLedger::Reopen() {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  Open();
  if (real_ == nullptr) return;
  fold::LedgerState again;
  for (const fold::BudgetState& budget : kept_.state.budgets()) {
    for (const v1::LedgerEntry& entry : kept_.chains[budget.budget_id()]) {
      EXPECT_OK(again.Apply(budget.budget_id(), entry));
    }
  }
  EXPECT_EQ(testing::Describe(again), testing::Describe(kept_.state));
  CompareStandings();
}

void ShadowLedger::Backup() {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  backup_directory_ = std::make_unique<testing::TemporaryDirectory>();
  EXPECT_OK(BackupLedger(directory_->path(), backup_directory_->path()));
  backup_ = kept_;
  // What was being computed cannot be computed again from a backup: it holds no release key.
  for (auto row = backup_.open.begin(); row != backup_.open.end();) {
    row = row->second.open.kept == Kept::kRelease ? std::next(row) : backup_.open.erase(row);
  }
}

void ShadowLedger::Restore(int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  ASSERT_NE(backup_directory_, nullptr);
  real_.reset();
  directory_ = std::make_unique<testing::TemporaryDirectory>();
  {
    auto lock = DataDirectoryLock::Acquire(directory_->path());
    ASSERT_OK(lock);
    ASSERT_OK(InstallBackup(backup_directory_->path(), *lock, now_ms));
  }
  kept_ = backup_;
  ++kept_.epoch;
  Open();
  Compare(absl::OkStatus(),
          fold::Decide(kept_.state, fold::RestoreAct{.epoch = kept_.epoch, .now_ms = now_ms}));
}

std::map<std::string, std::vector<v1::LedgerEntry>> ShadowLedger::NewEntries() {
  std::map<std::string, std::vector<v1::LedgerEntry>> grown;
  auto corpora = real_->Corpora();
  EXPECT_OK(corpora);
  for (const CorpusStanding& corpus : *corpora) {
    const int64_t known = static_cast<int64_t>(kept_.chains[corpus.budget_id].size());
    if (corpus.events == known || grown.count(corpus.budget_id) != 0) continue;
    EXPECT_OK(real_->ReadEvents(corpus.corpus_version, {"ann", true}, known + 1,
                                [&](const v1::LedgerEntry& entry) {
                                  grown[corpus.budget_id].push_back(entry);
                                  grown[corpus.budget_id].back().clear_signed_head();
                                  return absl::OkStatus();
                                }));
  }
  return grown;
}

void ShadowLedger::Take(const std::map<std::string, std::vector<v1::LedgerEntry>>& grown) {
  for (const auto& [budget_id, entries] : grown) {
    for (const v1::LedgerEntry& entry : entries) {
      EXPECT_OK(kept_.state.Apply(budget_id, entry));
      kept_.chains[budget_id].push_back(entry);
    }
  }
  CompareStandings();
}

void ShadowLedger::Compare(const absl::Status& done, const absl::StatusOr<fold::Events>& decided) {
  const auto grown = NewEntries();
  if (!done.ok() || !decided.ok()) {
    ExpectSameRefusal(done, decided.status());
    EXPECT_TRUE(grown.empty()) << "a refused act has events";
    ++tally_.refused;
    CompareStandings();
    return;
  }
  std::map<std::string, std::vector<v1::LedgerEntry>> expected;
  for (const v1::LedgerEvent& event : *decided) {
    std::vector<v1::LedgerEntry>& entries = expected[event.budget_id()];
    const std::vector<v1::LedgerEntry>& chain = kept_.chains[event.budget_id()];
    const auto real = grown.find(event.budget_id());
    ASSERT_TRUE(real != grown.end() && entries.size() < real->second.size())
        << "only the fold says: " << event.ShortDebugString();
    const std::string head = !entries.empty() ? entries.back().head()
                             : !chain.empty() ? chain.back().head()
                                              : proto::GenesisHead();
    const std::string& salt = real->second[entries.size()].salt();
    entries.push_back(fold::EntryOf(event, salt, head));
  }
  for (const auto& [budget_id, entries] : grown) {
    ASSERT_EQ(entries.size(), expected[budget_id].size()) << "events that the fold does not say";
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(entries[i].SerializeAsString(), expected[budget_id][i].SerializeAsString());
    }
  }
  ++(decided->empty() ? tally_.unchanged : tally_.changed);
  Take(grown);
}

void ShadowLedger::CompareStandings() {
  auto corpora = real_->Corpora();
  ASSERT_OK(corpora);
  std::size_t known = 0;
  for (const fold::BudgetState& budget : kept_.state.budgets()) known += budget.corpora().size();
  EXPECT_EQ(corpora->size(), known);
  for (const CorpusStanding& standing : *corpora) {
    auto found = kept_.state.Find(standing.budget_id);
    ASSERT_OK(found);
    const fold::BudgetState& budget = **found;
    const fold::Corpus* corpus = budget.FindCorpus(standing.corpus_version);
    ASSERT_NE(corpus, nullptr);
    EXPECT_EQ(standing.corpus, corpus->name);
    EXPECT_EQ(standing.state, StateOf(budget, *corpus));
    EXPECT_EQ(standing.spent, budget.spent());
    EXPECT_EQ(standing.releases_by_analyst, budget.ReleasesReserved());
    EXPECT_EQ(standing.overruns, corpus->overruns);
    EXPECT_EQ(standing.unacknowledged_overruns, corpus->unacknowledged());
    EXPECT_EQ(standing.restarts, corpus->restarts);
    EXPECT_EQ(standing.voided, corpus->voided);
    EXPECT_EQ(standing.events, budget.length());
    EXPECT_EQ(standing.head, budget.head());
    EXPECT_EQ(standing.signing_key, budget.signing_key());
    EXPECT_EQ(standing.sum.SerializeAsString(), budget.sum().SerializeAsString());
    std::vector<v1::BudgetThawed> thaws;
    std::vector<v1::BudgetThawed> folded;
    for (const Restoration& restoration : standing.restorations) {
      thaws.push_back(restoration.thaw);
    }
    for (const fold::Restoration& restoration : budget.restorations()) {
      folded.push_back(restoration.thaw);
    }
    EXPECT_EQ(Bytes(thaws), Bytes(folded));
  }
}

fold::OpenCharge ShadowLedger::OpenOf(const std::string& plan_id, int iteration) const {
  const auto row = kept_.open.find({plan_id, iteration});
  return row == kept_.open.end() ? fold::OpenCharge() : row->second.open;
}

absl::StatusOr<v1::PlanState> ShadowLedger::Reserve(const ReserveRequest& request) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  auto done = real_->Reserve(request);
  const std::pair<std::string, std::string> key(request.purse.principal, request.request_id);
  const bool decided = request.purse.principal.empty() ||
                       (request.request_id.size() == kRequestIdSize && !kept_.requests.count(key));
  if (!decided) {
    EXPECT_TRUE(NewEntries().empty());
    return done;
  }
  const std::string text = BytesOfPlan(request.plan);
  Compare(done.status(),
          fold::Decide(kept_.state,
                       fold::ReserveAct{.purse = FoldOf(request.purse),
                                        .plan = request.plan,
                                        .plan_id = done.ok() ? done->plan_id() : "",
                                        .plan_sha256 = base::DigestBytes(base::Sha256Of(text)),
                                        .now_ms = request.now_ms}));
  if (done.ok()) kept_.requests[key] = text;
  return done;
}

absl::StatusOr<v1::PlanState> ShadowLedger::Cancel(absl::string_view principal,
                                                   absl::string_view plan_id, int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  auto done = real_->Cancel(principal, plan_id, now_ms);
  Compare(done.status(),
          fold::Decide(kept_.state, fold::CancelAct{.plan_id = std::string(plan_id),
                                                    .now_ms = now_ms,
                                                    .principal = std::string(principal)}));
  return done;
}

absl::StatusOr<v1::PlanState> ShadowLedger::CancelAnyPlan(absl::string_view plan_id,
                                                          int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  auto done = real_->CancelAnyPlan(plan_id, now_ms);
  Compare(done.status(), fold::Decide(kept_.state, fold::CancelAct{.plan_id = std::string(plan_id),
                                                                   .now_ms = now_ms,
                                                                   .principal = std::nullopt}));
  return done;
}

absl::Status ShadowLedger::CancelExpired(absl::string_view corpus_version, int reservation_days,
                                         int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->CancelExpired(corpus_version, reservation_days, now_ms);
  Compare(done,
          fold::Decide(kept_.state, fold::ExpireAct{.corpus_version = std::string(corpus_version),
                                                    .reservation_days = reservation_days,
                                                    .now_ms = now_ms}));
  return done;
}

absl::StatusOr<ChargeOutcome> ShadowLedger::Charge(const ChargeRequest& request) {
  using Outcome = fold::ChargeDecision::Outcome;
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  auto done = real_->Charge(request);
  const auto& digest = request.request_digest;
  const auto decided = fold::Decide(
      kept_.state, fold::ChargeAct{.principal = request.principal,
                                   .plan_id = request.plan_id,
                                   .iteration = request.iteration,
                                   .request_digest = {digest.begin(), digest.end()},
                                   .now_ms = request.now_ms,
                                   .release_interval_ms = request.release_interval_ms,
                                   .kernel_name = request.kernel_name,
                                   .free_processors = request.free_processors,
                                   .open = OpenOf(request.plan_id, request.iteration)});
  if (!decided.ok()) {
    Compare(done.status(), decided.status());
    return done;
  }
  Compare(done.status(), decided->events);
  if (!done.ok()) return done;
  if (const auto* receipt = std::get_if<ChargeReceipt>(&*done)) {
    EXPECT_TRUE(decided->outcome == Outcome::kCharged ||
                decided->outcome == Outcome::kComputedAgain);
    EXPECT_EQ(receipt->begun_at_ms(), decided->begun_at_ms);
    PrivateRow& row = kept_.open[{request.plan_id, request.iteration}];
    if (decided->outcome == Outcome::kComputedAgain) ++row.open.recomputations;
    row.open.kept = Kept::kKey;
    row.charge_id = receipt->charge_id();
  } else if (const auto* awaiting = std::get_if<AwaitingPublication>(&*done)) {
    EXPECT_EQ(decided->outcome, Outcome::kAwaiting);
    EXPECT_EQ(awaiting->begun_at_ms, decided->begun_at_ms);
  } else if (const auto* given_up = std::get_if<GivenUp>(&*done)) {
    EXPECT_EQ(decided->outcome, Outcome::kGivenUp);
    EXPECT_EQ(given_up->begun_at_ms, decided->begun_at_ms);
  } else {
    EXPECT_EQ(decided->outcome, Outcome::kPublished);
  }
  return done;
}

absl::Status ShadowLedger::Store(NoisedReceipt receipt, const v1::StoredRelease& header,
                                 absl::Span<const float> statistics) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const Iteration iteration(receipt.plan_id(), receipt.iteration());
  const absl::Status done = real_->Store(std::move(receipt), header, statistics);
  EXPECT_TRUE(NewEntries().empty()) << "when something was computed is in no event";
  if (done.ok()) kept_.open.at(iteration).open.kept = Kept::kRelease;
  return done;
}

absl::Status ShadowLedger::Publish(const Publication& publication) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->Publish(publication);
  fold::PublishAct act{.plan_id = publication.plan_id,
                       .iteration = publication.iteration,
                       .readable_at_ms = publication.readable_at_ms,
                       .intervals_waited = publication.intervals_waited,
                       .open = OpenOf(publication.plan_id, publication.iteration),
                       .release_sha256 = "",
                       .header_sha256 = ""};
  // The digests are those of the stored release, which only the SqliteLedger keeps.
  for (const auto& [budget_id, entries] : NewEntries()) {
    v1::LedgerEvent event;
    EXPECT_TRUE(event.ParseFromString(entries.front().event()));
    act.release_sha256 = event.release_published().release_sha256();
    act.header_sha256 = event.release_published().header_sha256();
    EXPECT_EQ(act.release_sha256.size(), 32);
    EXPECT_EQ(act.header_sha256.size(), 32);
  }
  Compare(done, fold::Decide(kept_.state, act));
  if (done.ok()) kept_.open.erase({publication.plan_id, publication.iteration});
  return done;
}

absl::Status ShadowLedger::Void(const Voiding& voiding) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->Void(voiding);
  // The fold's id of the charge, if the row is that of the SqliteLedger's id.
  int64_t sequence = 0;
  const auto row = kept_.open.find({voiding.plan_id, voiding.iteration});
  if (row != kept_.open.end() && row->second.charge_id == voiding.charge_id) {
    const fold::BudgetState* budget = kept_.state.WithPlan(voiding.plan_id);
    sequence = budget->FindPlan(voiding.plan_id)->charges.at(voiding.iteration).sequence;
  }
  Compare(done, fold::Decide(kept_.state,
                             fold::VoidAct{.plan_id = voiding.plan_id,
                                           .iteration = voiding.iteration,
                                           .charge = sequence,
                                           .ground = voiding.ground,
                                           .at_ms = voiding.at_ms,
                                           .open = OpenOf(voiding.plan_id, voiding.iteration)}));
  if (done.ok()) kept_.open.erase({voiding.plan_id, voiding.iteration});
  return done;
}

absl::StatusOr<std::vector<UnpublishedRelease>> ShadowLedger::RestartUnfinished(int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  auto done = real_->RestartUnfinished(now_ms);
  std::map<int64_t, Iteration> stored;  // oldest charge first
  for (const auto& [iteration, row] : kept_.open) {
    if (row.open.kept == Kept::kRelease) stored[row.charge_id] = iteration;
  }
  fold::RestartAct act{.stored = {}, .now_ms = now_ms};
  for (const auto& [charge_id, iteration] : stored) {
    act.stored.push_back({.plan_id = iteration.first, .iteration = iteration.second});
  }
  Compare(done.status(), fold::Decide(kept_.state, act));
  return done;
}

absl::Status ShadowLedger::ReadRelease(absl::string_view principal, absl::string_view plan_id,
                                       int iteration, ReleaseSink& sink) {
  return real_->ReadRelease(principal, plan_id, iteration, sink);
}

absl::StatusOr<std::string> ShadowLedger::OpenBudget(const OpenBudgetParams& params) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  auto done = real_->OpenBudget(params);
  Compare(
      done.status(),
      fold::Decide(kept_.state,
                   fold::OpenAct{.budget_id = done.ok() ? *done : "",
                                 .custodian_id = params.custodian_id,
                                 .policy = params.policy,
                                 .privacy_unit = params.privacy_unit,
                                 .corpus = params.corpus,
                                 .corpus_version = params.corpus_version,
                                 .disjoint = params.disjoint,
                                 .signing_key = testing::LedgerKeysForTests().signing.public_key(),
                                 .now_ms = params.now_ms}));
  return done;
}

absl::Status ShadowLedger::JoinBudget(absl::string_view budget_id, absl::string_view corpus,
                                      absl::string_view corpus_version, int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->JoinBudget(budget_id, corpus, corpus_version, now_ms);
  Compare(done,
          fold::Decide(kept_.state, fold::JoinAct{.budget_id = std::string(budget_id),
                                                  .corpus = std::string(corpus),
                                                  .corpus_version = std::string(corpus_version),
                                                  .now_ms = now_ms}));
  return done;
}

absl::Status ShadowLedger::AcknowledgeOverruns(absl::string_view corpus_version, int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->AcknowledgeOverruns(corpus_version, now_ms);
  Compare(done, fold::Decide(kept_.state,
                             fold::AcknowledgeAct{.corpus_version = std::string(corpus_version),
                                                  .now_ms = now_ms}));
  return done;
}

absl::Status ShadowLedger::ThawByHead(absl::string_view head, const ThawEvidence& evidence,
                                      int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->ThawByHead(head, evidence, now_ms);
  const auto head_at = [&](absl::string_view budget_id,
                           int64_t sequence) -> absl::StatusOr<std::string> {
    return kept_.chains[std::string(budget_id)].at(sequence - 1).head();
  };
  Compare(done, fold::Decide(kept_.state, fold::ThawByHeadAct{.head = std::string(head),
                                                              .evidence = FoldOf(evidence),
                                                              .head_at = head_at,
                                                              .now_ms = now_ms}));
  return done;
}

absl::Status ShadowLedger::ThawByEvents(const v1::LedgerExport& lost, const ThawEvidence& evidence,
                                        int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->ThawByEvents(lost, evidence, now_ms);
  const auto state_at = [&](absl::string_view budget_id,
                            int64_t length) -> absl::StatusOr<fold::BudgetState> {
    const std::vector<v1::LedgerEntry>& chain = kept_.chains[std::string(budget_id)];
    fold::BudgetState state;
    for (int64_t i = 0; i < length; ++i) EXPECT_OK(state.Apply(chain.at(i)));
    return state;
  };
  const auto decided = fold::Decide(
      kept_.state,
      fold::ThawByEventsAct{
          .lost = lost, .evidence = FoldOf(evidence), .state_at = state_at, .now_ms = now_ms});
  if (done.ok() && decided.ok()) {
    CompareThawedByEvents(decided);
  } else {
    Compare(done, decided);
  }
  return done;
}

void ShadowLedger::CompareThawedByEvents(const absl::StatusOr<fold::Events>& decided) {
  std::map<std::string, std::vector<std::string>> expected;
  for (const v1::LedgerEvent& event : *decided) {
    if (IsTakenOverByBoth(event)) expected[event.budget_id()].push_back(Essence(event));
  }
  const auto grown = NewEntries();
  std::map<std::string, std::vector<std::string>> taken;
  for (const auto& [budget_id, entries] : grown) {
    for (const v1::LedgerEntry& entry : entries) {
      v1::LedgerEvent event;
      EXPECT_TRUE(event.ParseFromString(entry.event()));
      taken[budget_id].push_back(Essence(std::move(event)));
    }
  }
  EXPECT_EQ(taken, expected);
  // All of it, as it was decided, goes into a chain of its own.
  fold::LedgerState more = kept_.state;
  for (const v1::LedgerEvent& event : *decided) {
    auto budget = more.Find(event.budget_id());
    ASSERT_OK(budget);
    EXPECT_OK(more.Apply(event.budget_id(),
                         fold::EntryOf(event, std::string(16, 's'), (*budget)->head())));
  }
  ++tally_.changed;
  Take(grown);
}

absl::Status ShadowLedger::ThawByForfeiting(absl::string_view budget_id, int64_t now_ms) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const absl::Status done = real_->ThawByForfeiting(budget_id, now_ms);
  Compare(done, fold::Decide(kept_.state, fold::ForfeitAct{.budget_id = std::string(budget_id),
                                                           .now_ms = now_ms}));
  return done;
}

absl::Status ShadowLedger::ReplaceSealingKey(sealing::SealingKey key) {
  return real_->ReplaceSealingKey(std::move(key));
}

absl::StatusOr<int64_t> ShadowLedger::LastTimeMs() {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  auto last = real_->LastTimeMs();
  int64_t folded = 0;
  for (const fold::BudgetState& budget : kept_.state.budgets()) {
    folded = std::max(folded, budget.last_time_ms());
  }
  EXPECT_OK(last);
  EXPECT_EQ(last.value_or(-1), folded);
  return last;
}

absl::StatusOr<PlanQuote> ShadowLedger::Price(const Purse& purse, const v1::PlanSpec& plan) {
  return real_->Price(purse, plan);
}
absl::StatusOr<v1::PlanState> ShadowLedger::GetPlan(absl::string_view principal,
                                                    absl::string_view plan_id) {
  return real_->GetPlan(principal, plan_id);
}
absl::StatusOr<PlanPage> ShadowLedger::ListPlans(const PlanQuery& query) {
  return real_->ListPlans(query);
}
absl::StatusOr<v1::BudgetStatus> ShadowLedger::Budget(const BudgetQuery& query) {
  return real_->Budget(query);
}
absl::StatusOr<CorpusStanding> ShadowLedger::Standing(absl::string_view corpus_version) {
  return real_->Standing(corpus_version);
}
absl::StatusOr<std::vector<CorpusStanding>> ShadowLedger::Corpora() { return real_->Corpora(); }
absl::Status ShadowLedger::ReadEvents(
    absl::string_view corpus_version, const Reader& reader, int64_t first_sequence,
    absl::FunctionRef<absl::Status(const v1::LedgerEntry&)> sink) {
  return real_->ReadEvents(corpus_version, reader, first_sequence, sink);
}

}  // namespace topicwall::ledger
