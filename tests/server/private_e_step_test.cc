#include "server/private_e_step.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/request_digest.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/wall_config.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

using ::topicwall::testing::StatusIs;

constexpr int64_t kInterval = 5000;
constexpr int kTopics = 2;
constexpr int kTerms = 5;  // of the small corpus

constexpr char kConfig[] = R"(
custodian_id: "test" listen_address: "127.0.0.1:0"
tls { certificate: "none" private_key: "none" client_ca: "none" }
data_directory: "data" key_file: "corpus.key" event_log: "events.jsonl"
principals { name: "alice" role: ANALYST access { corpus: "notes" } }
corpora {
  name: "notes" timing_protection: TIMING_PROTECTION_SCHEDULE release_interval_ms: 5000
  limits {
    max_words: 50 max_documents_per_unit: 2 max_topics: 4 max_iterations: 9
    max_e_step_iterations: 10 min_noise_multiplier: 1 max_releases: 100 queue_length: 2
  }
}
e_step_threads: 1 max_matrix_bytes: 1000
)";

// Stands still but for sleeping, which takes no time at all.
class TestClock : public release::Clock {
 public:
  int64_t NowMs() override { return now_ms_; }
  void NeverBefore(int64_t /*instant_ms*/) override {}
  bool SleepUntilMs(int64_t instant_ms) override {
    if (asleep_) asleep_();
    now_ms_ = std::max(now_ms_, instant_ms);
    return true;
  }
  void Interrupt() override {}

  // Called when somebody begins to sleep.
  void WhenAsleep(std::function<void()> act) { asleep_ = std::move(act); }

 private:
  int64_t now_ms_ = 1'800'000'000'000;
  std::function<void()> asleep_;
};

// What was answered, and when.
class Answer : public ledger::ReleaseSink {
 public:
  explicit Answer(release::Clock& clock) : clock_(clock) {}
  absl::Status Header(const v1::ReleaseHeader& header) override {
    header_ = header;
    at_ms_ = clock_.NowMs();
    return absl::OkStatus();
  }
  absl::Status Statistics(int64_t /*first_entry*/, absl::string_view values) override {
    values_.append(values.data(), values.size());
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

class PrivateEStepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::WriteWholeFile(folder_.path() + "/wall.textproto", kConfig);
    std::filesystem::create_directory(folder_.path() + "/data");
    const auto config = ReadWallConfig(folder_.path() + "/wall.textproto");
    ASSERT_OK(config);
    const sealing::CustodianKey key = corpus::NewKey();
    ASSERT_OK(key.WriteNew(folder_.path() + "/corpus.key"));
    const auto written = corpus::WriteCorpus(CorpusFile(*config, "notes"),
                                             corpus::ParamsOf(corpus::PrivacyUnit::kDocument),
                                             corpus::PlainDocuments(24), key);
    ASSERT_OK(written);
    version_.assign(written->version.begin(), written->version.end());
    OpenLedger(key);
    auto wall = Wall::Open(*config, clock_);
    ASSERT_OK(wall);
    wall_ = *std::move(wall);
    plan_id_ = Reserve('r', Plan());
  }

  std::string Reserve(char request_id, const v1::PlanSpec& plan) {
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
    auto keys = ledger::LedgerKeys::Of(key);
    ASSERT_OK(keys);
    auto lock = ledger::DataDirectoryLock::Acquire(folder_.path() + "/data");
    ASSERT_OK(lock);
    auto ledger = ledger::SqliteLedger::Create(*std::move(lock), *std::move(keys));
    ASSERT_OK(ledger);
    const auto policy = accountant::BudgetFilter::DefaultSpec({.epsilon = 8, .delta = 1e-6});
    ASSERT_OK(policy);
    ASSERT_OK((*ledger)->OpenBudget({.custodian_id = "test",
                                     .policy = *policy,
                                     .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                                     .corpus = "notes",
                                     .corpus_version = version_,
                                     .added_budget_ids = {},
                                     .now_ms = clock_.NowMs()}));
  }

  v1::PlanSpec Plan() const {
    v1::PlanSpec plan;
    plan.set_corpus("notes");
    plan.set_corpus_version(version_);
    plan.set_sampling_rate(1);
    plan.set_noise_multiplier(20);
    plan.set_iterations(3);
    plan.set_max_words(50);
    plan.mutable_lda()->set_num_topics(kTopics);
    plan.mutable_lda()->add_document_topic_prior(0.3);
    return plan;
  }

  absl::Status Run(Answer& answer) { return Run(answer, plan_id_); }

  absl::Status Run(Answer& answer, const std::string& plan_id) {
    const std::vector<float> topics(kTopics * kTerms, -1);
    v1::EStepHeader header;
    header.set_plan_id(plan_id);
    header.set_iteration(1);
    header.set_clip_norm(4);
    header.set_max_e_step_iterations(10);
    header.set_mean_change_threshold(1e-3);
    header.set_request_digest(proto::DigestBytes(proto::RequestDigest(header, topics)));
    auto admitted =
        AdmittedEStep::Admit(*wall_, {.principal = "alice", .is_auditor = false}, header);
    if (!admitted.ok()) return admitted.status();
    auto place = admitted->corpus().queue->Enter();
    EXPECT_TRUE(place.has_value());
    const auto request = (*std::move(admitted)).WithTopics(topics);
    if (!request.ok()) return request.status();
    return RunPrivateEStep(*wall_, *request, *std::move(place), answer);
  }

  // As nothing in the server can: past the ledger.
  void EditTables(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder_.path() + "/data/ledger.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  testing::TemporaryDirectory folder_;
  TestClock clock_;
  std::string version_;
  std::unique_ptr<Wall> wall_;
  std::string plan_id_;
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
  clock_.WhenAsleep([this] { EditTables("UPDATE release_chunk SET statistics = zeroblob(40)"); });
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(answer.values(), "");
}

// How long an E-step goes on before it fails may depend on the documents.
TEST_F(PrivateEStepTest, AFailureAfterTheChargeIsAnsweredAtTheInstantToo) {
  EditTables(
      "CREATE TRIGGER full BEFORE INSERT ON release_chunk "
      "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  const int64_t charged_at_ms = clock_.NowMs();
  Answer answer(clock_);
  EXPECT_THAT(Run(answer), StatusIs(absl::StatusCode::kInternal));
  EXPECT_GE(clock_.NowMs(), charged_at_ms + kInterval);
  EXPECT_EQ(answer.values(), "");
  // Paid for, and computed when it is asked for again.
  EditTables("DROP TRIGGER full");
  ASSERT_OK(Run(answer));
  EXPECT_EQ(answer.header().charged_at_ms(), charged_at_ms);
}

TEST_F(PrivateEStepTest, AnEvaluationIsOneMoreReleaseOfTwoNumbers) {
  v1::PlanSpec spec = Plan();
  spec.mutable_document_completion()->set_num_topics(kTopics);
  spec.mutable_document_completion()->add_document_topic_prior(0.3);
  spec.set_held_out_share(1);
  const std::vector<float> weights = {0.01F, 0.01F};
  spec.set_term_weights({reinterpret_cast<const char*>(weights.data()), 8});
  const std::string plan_id = Reserve('e', spec);
  Answer first(clock_);
  ASSERT_OK(Run(first, plan_id));
  EXPECT_EQ(first.header().num_topics(), 1);
  EXPECT_EQ(first.header().vocabulary_size(), 2);
  EXPECT_EQ(first.header().readable_at_ms(), first.header().charged_at_ms() + kInterval);
  ASSERT_EQ(first.values().size(), 2 * sizeof(float));
  Answer again(clock_);
  ASSERT_OK(Run(again, plan_id));
  EXPECT_EQ(again.values(), first.values());
  EXPECT_EQ(again.header().SerializeAsString(), first.header().SerializeAsString());
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

}  // namespace
}  // namespace topicwall::server
