#include "server/vault/wall.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/corpus/attribute_record.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/release/processors.h"
#include "server/vault/request_validator.h"
#include "server/vault/wall_queries.h"
#include "tests/server/corpus/old_corpus.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/topic_plans.h"

namespace topicwall::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

// A data directory with a ledger and the corpus "notes" of 40 units.
class WallTest : public ::testing::Test {
 protected:
  WallTest() {
    config_.set_data_directory(folder_.Path("."));
    config_.set_key_file(folder_.Path("key"));
    config_.set_event_log(folder_.Path("log"));
    v1::CorpusConfig* corpus = config_.add_corpora();
    corpus->set_name("notes");
    corpus->set_timing_protection(v1::TIMING_PROTECTION_NONE);
    corpus->mutable_limits()->set_queue_length(1);
    EXPECT_OK(key_.WriteNew(config_.key_file()));
    auto lock = store::DataDirectoryLock::Acquire(config_.data_directory());
    EXPECT_OK(lock);
    EXPECT_OK(ledger::FoldedLedger::Create(*std::move(lock), *ledger::LedgerKeys::Of(key_)));
    EXPECT_OK(corpus::WriteCorpus(corpus_path(), corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                  corpus::PlainDocuments(40), key_));
  }

  // Of "library".
  void OpenBudget(const std::string& version, int64_t now_ms) const {
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(config_.data_directory()));
    ASSERT_OK_AND_ASSIGN(const auto ledger, ledger::FoldedLedger::Open(
                                                std::move(lock), *ledger::LedgerKeys::Of(key_)));
    ASSERT_OK(ledger->OpenBudget(
        {.custodian_id = "library",
         .policy = *accountant::BudgetFilter::DefaultSpec({.epsilon = 2, .delta = 1e-6}),
         .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
         .corpus = "notes",
         .corpus_version = version,
         .now_ms = now_ms}));
  }
  std::string corpus_path() const { return folder_.Path("notes.corpus"); }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey key_ = corpus::NewKey();
  v1::WallConfig config_;
};

TEST_F(WallTest, ACorpusOfTheFirstFormatIsServedButNothingIsPlannedOrChargedForIt) {
  corpus::MakeFirstFormat(corpus_path(), key_);
  ASSERT_OK_AND_ASSIGN(const auto wall, Wall::Open(config_, release::SystemClock()));
  ASSERT_OK_AND_ASSIGN(const auto corpus, wall->Find("notes"));
  const auto old = StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ingest it again"));
  EXPECT_THAT(corpus->store->RequireUndamaged(), old);
  v1::ReleaseSpec plan;
  plan.set_corpus_version(corpus->version);
  EXPECT_THAT(ValidatePlan(plan, {.corpus = corpus->store->description(),
                                  .limits = corpus->config.limits(),
                                  .max_matrix_bytes = 1 << 20}),
              old);
}

// Receipts would name one custodian and descriptions another.
TEST_F(WallTest, ACustodiansIdThatTheLedgerDoesNotHaveIsAnAlarm) {
  const std::string version =
      (*(*Wall::Open(config_, release::SystemClock()))->Find("notes"))->version;
  OpenBudget(version, 1000);
  config_.set_custodian_id("library");
  const auto log = [this] { return testing::ReadWholeFile(config_.event_log()); };
  {
    ASSERT_OK_AND_ASSIGN(const auto wall, Wall::Open(config_, release::SystemClock()));
    ASSERT_OK(wall->BeginServing());
  }
  EXPECT_THAT(log(), Not(HasSubstr(kAlarmCustodianId)));
  config_.set_custodian_id("archive");
  ASSERT_OK_AND_ASSIGN(const auto wall, Wall::Open(config_, release::SystemClock()));
  EXPECT_OK(wall->Find("notes")) << "it is served all the same";
  EXPECT_THAT(log(), Not(HasSubstr(kAlarmCustodianId))) << "its line would date the reading";
  ASSERT_OK(wall->BeginServing());
  EXPECT_THAT(log(), HasSubstr(kAlarmCustodianId));
}

// What a wrong clock wrote dates all that comes after it, for good.
TEST_F(WallTest, ALedgerWhoseLastEventIsToComeIsAnAlarm) {
  const int64_t hour_ms = 3600 * 1000;
  const auto at = [](int64_t now_ms) {
    return release::MakeClock(
        {.wall_ms = [now_ms] { return now_ms; }, .steady_ms = [] { return 0; }});
  };
  const auto clock = at(hour_ms);
  const std::string version = (*(*Wall::Open(config_, *clock))->Find("notes"))->version;
  OpenBudget(version, 2 * hour_ms);
  const auto after = at(2 * hour_ms - 60'000), before = at(hour_ms);
  ASSERT_OK(Wall::Open(config_, *after));
  EXPECT_THAT(testing::ReadWholeFile(config_.event_log()), Not(HasSubstr(kAlarmLedgerAhead)));
  ASSERT_OK_AND_ASSIGN(const auto wall, Wall::Open(config_, *before));
  EXPECT_OK(wall->Find("notes")) << "it is served all the same";
  EXPECT_EQ(before->NowMs(), 2 * hour_ms);
  EXPECT_THAT(testing::ReadWholeFile(config_.event_log()), HasSubstr(kAlarmLedgerAhead));
}

TEST_F(WallTest, ProcessorsThatAreTakenAwayAreAnAlarmAndNotPromisedAnyMore) {
  config_.mutable_corpora(0)->set_timing_protection(v1::TIMING_PROTECTION_SCHEDULE);
  config_.mutable_corpora(0)->set_release_interval_ms(1000);
  ASSERT_OK_AND_ASSIGN(const auto wall, Wall::Open(config_, release::SystemClock()));
  const ServedCorpus& corpus = **wall->Find("notes");
  const auto log = [this] { return testing::ReadWholeFile(config_.event_log()); };
  // Where there is a quota, the alarm comes at the start.
  const bool is_free = release::Processors::OfThisProcess().NumFreeNow() > 0;
  if (is_free) {
    EXPECT_THAT(log(), Not(HasSubstr(kAlarmProcessorsNotFree)));
  }
  std::thread([&] {
    cpu_set_t all, one;
    CPU_ZERO(&one);
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(wall->ProtectionOf(corpus).free_processors(), 0);
  }).join();
  EXPECT_THAT(log(), HasSubstr(kAlarmProcessorsNotFree));
}

// (2ε, (1 + e^ε)δ) of the budget's (2, 1e-6) for a unit that is replaced, whatever the plan.
TEST_F(WallTest, APriceIsOfItsOwnPlanAndSaysWhatTheBudgetPromisesWhoIsReplaced) {
  config_.set_max_matrix_bytes(1000);
  v1::Limits& limits = *config_.mutable_corpora(0)->mutable_limits();
  limits.set_max_tokens(50);
  limits.set_max_documents_per_unit(1);
  limits.set_max_parameters_per_term(4);
  limits.set_max_iterations(9);
  limits.set_max_model_iterations(10);
  limits.set_min_noise_multiplier(1);
  limits.set_max_releases(100);
  const std::string version =
      (*(*Wall::Open(config_, release::SystemClock()))->Find("notes"))->version;
  OpenBudget(version, 1000);
  ASSERT_OK_AND_ASSIGN(const auto wall, Wall::Open(config_, release::SystemClock()));
  const auto price_of = [&](int iterations) {
    v1::ReleaseSpec plan;
    plan.set_corpus("notes");
    plan.set_corpus_version(version);
    plan.set_sampling_rate(1);
    plan.mutable_gaussian()->set_noise_multiplier(20);
    plan.set_iterations(iterations);
    plan.set_max_tokens(50);
    testing::AskTopics(&plan, "lda", 2, {0.3});
    const auto price = PricePlan(*wall,
                                 {.caller = {.principal = "alice", .is_auditor = false},
                                  .corpus = "notes",
                                  .epsilon_cap = std::nullopt},
                                 **wall->Find("notes"), plan, [] { return false; });
    EXPECT_OK(price);
    return price.value_or(v1::PlanPrice());
  };
  const v1::PlanPrice one = price_of(1), nine = price_of(9);
  EXPECT_DOUBLE_EQ(nine.replace_one_epsilon(), 4);
  EXPECT_NEAR(nine.replace_one_delta(), (1 + std::exp(2.0)) * 1e-6, 1e-12);
  ASSERT_GT(one.information_size(), 0);
  ASSERT_EQ(one.information_size(), nine.information_size());
  for (int i = 0; i < one.information_size(); ++i) {
    EXPECT_LT(one.information(i).epsilon_upper(), nine.information(i).epsilon_upper());
  }
}

TEST_F(WallTest, DescribesTheAttributesOfACorpus) {
  const auto described = [this] {
    const auto wall = Wall::Open(config_, release::SystemClock());
    EXPECT_OK(wall);
    const auto corpus = (*wall)->Find("notes");
    EXPECT_OK(corpus);
    const auto description = DescribeCorpus(**wall, CorpusGrant{}, **corpus);
    EXPECT_OK(description);
    return corpus::AttributesOf(description->attributes());
  };
  EXPECT_EQ(*described(), std::vector<model::Attribute>());
  std::filesystem::remove(corpus_path());
  corpus::CorpusParams params = corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.attributes = corpus::WardAndMonth();
  std::vector<corpus::PlainDocument> documents = corpus::PlainDocuments(40);
  for (corpus::PlainDocument& document : documents) document.attributes = {0, 2};
  ASSERT_OK(corpus::WriteCorpus(corpus_path(), params, documents, key_));
  EXPECT_EQ(*described(), corpus::WardAndMonth());
}

TEST_F(WallTest, DescribesTheSpaceOfACorpusOfVectors) {
  const auto described = [this] {
    const auto wall = Wall::Open(config_, release::SystemClock());
    EXPECT_OK(wall);
    const auto corpus = (*wall)->Find("notes");
    EXPECT_OK(corpus);
    return *DescribeCorpus(**wall, CorpusGrant{}, **corpus);
  };
  EXPECT_FALSE(described().has_vectors());
  std::filesystem::remove(corpus_path());
  ASSERT_OK(corpus::WriteCorpus(corpus_path(), corpus::VectorParamsOf(v1::PRIVACY_UNIT_DOCUMENT, 7),
                                corpus::PlainVectors(40, 7), key_));
  const v1::CorpusDescription description = described();
  EXPECT_EQ(description.vectors().dimension(), 7);
  EXPECT_EQ(description.vectors().norm_bound(), 2);
  EXPECT_EQ(description.vocabulary_size(), 7);
  EXPECT_EQ(description.tokenizer(), "vectors");
}

// Analysts see whether a corpus is served: one unit more or less must not decide it.
TEST_F(WallTest, WhetherACorpusIsServedUnderALimitFollowsFromTheLimitOfItsIngestion) {
  v1::Limits* limits = config_.mutable_corpora(0)->mutable_limits();
  for (const int units : {40, 41}) {
    corpus::CorpusParams params = corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
    params.max_units = 100;
    std::filesystem::remove(corpus_path());
    ASSERT_OK(corpus::WriteCorpus(corpus_path(), params, corpus::PlainDocuments(units), key_));
    for (const int refused : {39, 40, 41, 99}) {
      limits->set_max_units(refused);
      EXPECT_THAT(Wall::Open(config_, release::SystemClock()).status(),
                  StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("max_units")))
          << units << " of " << refused;
    }
    limits->set_max_units(100);
    EXPECT_OK(Wall::Open(config_, release::SystemClock()));
  }
}

}  // namespace
}  // namespace topicwall::server
