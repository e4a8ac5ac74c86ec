#include "server/vault/private_e_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "proto/request_digest.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/store/ledger_files.h"
#include "server/store/stores.h"
#include "server/vault/wall_queries.h"
#include "server/wall_config.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/store/forwarding_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/topic_plans.h"

namespace topicwall::server {
namespace private_e_step_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

constexpr int64_t kInterval = 5000;
constexpr int kTopics = 2;
constexpr int kTerms = 5;  // of the small corpus

constexpr char kConfig[] = R"(
custodian_id: "test" listen_address: "127.0.0.1:0"
tls { certificate: "tls/none" private_key: "tls/none" client_ca: "tls/none" }
data_directory: "data" key_file: "corpus.key" event_log: "events.jsonl"
principals { name: "alice" role: ANALYST access { corpus: "notes" } }
corpora {
  name: "notes" timing_protection: TIMING_PROTECTION_SCHEDULE release_interval_ms: 5000
  limits {
    max_tokens: 50 max_documents_per_unit: 2 max_parameters_per_term: 4 max_iterations: 9
    max_model_iterations: 10 min_noise_multiplier: 1 max_releases: 100 queue_length: 2
  }
}
e_step_threads: 1 max_matrix_bytes: 1000
)";

// Stands still but for sleeping, which takes no time at all once `busy` has ended.
class TestClock : public release::Clock {
 public:
  explicit TestClock(std::function<bool()> busy) : busy_(std::move(busy)) {}
  int64_t NowMs() override {
    if (asked_) asked_();
    return now_ms_;
  }
  void NeverBefore(int64_t /*instant_ms*/) override {}
  bool SleepUntilMs(int64_t instant_ms) override {
    if (asleep_) asleep_();
    while (!woken_ && busy_()) std::this_thread::yield();
    if (woken_.exchange(false)) return false;
    now_ms_ = std::max(now_ms_, instant_ms) + std::exchange(oversleeps_ms_, 0);
    return true;
  }
  // Of who sleeps; whoever sleeps later is let sleep.
  void Interrupt() override { woken_ = true; }

  // Called when somebody begins to sleep.
  void WhenAsleep(std::function<void()> act) { asleep_ = std::move(act); }
  // The next sleeper, by so long.
  void Oversleep(int64_t ms) { oversleeps_ms_ = ms; }
  // Called when somebody asks for the time: first between the last look at the data and the charge.
  void WhenAsked(std::function<void()> act) { asked_ = std::move(act); }

 private:
  const std::function<bool()> busy_;
  int64_t now_ms_ = 1'800'000'000'000;
  int64_t oversleeps_ms_ = 0;
  std::atomic<bool> woken_ = false;
  std::function<void()> asleep_;
  std::function<void()> asked_;
};

// What was answered, and when.
class Answer : public ledger::ReleaseSink {
 public:
  explicit Answer(release::Clock& clock) : clock_(clock) {}
  absl::Status Header(v1::ReleaseHeader header) override {
    header_ = std::move(header);
    at_ms_ = clock_.NowMs();
    return absl::OkStatus();
  }
  absl::Status Statistics(int64_t /*first_entry*/, std::string values) override {
    values_ += values;
    return absl::OkStatus();
  }

  const v1::ReleaseHeader& header() const { return header_; }
  const std::string& values() const { return values_; }
  int64_t at_ms() const { return at_ms_; }

 private:
  release::Clock& clock_;
  v1::ReleaseHeader header_;
  std::string values_;
  int64_t at_ms_ = 0;
};

// A disk that has room for rows and none for a release, as long as `full`.
enum class Refused { kNothing, kReleases, kEverything };

class FullStore final : public testing::ForwardingStore {
 public:
  FullStore(std::unique_ptr<store::EventStore> store, const Refused* refused,
            const std::function<void()>* when_stored)
      : ForwardingStore(std::move(store)), refused_(refused), when_stored_(when_stored) {}
  absl::Status Append(const store::Change& change) override {
    if (*refused_ == Refused::kEverything ||
        (*refused_ == Refused::kReleases && !change.blobs.empty())) {
      return absl::UnavailableError("the ledger's disk is full; nothing was changed");
    }
    store::Change without_owners = change;  // a file has none
    for (store::Change::Row& row : without_owners.open_charges) {
      if (row.before.has_value()) row.before->owner.clear();
      if (row.after.has_value()) row.after->owner.clear();
    }
    absl::Status appended = ForwardingStore::Append(without_owners);
    if (!change.blobs.empty() && *when_stored_) (*when_stored_)();
    return appended;
  }

 private:
  const Refused* const refused_;
  const std::function<void()>* const when_stored_;
};

// No plan here has weights, which are blobs, too.
constexpr char kReleases[] = "SELECT COUNT(*) FROM blob";

class PrivateEStepTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(kConfig); }

  void Open(const std::string& text, int documents = 24) {
    testing::WriteWholeFile(folder_.path() + "/wall.textproto", text);
    std::filesystem::create_directory(folder_.path() + "/data");
    ASSERT_OK_AND_ASSIGN(auto config, ReadWallConfig(folder_.path() + "/wall.textproto"));
    const sealing::CustodianKey key = corpus::NewKey();
    ASSERT_OK(key.WriteNew(folder_.path() + "/corpus.key"));
    ASSERT_OK_AND_ASSIGN(const auto written,
                         corpus::WriteCorpus(CorpusFile(config, "notes"),
                                             corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                             corpus::PlainDocuments(documents), key));
    version_.assign(written.version.begin(), written.version.end());
    OpenLedger(key);
    std::unique_ptr<store::EventStore> store = OwnStore();
    if (store != nullptr) config.mutable_ledger();
    ASSERT_OK_AND_ASSIGN(auto wall, Wall::Open(config, clock_, nullptr, std::move(store)));
    wall_ = std::move(wall);
    plan_id_ = Reserve('r', Plan());
  }

  // As after the server was stopped, and started with this configuration.
  void Reopen(const std::string& text) {
    wall_.reset();
    testing::WriteWholeFile(folder_.path() + "/wall.textproto", text);
    ASSERT_OK_AND_ASSIGN(const auto config, ReadWallConfig(folder_.path() + "/wall.textproto"));
    ASSERT_OK_AND_ASSIGN(auto wall, Wall::Open(config, clock_));
    wall_ = std::move(wall);
  }

  std::string Reserve(char request_id, const v1::ReleaseSpec& plan) {
    ledger::ReserveRequest request;
    request.purse.principal = "alice";
    request.purse.max_releases = 100;
    request.request_id = std::string(16, request_id);
    request.plan = plan;
    request.now_ms = clock_.NowMs();
    const auto state = wall_->ledger().Reserve(request);
    EXPECT_OK(state);
    return state.ok() ? state->plan_id() : "";
  }

  void OpenLedger(const sealing::CustodianKey& key) {
    ASSERT_OK_AND_ASSIGN(auto keys, ledger::LedgerKeys::Of(key));
    std::filesystem::create_directory(ledger_folder_);
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(ledger_folder_));
    ASSERT_OK_AND_ASSIGN(auto ledger,
                         ledger::FoldedLedger::Create(std::move(lock), std::move(keys)));
    ASSERT_OK_AND_ASSIGN(const auto policy,
                         accountant::BudgetFilter::DefaultSpec({.epsilon = 8, .delta = 1e-6}));
    ASSERT_OK(ledger->OpenBudget({.custodian_id = "test",
                                  .policy = policy,
                                  .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                                  .corpus = "notes",
                                  .corpus_version = version_,
                                  .now_ms = clock_.NowMs()}));
  }

  v1::ReleaseSpec Plan() const {
    v1::ReleaseSpec plan;
    plan.set_corpus("notes");
    plan.set_corpus_version(version_);
    plan.set_sampling_rate(1);
    plan.mutable_gaussian()->set_noise_multiplier(20);
    plan.set_iterations(3);
    plan.set_max_tokens(50);
    testing::AskTopics(&plan, "lda", kTopics, {0.3});
    return plan;
  }

  v1::ReleaseSpec EvaluationPlan() const {
    v1::ReleaseSpec plan = Plan();
    plan.set_model("document_completion");
    plan.set_held_out_share(1);
    plan.set_held_out_only(true);
    const std::vector<float> weights = {0.01F, 0.01F};
    plan.set_weights({reinterpret_cast<const char*>(weights.data()), 8});
    return plan;
  }

  absl::Status Run(Answer& answer) { return Run(answer, plan_id_); }

  // Stopped between its store moment and its instant.
  void StopOnceStored(Answer& answer, const std::string& plan_id) {
    int slept = 0;
    clock_.WhenAsleep([&] {
      if (++slept == 2) wall_->Interrupt();
    });
    EXPECT_THAT(Run(answer, plan_id), StatusIs(absl::StatusCode::kUnavailable));
    clock_.WhenAsleep({});
  }

  absl::Status Run(Answer& answer, const std::string& plan_id, double direction_noise = 0) {
    const std::vector<float> topics(kTopics * kTerms, -1);
    v1::RunReleaseHeader header;
    header.set_plan_id(plan_id);
    header.set_iteration(1);
    header.set_clip_norm(4);
    header.set_direction_noise(direction_noise);
    const auto plan = wall_->ledger().GetPlan("alice", plan_id);
    if (!plan.ok()) return plan.status();
    header.set_request_digest(
        base::DigestBytes(proto::RequestDigest(header, plan->plan(), topics)));
    auto admitted =
        AdmittedRequest::Admit(*wall_, {.principal = "alice", .is_auditor = false}, header);
    if (!admitted.ok()) return admitted.status();
    auto place = wall_->queue().Enter({.corpus = "notes", .length = 2, .principal = "alice"});
    EXPECT_TRUE(place.has_value());
    auto request = (*std::move(admitted)).WithParameters(topics);
    if (!request.ok()) return request.status();
    return RunPrivateEStep(*wall_, *std::move(request), *std::move(place), answer);
  }

  // The ledger's, instead of the one that the wall opens for itself.
  virtual std::unique_ptr<store::EventStore> OwnStore() { return nullptr; }

  // As nothing in the server can: past the ledger.
  void EditTables(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((ledger_folder_ + "/ledger.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  // A number out of the tables, past the ledger.
  int64_t Number(const std::string& sql) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((ledger_folder_ + "/ledger.db").c_str(), &database), SQLITE_OK);
    sqlite3_stmt* row = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &row, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(row), SQLITE_ROW);
    const int64_t number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(database);
    return number;
  }

  // Of the first half.
  void DamageCorpus() {
    const std::string path = folder_.path() + "/data/notes.corpus";
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path));
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (std::streamoff at = size / 8; at < size / 2; at += 100) {
      file.seekp(at);
      file.put('\x55');
    }
  }

  // Computes until it is let go, and what is begun then waits.
  void Occupy() {
    std::atomic<bool> begun = false;
    wall_->computing().Begin(true,
                             [let_go = let_go_, &begun](const std::atomic<bool>& /*abandoned*/) {
                               begun = true;
                               while (!*let_go) std::this_thread::yield();
                             });
    while (!begun) std::this_thread::yield();
  }

  v1::CorpusDescription Described() {
    return *DescribeCorpus(*wall_, CorpusGrant{}, **wall_->Find("notes"));
  }

  v1::CorpusState State() { return wall_->ledger().StatusOfCorpus(version_)->state; }

  std::string Log() const { return testing::ReadWholeFile(folder_.path() + "/events.jsonl"); }

  testing::TemporaryDirectory folder_;
  std::string ledger_folder_ = folder_.path() + "/data";
  // Whoever computes is let finish, unless a test wants it to take too long.
  bool let_finish_ = true;
  TestClock clock_{
      [this] { return let_finish_ && wall_ != nullptr && !wall_->computing().IsIdle(); }};
  std::string version_;
  std::unique_ptr<Wall> wall_;
  std::string plan_id_;
  const std::shared_ptr<std::atomic<bool>> let_go_ = std::make_shared<std::atomic<bool>>(false);
};

TEST_F(PrivateEStepTest, AReleaseIsAnsweredAtItsInstantAndNotBefore) {
  const int64_t charged_at_ms = clock_.NowMs();
  bool waited = false;
  clock_.WhenAsleep([&] {
    waited = true;
    Answer too_early(clock_);
    EXPECT_THAT(wall_->ledger().ReadRelease("alice", plan_id_, 1, too_early),
                StatusIs(absl::StatusCode::kNotFound));
  });
  Answer answer(clock_);
  ASSERT_OK(Run(answer));
  EXPECT_TRUE(waited);
  EXPECT_EQ(answer.header().charged_at_ms(), charged_at_ms);
  EXPECT_EQ(answer.header().readable_at_ms(), charged_at_ms + kInterval);
  EXPECT_GE(answer.at_ms(), answer.header().readable_at_ms());
  EXPECT_EQ(answer.values().size(), kTopics * kTerms * sizeof(float));
}

// The release is in the store when the wait begins; what is done to it there must show.
TEST_F(PrivateEStepTest, WhatIsAnsweredIsReadBackFromTheStore) {
  clock_.WhenAsleep([this] { EditTables("UPDATE blob SET bytes = zeroblob(40)"); });
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(answer.values(), "");
}

// Whoever wants the ledger while a release is written waits: when that is must be public.
TEST_F(PrivateEStepTest, AReleaseIsStoredAtItsStoreMomentAndNotWhenItIsReady) {
  const int64_t charged_at_ms = clock_.NowMs();
  std::vector<int64_t> stored;  // releases, whenever somebody begins to wait
  int64_t stored_at_ms = 0;
  Answer answer(clock_);
  clock_.WhenAsleep([&] {
    stored.push_back(Number("SELECT COUNT(*) FROM open_charge WHERE release_sha256 <> x''"));
    if (stored.size() == 2) stored_at_ms = clock_.NowMs();
  });
  ASSERT_OK(Run(answer));
  EXPECT_EQ(stored, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(stored_at_ms, charged_at_ms + kInterval - 60) << "30 ms, and 30 for a mebibyte";
}

// How long an E-step goes on before it fails may depend on the documents.
TEST_F(PrivateEStepTest, AFailureAfterTheChargeIsAnsweredAtTheLastInstantToo) {
  EditTables(
      "CREATE TRIGGER full BEFORE INSERT ON blob "
      "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  const int64_t charged_at_ms = clock_.NowMs();
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal));
  EXPECT_EQ(clock_.NowMs(), charged_at_ms + 16 * kInterval);
  EXPECT_EQ(answer.values(), "");
  // Paid for, and computed when it is asked for again: it was not for want of room.
  EXPECT_FALSE(wall_->unstored().has_value());
  EditTables("DROP TRIGGER full");
  ASSERT_OK(Run(answer));
  EXPECT_EQ(answer.header().charged_at_ms(), charged_at_ms);
}

// By them the custodian chose T and the machine; what is paid was paid under others.
TEST_F(PrivateEStepTest, LimitsThatWereLoweredHoldForWhatIsNotYetCharged) {
  v1::Limits& limits = *(*wall_->Find("notes"))->config.mutable_limits();
  const v1::Limits before = limits;
  const std::string unpaid = Reserve('u', Plan()), pending = Reserve('p', Plan());
  Answer answer(clock_), again(clock_);
  ASSERT_OK(Run(answer));
  EditTables(
      "CREATE TRIGGER full BEFORE INSERT ON blob "
      "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  EXPECT_THAT(Run(again, pending), StatusIs(absl::StatusCode::kInternal));
  EditTables("DROP TRIGGER full");
  limits.set_max_parameters_per_term(1);
  EXPECT_THAT(Run(again, unpaid),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("max_parameters_per_term = 1"),
                             HasSubstr("nothing was charged: ask the custodian"))));
  limits = before;
  limits.set_max_tokens(10);
  EXPECT_THAT(Run(again, unpaid),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("max_tokens must be")));
  EXPECT_EQ(wall_->ledger().GetPlan("alice", unpaid)->iterations_size(), 0);
  limits.set_max_parameters_per_term(1);
  ASSERT_OK(Run(again));
  EXPECT_EQ(again.values(), answer.values());
  EXPECT_OK(Run(again, pending));
  limits = before;
  EXPECT_OK(Run(again, unpaid));
}

TEST_F(PrivateEStepTest, AReleaseThatIsLateIsAnOverrunThatEverybodyIsToldOf) {
  const int64_t charged_at_ms = clock_.NowMs();
  int slept = 0;  // until the first store moment, and until the second
  let_finish_ = false;
  Occupy();
  clock_.WhenAsleep([&] {
    if (++slept != 2) return;
    *let_go_ = true;
    let_finish_ = true;
  });
  Answer answer(clock_);
  ASSERT_OK(Run(answer));
  clock_.WhenAsleep({});
  EXPECT_EQ(answer.header().readable_at_ms(), charged_at_ms + 2 * kInterval);
  EXPECT_THAT(Log(), HasSubstr(kAlarmOverrun));
  EXPECT_EQ(Described().overruns(), 1);
  EXPECT_EQ(Described().restarts(), 0);
  EXPECT_EQ(Described().voided(), 0);
}

// It was stored when the server went down; somebody asks before its instant, or long afterwards.
TEST_F(PrivateEStepTest, AStoredReleaseIsPublishedAtItsInstantAndIsAnOverrunIfThatIsOver) {
  const std::string late = Reserve('l', Plan());
  for (const std::string& plan_id : {plan_id_, late}) {
    const int64_t charged_at_ms = clock_.NowMs();
    int slept = 0;  // until the store moment, and until the instant
    clock_.WhenAsleep([&] {
      if (++slept == 2) clock_.Interrupt();
    });
    Answer answer(clock_);
    EXPECT_THAT(Run(answer, plan_id), StatusIs(absl::StatusCode::kUnavailable));
    clock_.WhenAsleep({});
    if (plan_id == late) clock_.SleepUntilMs(charged_at_ms + 17 * kInterval);
    ASSERT_OK(Run(answer, plan_id));
    EXPECT_EQ(answer.header().readable_at_ms() - charged_at_ms,
              plan_id == late ? 17 * kInterval : kInterval);
    EXPECT_EQ(Described().overruns(), plan_id == late ? 1 : 0);
  }
}

TEST_F(PrivateEStepTest, WhoWaitsForAnInstantIsWokenWhenTheServerGoesDown) {
  clock_.WhenAsleep([this] { wall_->Interrupt(); });
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("is paid")));
  EXPECT_EQ(answer.values(), "");
}

TEST_F(PrivateEStepTest, AChargeSaysWhatItIsComputedUnder) {
  Reopen(absl::StrCat(kConfig, "processes { gate: \"gate\" vault: \"vault\" }"));
  Answer answer(clock_);
  ASSERT_OK(Run(answer));
  v1::Protection protection;
  EXPECT_OK(wall_->ledger().ReadEvents(version_, {.principal = "alice", .is_auditor = false}, 0,
                                       [&](const v1::LedgerEntry& entry) {
                                         v1::LedgerEvent event;
                                         event.ParseFromString(entry.event());
                                         if (event.has_iteration_charged())
                                           protection = event.iteration_charged().protection();
                                         return absl::OkStatus();
                                       }));
  EXPECT_EQ(protection.release_interval_ms(), kInterval);
  EXPECT_EQ(protection.free_processors(), release::Processors::OfThisProcess().NumFreeNow());
  EXPECT_TRUE(protection.users_separated());
  EXPECT_TRUE(protection.sandbox_required());
  Reopen(absl::StrCat(kConfig, "sandbox: SANDBOX_BEST_EFFORT"));
  ASSERT_OK(Run(answer, Reserve('s', Plan())));
  EXPECT_FALSE(Described().worst_protection().users_separated());
  EXPECT_FALSE(Described().worst_protection().sandbox_required());
}

// More than SQLite keeps in memory of a file.
class LargeCorpusTest : public PrivateEStepTest {
 protected:
  void SetUp() override { Open(kConfig, 60'000); }
};

TEST_F(LargeCorpusTest, DocumentsThatCannotBeReadVoidTheReleaseAtTheLastInstant) {
  const int64_t charged_at_ms = clock_.NowMs();
  clock_.WhenAsked([this] {
    DamageCorpus();
    clock_.WhenAsked({});
  });
  Answer answer(clock_);
  const absl::Status status = Run(answer);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("Ask the custodian")));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("would not help")));
  EXPECT_EQ(clock_.NowMs(), charged_at_ms + 16 * kInterval);
  EXPECT_EQ(Number(kReleases), 0);
  EXPECT_EQ(State(), v1::CORPUS_STATE_PAUSED);
  EXPECT_TRUE(wall_->ledger().GetPlan("alice", plan_id_)->iterations(0).voided());
  EXPECT_THAT(Log(), HasSubstr(kAlarmUnreadableUnits));
  // And never again.
  EXPECT_FALSE(Run(answer).ok());
  EXPECT_EQ(answer.values(), "");
}

TEST_F(PrivateEStepTest, DataThatChangedBeforeTheChargeAreRefusedAndNothingIsCharged) {
  DamageCorpus();
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(wall_->ledger().GetPlan("alice", plan_id_)->iterations_size(), 0);
  EXPECT_EQ(State(), v1::CORPUS_STATE_OPEN);
}

TEST_F(PrivateEStepTest, WhatCouldNotBeComputedInItsAttemptsIsVoidedAtTheLastInstant) {
  EditTables(
      "CREATE TRIGGER full BEFORE INSERT ON blob "
      "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  Answer answer(clock_);
  for (int attempt = 0; attempt <= ledger::kMaxRecomputations; ++attempt) {
    EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal));
  }
  const int64_t asked_at_ms = clock_.NowMs();
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(clock_.NowMs(), asked_at_ms + 16 * kInterval);
  EXPECT_EQ(wall_->ledger().GetPlan("alice", plan_id_)->state(), v1::PlanState::PAUSED);
  EXPECT_EQ(wall_->ledger().StatusOfCorpus(version_)->restarts, ledger::kMaxRecomputations);
  EXPECT_EQ(wall_->ledger().StatusOfCorpus(version_)->overruns, 0);
  EXPECT_EQ(State(), v1::CORPUS_STATE_OPEN);
}

// Twice from one key, with another number of a unit's documents: their difference has no noise.
TEST_F(PrivateEStepTest, UnderAnotherCapAChargeIsNotComputedAgain) {
  const std::string other_cap =
      absl::StrReplaceAll(kConfig, {{"max_documents_per_unit: 2", "max_documents_per_unit: 1"}});
  EditTables(
      "CREATE TRIGGER full BEFORE INSERT ON blob "
      "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal));
  EditTables("DROP TRIGGER full");
  Reopen(other_cap);
  ASSERT_OK(wall_->BeginServing());
  EXPECT_THAT(Log(), HasSubstr(kAlarmComputedOtherwise)) << "before anybody asks for it";
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kFailedPrecondition,
                                    HasSubstr("limits.max_documents_per_unit 2 (now 1)")));
  EXPECT_EQ(Number(kReleases), 0);
  Reopen(kConfig);
  ASSERT_OK(Run(answer)) << "with what it was charged for";
}

std::string WithoutTimingProtection() {
  return absl::StrReplaceAll(kConfig, {{"SCHEDULE release_interval_ms: 5000", "NONE"}});
}

// Whatever the configuration says later.
TEST_F(PrivateEStepTest, WhatIsBegunAgainWithoutTimingProtectionIsToldForEver) {
  clock_.WhenAsleep([this] { wall_->Interrupt(); });
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kUnavailable));
  clock_.WhenAsleep({});
  EXPECT_EQ(Number(kReleases), 0);
  EXPECT_EQ(Described().worst_protection().release_interval_ms(), kInterval);
  Reopen(WithoutTimingProtection());
  ASSERT_OK(Run(answer));
  Reopen(kConfig);
  EXPECT_EQ(Described().release_interval_ms(), kInterval);
  EXPECT_EQ(Described().worst_protection().release_interval_ms(), 0);
  EXPECT_EQ(Described().worst_protection().free_processors(), 0);
}

TEST_F(PrivateEStepTest, WhatIsStoredIsPublishedOnTheScheduleThatItWasBegunOn) {
  Answer answer(clock_);
  StopOnceStored(answer, plan_id_);
  EXPECT_EQ(Number(kReleases), 2) << "with its header";
  Reopen(WithoutTimingProtection());
  const int64_t started_at_ms = clock_.NowMs();
  PublishUnfinished(*wall_, RestartUnfinished(*wall_));
  ASSERT_OK(Run(answer));
  EXPECT_EQ(answer.header().readable_at_ms(), started_at_ms + kInterval);
  EXPECT_EQ(Described().worst_protection().release_interval_ms(), kInterval);
}

// It is paid, and needs nothing of the documents.
TEST_F(PrivateEStepTest, WhatIsStoredIsPublishedAlsoIfItsVersionIsNoLongerServed) {
  Answer answer(clock_);
  StopOnceStored(answer, plan_id_);
  wall_.reset();
  ASSERT_OK_AND_ASSIGN(const auto key, sealing::CustodianKey::Read(folder_.path() + "/corpus.key"));
  std::filesystem::remove(folder_.path() + "/data/notes.corpus");
  ASSERT_OK(corpus::WriteCorpus(folder_.path() + "/data/notes.corpus",
                                corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                corpus::PlainDocuments(24), key));
  Reopen(kConfig);
  ASSERT_EQ(wall_->FindVersion(version_), nullptr);
  const int64_t started_at_ms = clock_.NowMs();
  PublishUnfinished(*wall_, RestartUnfinished(*wall_));
  ASSERT_OK(wall_->ledger().ReadRelease("alice", plan_id_, 1, answer));
  EXPECT_EQ(answer.header().readable_at_ms(), started_at_ms + kInterval);
  EXPECT_TRUE(RestartUnfinished(*wall_).empty()) << "at no later start";
}

class FullStoreTest : public PrivateEStepTest {
 protected:
  void SetUp() override {
    ledger_folder_ = folder_.path() + "/elsewhere";
    Open(kConfig);
  }
  std::unique_ptr<store::EventStore> OwnStore() override {
    auto lock = store::DataDirectoryLock::Acquire(ledger_folder_);
    EXPECT_OK(lock);
    auto store = store::OpenStore(*std::move(lock));
    EXPECT_OK(store);
    std::filesystem::copy_file(store::IdentityPath(ledger_folder_),
                               store::IdentityPath(folder_.path() + "/data"));
    return std::make_unique<FullStore>(*std::move(store), &refused_, &when_stored_);
  }
  ledger::CorpusStatus Status() { return *wall_->ledger().StatusOfCorpus(version_); }

  Refused refused_ = Refused::kReleases;
  std::function<void()> when_stored_;  // a release, before the wall is told
};

TEST_F(FullStoreTest, ARequestThatIsSentAgainWhileTheDiskIsFullUsesUpNoRecomputation) {
  const int64_t charged_at_ms = clock_.NowMs();
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal, HasSubstr("send the same")));
  EXPECT_EQ(clock_.NowMs(), charged_at_ms + 16 * kInterval);
  for (int again = 1; again < 6; ++again) {
    EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal, HasSubstr("send the same")));
    EXPECT_EQ(clock_.NowMs(), charged_at_ms + 16 * kInterval + 10 * again) << "nothing to wait for";
  }
  EXPECT_EQ(Status().restarts, 0);
  refused_ = Refused::kNothing;
  const int64_t asked_at_ms = clock_.NowMs();
  ASSERT_OK(Run(answer));
  EXPECT_EQ(answer.header().charged_at_ms(), charged_at_ms);
  EXPECT_EQ(answer.header().readable_at_ms(), asked_at_ms + kInterval);
  EXPECT_FALSE(wall_->unstored().has_value());
  EXPECT_EQ(Status().restarts, 1);
  EXPECT_EQ(Status().overruns, 0);
  EXPECT_EQ(Status().voided, 0);
  EXPECT_EQ(Described().restarts(), 1);
  EXPECT_EQ(Described().overruns(), 0);
  EXPECT_EQ(Described().voided(), 0);
}

TEST_F(FullStoreTest, NobodyIsChargedBeforeWhatIsPaidForIsStoredWhoeverStoresIt) {
  const std::string other = Reserve('o', Plan());
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(Run(answer, other),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("nothing was charged")));
  EXPECT_EQ(wall_->ledger().GetPlan("alice", other)->iterations_size(), 0);
  refused_ = Refused::kNothing;
  const int64_t asked_at_ms = clock_.NowMs();
  ASSERT_OK(Run(answer, other));
  EXPECT_EQ(answer.header().readable_at_ms(), asked_at_ms + 2 * kInterval);
  Answer first(clock_);
  ASSERT_OK(wall_->ledger().ReadRelease("alice", plan_id_, 1, first));
  EXPECT_EQ(first.header().readable_at_ms(), asked_at_ms + kInterval);
}

// A database that is started again: seconds without it cost one more interval, and not sixteen.
TEST_F(FullStoreTest, AReleaseThatIsNotTakenIsBegunAnewAsSoonAsItIs) {
  const int64_t charged_at_ms = clock_.NowMs();
  int slept = 0;  // until the store moment, and between attempts
  clock_.WhenAsleep([&] {
    if (++slept < 4) return;
    EXPECT_THAT(Log(), HasSubstr(kAlarmStorageFailed));
    refused_ = Refused::kNothing;
  });
  Answer answer(clock_);
  ASSERT_OK(Run(answer));
  const int64_t stored_at_ms = charged_at_ms + kInterval - 60 + 3 * 1000;
  EXPECT_EQ(answer.header().readable_at_ms(), stored_at_ms + kInterval);
  EXPECT_EQ(answer.at_ms(), answer.header().readable_at_ms());
  EXPECT_EQ(Described().restarts(), 1);
  EXPECT_EQ(Described().overruns(), 0);
  EXPECT_FALSE(wall_->unstored().has_value());
}

// Begun anew it would tell of the second level without being counted for it.
TEST_F(FullStoreTest, AnOverrunThatIsNotTakenAtOnceStaysAnOverrun) {
  const int64_t charged_at_ms = clock_.NowMs();
  int slept = 0;  // until the first store moment, until the second, and until the next attempt
  let_finish_ = false;
  Occupy();
  clock_.WhenAsleep([&] {
    if (++slept == 3) refused_ = Refused::kNothing;
    if (slept != 2) return;
    *let_go_ = true;
    let_finish_ = true;
  });
  Answer answer(clock_);
  ASSERT_OK(Run(answer));
  clock_.WhenAsleep({});
  EXPECT_EQ(answer.header().readable_at_ms(), charged_at_ms + 4 * kInterval);
  EXPECT_EQ(Described().overruns(), 1);
  EXPECT_EQ(Described().restarts(), 0);
}

TEST_F(FullStoreTest, ACommitThatTakesLongerThanAnIntervalIsAnOverrunAndAShorterOneIsNone) {
  const std::string late = Reserve('l', Plan());
  refused_ = Refused::kNothing;
  for (const std::string& plan_id : {plan_id_, late}) {
    const int64_t charged_at_ms = clock_.NowMs();
    const int64_t committed_ms = charged_at_ms + (plan_id == late ? 2 : 1) * kInterval + 1000;
    when_stored_ = [&] { clock_.SleepUntilMs(committed_ms); };
    Answer answer(clock_);
    ASSERT_OK(Run(answer, plan_id));
    EXPECT_EQ(answer.header().readable_at_ms() - charged_at_ms,
              (plan_id == late ? 4 : 1) * kInterval);
    EXPECT_EQ(answer.at_ms(), std::max(committed_ms, answer.header().readable_at_ms()));
    EXPECT_EQ(Described().overruns(), plan_id == late ? 1 : 0);
  }
}

// As of a suspended machine whose database is back some seconds after it.
TEST_F(FullStoreTest, ALedgerThatIsOutOfReachAfterAStandstillIsAskedAgain) {
  refused_ = Refused::kNothing;
  const int64_t charged_at_ms = clock_.NowMs();
  int slept = 0;
  clock_.WhenAsleep([&] {
    ++slept;
    if (slept == 1) {
      clock_.Oversleep(17 * kInterval);
      refused_ = Refused::kEverything;
    }
    if (slept == 4) refused_ = Refused::kNothing;
  });
  Answer answer(clock_);
  ASSERT_OK(Run(answer));
  const int64_t asked_for_the_fourth_time_ms = charged_at_ms + 18 * kInterval - 60 + 3 * 1000;
  EXPECT_EQ(answer.header().readable_at_ms(), asked_for_the_fourth_time_ms + kInterval);
  EXPECT_EQ(Described().restarts(), 1);
}

TEST_F(FullStoreTest, TheCustodianIsToldOfTheDiskAndOfNoReleaseThatFailed) {
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(Log(), HasSubstr(kAlarmStorageFailed));
  EXPECT_THAT(Log(), Not(HasSubstr(kAlarmReleaseFailed)));
}

TEST_F(PrivateEStepTest, WhatIsNotReadyForTheLastLevelIsVoidedThen) {
  let_finish_ = false;
  Occupy();
  const int64_t charged_at_ms = clock_.NowMs();
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(clock_.NowMs(), charged_at_ms + 16 * kInterval);
  EXPECT_TRUE(wall_->ledger().GetPlan("alice", plan_id_)->iterations(0).voided());
  EXPECT_EQ(wall_->ledger().StatusOfCorpus(version_)->voided, 1);
  *let_go_ = true;
}

// Suspended, or all processes stopped. Whether the release was ready by then is told to nobody.
TEST_F(PrivateEStepTest, AMachineThatStoodStillOverAStoreMomentCountsTheInstantsAnew) {
  for (const bool ready : {true, false}) {
    const std::string plan_id = Reserve(ready ? 'p' : 'q', Plan());
    const int64_t charged_at_ms = clock_.NowMs();
    *let_go_ = false;
    let_finish_ = ready;
    if (!ready) Occupy();
    clock_.Oversleep(17 * kInterval);
    int slept = 0;
    clock_.WhenAsleep([&] {
      if (++slept != 2) return;
      EXPECT_EQ(clock_.NowMs(), charged_at_ms + kInterval - 60 + 17 * kInterval);
      EXPECT_EQ(Number(kReleases), ready ? 0 : 2) << "of the first one, with its header";
      *let_go_ = true;
      let_finish_ = true;
    });
    Answer answer(clock_);
    ASSERT_OK(Run(answer, plan_id));
    clock_.WhenAsleep({});
    EXPECT_EQ(answer.header().charged_at_ms(), charged_at_ms);
    EXPECT_EQ(answer.header().readable_at_ms(), charged_at_ms + 19 * kInterval - 60);
    EXPECT_EQ(answer.at_ms(), answer.header().readable_at_ms());
  }
  EXPECT_EQ(Described().restarts(), 2);
  EXPECT_EQ(Described().overruns(), 0);
  EXPECT_EQ(Described().voided(), 0);
}

TEST_F(PrivateEStepTest, AReleaseThatAStandstillMeetsEachTimeIsGivenUpAsOneThatKillsTheServer) {
  const int64_t charged_at_ms = clock_.NowMs();
  constexpr int kStandstills = ledger::kMaxRecomputations + 1;
  int slept = 0;
  clock_.WhenAsleep([&] {
    if (++slept <= kStandstills) clock_.Oversleep(17 * kInterval);
  });
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(clock_.NowMs(), charged_at_ms + kStandstills * (18 * kInterval - 60) + 16 * kInterval);
  EXPECT_EQ(Described().restarts(), ledger::kMaxRecomputations);
  EXPECT_EQ(Described().voided(), 1);
}

// Told no sooner than whatever else fails after a charge.
TEST_F(PrivateEStepTest, AStandstillThatTheLedgerCannotWriteDownVoidsNothing) {
  const int64_t charged_at_ms = clock_.NowMs();
  int slept = 0;
  clock_.WhenAsleep([&] {
    if (++slept != 1) return;
    clock_.Oversleep(17 * kInterval);
    EditTables(
        "CREATE TRIGGER full BEFORE INSERT ON event "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  });
  Answer answer(clock_);
  EXPECT_FALSE(Run(answer).ok());
  EXPECT_EQ(clock_.NowMs(), charged_at_ms + (18 + 16) * kInterval - 60);
  EditTables("DROP TRIGGER full");
  const int64_t asked_at_ms = clock_.NowMs();
  ASSERT_OK(Run(answer));
  EXPECT_EQ(answer.header().readable_at_ms(), asked_at_ms + kInterval);
  EXPECT_EQ(Described().restarts(), 1);
}

// It has missed no store moment, or none by more than a busy machine would.
TEST_F(PrivateEStepTest, ASleeperThatWakesALittleLateIsNoStandstill) {
  clock_.Oversleep(5000);
  Answer answer(clock_);
  ASSERT_OK(Run(answer));
  EXPECT_EQ(answer.header().readable_at_ms(), answer.header().charged_at_ms() + kInterval);
}

TEST_F(PrivateEStepTest, AServerThatGoesDownAbandonsWhatItComputesAndKeepsItCharged) {
  Occupy();
  Answer answer(clock_);
  absl::Status status;
  std::thread running([&] { status = Run(answer); });
  while (Number("SELECT COUNT(*) FROM open_charge") == 0) std::this_thread::yield();
  wall_->Interrupt();
  running.join();
  *let_go_ = true;
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(Number("SELECT length(sealed_key) > 0 FROM open_charge"), 1)
      << "computed again when it is asked for again";
  EXPECT_EQ(Number(kReleases), 0);
}

TEST_F(PrivateEStepTest, AnEvaluationIsOneMoreReleaseOfTwoNumbers) {
  const std::string plan_id = Reserve('e', EvaluationPlan());
  Answer first(clock_);
  ASSERT_OK(Run(first, plan_id));
  EXPECT_EQ(first.header().rows(), 1);
  EXPECT_EQ(first.header().columns(), 2);
  EXPECT_EQ(first.header().readable_at_ms(), first.header().charged_at_ms() + kInterval);
  ASSERT_EQ(first.values().size(), 2 * sizeof(float));
  Answer again(clock_);
  ASSERT_OK(Run(again, plan_id));
  EXPECT_EQ(again.values(), first.values());
  EXPECT_EQ(again.header().SerializeAsString(), first.header().SerializeAsString());
}

TEST_F(PrivateEStepTest, AReleaseSaysWheneverItIsReadHowMuchNoiseItHasAlongDirections) {
  EditTables(
      "CREATE TRIGGER full BEFORE INSERT ON blob "
      "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  Answer first(clock_);
  EXPECT_THAT(Run(first, plan_id_, 5), StatusIs(absl::StatusCode::kInternal));
  EditTables("DROP TRIGGER full");
  ASSERT_OK(Run(first, plan_id_, 5)) << "computed again";
  EXPECT_EQ(first.header().direction_noise(), 5);
  EXPECT_EQ(first.values().size(), kTopics * kTerms * sizeof(float));
  Answer later(clock_);
  ASSERT_OK(wall_->ledger().ReadRelease("alice", plan_id_, 1, later));
  EXPECT_EQ(later.header().SerializeAsString(), first.header().SerializeAsString());
  EXPECT_EQ(later.values(), first.values());
  EXPECT_THAT(Run(later, plan_id_, 4), StatusIs(absl::StatusCode::kAlreadyExists))
      << "another request";
}

TEST_F(PrivateEStepTest, NoiseAlongDirectionsThatAModelHasNotIsRefusedAndNothingIsCharged) {
  const std::string plan_id = Reserve('e', EvaluationPlan());
  Answer answer(clock_);
  EXPECT_THAT(Run(answer, plan_id, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("direction_noise")));
  EXPECT_EQ(wall_->ledger().GetPlan("alice", plan_id)->iterations_size(), 0);
  EXPECT_OK(Run(answer, plan_id, 0));
}

TEST_F(PrivateEStepTest, TheSameRequestIsAnsweredAgainWithoutWaiting) {
  Answer first(clock_);
  ASSERT_OK(Run(first));
  clock_.WhenAsleep([] { ADD_FAILURE() << "nobody waits for what is readable"; });
  Answer again(clock_);
  ASSERT_OK(Run(again));
  EXPECT_EQ(again.values(), first.values());
  EXPECT_EQ(again.header().SerializeAsString(), first.header().SerializeAsString());
}

}  // namespace private_e_step_test
}  // namespace topicwall::server
