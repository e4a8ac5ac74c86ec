// What a vault answers to acts, on a wall with two corpora and nothing of the network.
#include "server/vault/vault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "accountant/ledger/plan_admission.h"
#include "proto/matrix_codec.h"
#include "proto/release_spec.h"
#include "proto/request_digest.h"
#include "server/acts/one_reply.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/wall_config.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/topic_plans.h"

namespace topicwall::server {
namespace vault_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::topicwall::testing::StatusIs;

constexpr int kTopics = 2;
constexpr int64_t kReservationMs =
    int64_t{accountant::ledger::kDefaultReservationDays} * 24 * 3600 * 1000;

// Notes are scheduled and have a filter; letters are not, and have vouchers and another δ.
constexpr char kConfig[] = R"(
custodian_id: "test" listen_address: "127.0.0.1:0"
tls { certificate: "tls/none" private_key: "tls/none" client_ca: "tls/none" }
data_directory: "data" key_file: "corpus.key" event_log: "events.jsonl"
principals { name: "alice" role: ANALYST
  access { corpus: "notes" max_releases: 90 } access { corpus: "letters" epsilon_cap: 1 } }
principals { name: "bob" role: ANALYST
  access { corpus: "notes" epsilon_cap: 7 max_releases: 90 }
  access { corpus: "letters" epsilon_cap: 1 } }
principals { name: "ann" role: AUDITOR access { corpus: "notes" } access { corpus: "letters" } }
corpora {
  name: "notes" timing_protection: TIMING_PROTECTION_SCHEDULE release_interval_ms: 5000
  limits {
    max_tokens: 50 max_documents_per_unit: 2 max_parameters_per_term: 4 max_iterations: 60
    max_model_iterations: 10 min_noise_multiplier: 1 max_releases: 100 queue_length: 2
  }
}
corpora {
  name: "letters" timing_protection: TIMING_PROTECTION_NONE
  limits {
    max_tokens: 50 max_documents_per_unit: 2 max_parameters_per_term: 4 max_iterations: 60
    max_model_iterations: 10 min_noise_multiplier: 1 max_releases: 100 queue_length: 2
  }
}
e_step_threads: 1 max_matrix_bytes: 1000
)";

// Stands still but for sleeping, which takes no time at all once `busy` has ended.
class StandingClock : public release::Clock {
 public:
  explicit StandingClock(std::function<bool()> busy) : busy_(std::move(busy)) {}
  int64_t NowMs() override { return now_ms_; }
  void NeverBefore(int64_t instant_ms) override {
    now_ms_ = std::max<int64_t>(now_ms_, instant_ms);
  }
  bool SleepUntilMs(int64_t instant_ms) override {
    while (busy_()) std::this_thread::yield();
    NeverBefore(instant_ms);
    return true;
  }
  void Interrupt() override {}
  void Pass(int64_t ms) { now_ms_ += ms; }

 private:
  const std::function<bool()> busy_;
  std::atomic<int64_t> now_ms_ = 1'800'000'000'003;
};

// What a caller sends after the act, and all that comes back.
class Messages : public acts::ActStream {
 public:
  explicit Messages(std::vector<std::string> sent = {}) : sent_(std::move(sent)) {}
  bool Read(std::string* message) override {
    if (read_ == sent_.size()) return false;
    *message = sent_[read_++];
    return true;
  }
  bool Write(absl::string_view message) override {
    received_.emplace_back(message);
    return true;
  }
  bool IsCancelled() const override { return cancelled_; }

  void Cancel() { cancelled_ = true; }
  const std::vector<std::string>& received() const { return received_; }

 private:
  const std::vector<std::string> sent_;
  size_t read_ = 0;
  std::vector<std::string> received_;
  std::atomic<bool> cancelled_ = false;
};

class VaultTest : public ::testing::Test {
 protected:
  explicit VaultTest(
      const corpus::CorpusParams& params = corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT))
      : terms_(static_cast<int>(params.vocabulary->size())) {
    std::filesystem::create_directory(folder_.Path("data"));
    EXPECT_OK(key_.WriteNew(folder_.Path("corpus.key")));
    notes_ = WriteCorpus("notes", params);
    letters_ = WriteCorpus("letters", params);
    auto lock = store::DataDirectoryLock::Acquire(folder_.Path("data"));
    EXPECT_OK(lock);
    const auto ledger =
        ledger::FoldedLedger::Create(*std::move(lock), *ledger::LedgerKeys::Of(key_));
    EXPECT_OK(ledger);
    OpenBudget(**ledger, "notes", notes_,
               *accountant::BudgetFilter::DefaultSpec({.epsilon = 8, .delta = 1e-6}));
    OpenBudget(**ledger, "letters", letters_,
               *accountant::MakeInventorySpec({.epsilon = 8, .delta = 1e-4}, {{20, 1, 10}}));
  }

  std::string WriteCorpus(const std::string& name, const corpus::CorpusParams& params) {
    const std::string path = folder_.Path("data/" + name + ".corpus");
    std::filesystem::remove(path);
    const auto written = corpus::WriteCorpus(path, params, corpus::PlainDocuments(24), key_);
    EXPECT_OK(written);
    return {written->version.begin(), written->version.end()};
  }

  void OpenBudget(ledger::FoldedLedger& ledger, const std::string& corpus,
                  const std::string& version, const accountant::PolicySpec& policy) {
    EXPECT_OK(ledger.OpenBudget({.custodian_id = "test",
                                 .policy = policy,
                                 .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                                 .corpus = corpus,
                                 .corpus_version = version,
                                 .now_ms = clock_.NowMs()}));
  }

  // Also again, as after a restart, under another configuration.
  void Open(const std::string& config_text = kConfig) {
    vault_.reset();
    wall_.reset();
    ASSERT_OK_AND_ASSIGN(const auto config,
                         ParseWallConfig(config_text, "wall.textproto", folder_.path()));
    ASSERT_OK_AND_ASSIGN(auto wall, Wall::Open(config, clock_));
    wall_ = std::move(wall);
    vault_ = std::make_unique<Vault>(wall_.get());
  }

  absl::Status Tell(const std::string& principal, v1::Act act, acts::ActStream& stream) {
    act.set_principal(principal);
    return vault_->Handle(act, stream);
  }
  template <typename Reply>
  absl::StatusOr<Reply> Ask(const std::string& principal, const v1::Act& act) {
    acts::OneReply<Reply> reply;
    const absl::Status status = Tell(principal, act, reply);
    if (!status.ok()) return status;
    return reply.reply();
  }

  v1::ReleaseSpec Plan(const std::string& corpus, int iterations) const {
    v1::ReleaseSpec plan;
    plan.set_corpus(corpus);
    plan.set_corpus_version(corpus == "notes" ? notes_ : letters_);
    plan.set_sampling_rate(1);
    plan.mutable_gaussian()->set_noise_multiplier(20);
    plan.set_iterations(iterations);
    plan.set_max_tokens(50);
    testing::AskTopics(&plan, "lda", kTopics, {0.3});
    return plan;
  }

  std::string Reserve(const std::string& principal, const std::string& corpus, int iterations = 1) {
    v1::Act act;
    *act.mutable_reserve_plan()->mutable_plan() = Plan(corpus, iterations);
    act.mutable_reserve_plan()->set_request_id(
        std::string(16, static_cast<char>('a' + reserved_++)));
    const auto state = Ask<v1::PlanState>(principal, act);
    EXPECT_OK(state);
    return state.ok() ? state->plan_id() : "";
  }
  v1::PlanState::State StateOf(const std::string& plan_id) {
    return wall_->ledger().GetPlan("alice", plan_id)->state();
  }
  absl::StatusOr<v1::PlanPrice> Price(const std::string& principal, const std::string& corpus) {
    v1::Act act;
    *act.mutable_price_plan()->mutable_plan() = Plan(corpus, 1);
    return Ask<v1::PlanPrice>(principal, act);
  }
  absl::StatusOr<v1::PlanState> Cancel(const std::string& plan_id) {
    v1::Act act;
    act.mutable_cancel_plan()->set_plan_id(plan_id);
    return Ask<v1::PlanState>("alice", act);
  }
  absl::Status Run(const std::string& plan_id, const std::string& corpus) {
    Messages release({Parameters()});
    return Tell("alice", RunAct(plan_id, corpus), release);
  }
  std::vector<float> Topics() const {
    return std::vector<float>(static_cast<size_t>(kTopics) * terms_, -1);
  }
  std::string Parameters() const {
    v1::RunReleaseRequest parameters;
    parameters.mutable_parameters()->set_values(proto::FloatsToLittleEndian(Topics()));
    return parameters.SerializeAsString();
  }
  v1::Act RunAct(const std::string& plan_id, const std::string& corpus) const {
    v1::Act act;
    v1::RunReleaseHeader& header = *act.mutable_run_release();
    header.set_plan_id(plan_id);
    header.set_iteration(1);
    header.set_clip_norm(4);
    header.set_request_digest(
        base::DigestBytes(proto::RequestDigest(header, Plan(corpus, 1), Topics())));
    return act;
  }
  absl::StatusOr<v1::CorpusDescription> Describe(const std::string& principal,
                                                 const std::string& corpus) {
    v1::Act act;
    act.mutable_describe_corpus()->set_corpus(corpus);
    return Ask<v1::CorpusDescription>(principal, act);
  }
  absl::StatusOr<v1::BudgetStatus> Budget(const std::string& principal, const std::string& corpus) {
    v1::Act act;
    act.mutable_get_budget()->set_corpus(corpus);
    return Ask<v1::BudgetStatus>(principal, act);
  }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey key_ = corpus::NewKey();
  StandingClock clock_{[this] { return wall_ != nullptr && !wall_->computing().IsIdle(); }};
  const int terms_;
  std::string notes_, letters_;  // versions
  int reserved_ = 0;
  std::unique_ptr<Wall> wall_;
  std::unique_ptr<Vault> vault_;
};

TEST_F(VaultTest, PlansAreListedOfTheCorpusThatWasAskedForOrOfAll) {
  Open();
  Reserve("alice", "notes");
  const std::string letter = Reserve("alice", "letters");
  v1::Act act;
  act.mutable_list_plans();
  EXPECT_THAT(Ask<v1::ListPlansResponse>("alice", act)->plans(), SizeIs(2));
  act.mutable_list_plans()->set_corpus("letters");
  const auto letters = Ask<v1::ListPlansResponse>("alice", act);
  ASSERT_THAT(letters->plans(), SizeIs(1));
  EXPECT_EQ(letters->plans(0).plan_id(), letter);
}

// `topicwall corpora` asks so, whoever it is that asks.
TEST_F(VaultTest, AnAuditorHasNoPlansAndIsToldSo) {
  Open();
  Reserve("alice", "notes");
  v1::Act act;
  act.mutable_list_plans();
  const auto plans = Ask<v1::ListPlansResponse>("ann", act);
  ASSERT_OK(plans);
  EXPECT_THAT(plans->plans(), SizeIs(0));
}

// Whoever lost the answer asks again, and a server is started again to change what may be asked.
TEST_F(VaultTest, ARepeatedReservationIsTheSamePlanWhateverMayBeAskedNow) {
  Open();
  for (const char* const corpus : {"notes", "letters"}) {
    const std::string plan_id = Reserve("alice", corpus);
    v1::Act repeated;
    *repeated.mutable_reserve_plan()->mutable_plan() = Plan(corpus, 1);
    repeated.mutable_reserve_plan()->set_request_id(
        std::string(16, static_cast<char>('a' + reserved_ - 1)));
    Open(absl::StrReplaceAll(kConfig, {{"max_tokens: 50", "max_tokens: 49"}}));
    ASSERT_OK_AND_ASSIGN(const auto again, Ask<v1::PlanState>("alice", repeated));
    EXPECT_EQ(again.plan_id(), plan_id);
    const auto too_many = StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("max_tokens"));
    EXPECT_THAT(Ask<v1::PlanState>("bob", repeated), too_many) << "to others it is new";
    v1::Act another = repeated;
    another.mutable_reserve_plan()->mutable_plan()->set_iterations(2);
    EXPECT_THAT(Ask<v1::PlanState>("alice", another), StatusIs(absl::StatusCode::kAlreadyExists));
    another.mutable_reserve_plan()->set_request_id(std::string(16, 'z'));
    EXPECT_THAT(Ask<v1::PlanState>("alice", another), too_many);
    Open();
  }
}

// Shares that the custodian typed may be more than there is.
TEST_F(VaultTest, NobodyIsToldMoreReleasesOfTheirOwnThanAreLeftToAll) {
  Open();
  EXPECT_EQ(Describe("alice", "notes")->own_releases_left(), 90);
  Reserve("bob", "notes", 60);
  EXPECT_EQ(Describe("alice", "notes")->releases_left(), 40);
  EXPECT_EQ(Describe("alice", "notes")->own_releases_left(), 40);
  EXPECT_EQ(Describe("bob", "notes")->own_releases_left(), 30);
}

TEST_F(VaultTest, LimitsThatNobodyTypedAreToldAsTheyHold) {
  Open();
  const auto described = Describe("alice", "notes");
  EXPECT_EQ(described->limits().max_open_plans(), accountant::ledger::kDefaultMaxOpenPlans);
  EXPECT_EQ(described->limits().reservation_days(), accountant::ledger::kDefaultReservationDays);
}

TEST_F(VaultTest, AnAuditorIsToldTheCapsOfTheCorpusThatWasAskedFor) {
  Open();
  const auto caps_of = [this](const std::string& corpus) {
    std::vector<double> caps;
    for (const char* const analyst : {"alice", "bob"}) Reserve(analyst, corpus);
    const auto budget = Budget("ann", corpus);
    for (const v1::PrincipalBudget& of : budget->principals()) caps.push_back(of.epsilon_cap());
    return caps;
  };
  EXPECT_EQ(caps_of("notes"), (std::vector<double>{8, 7}));
  EXPECT_EQ(caps_of("letters"), (std::vector<double>{1, 1}));
}

// Under vouchers a budget is worked out once and remembered.
TEST_F(VaultTest, ABudgetThatIsRememberedIsOfWhomItIsToldAndOfWhatIsSpentNow) {
  Open();
  Reserve("alice", "letters");
  const auto of_alice = Budget("alice", "letters");
  EXPECT_EQ(of_alice->own().principal(), "alice");
  EXPECT_GT(of_alice->own().epsilon_spent(), 0);
  EXPECT_EQ(Budget("bob", "letters")->own().principal(), "bob");
  EXPECT_EQ(Budget("bob", "letters")->own().epsilon_spent(), 0);
  EXPECT_THAT(Budget("ann", "letters")->principals(), SizeIs(1));
  EXPECT_THAT(Budget("bob", "letters")->principals(), IsEmpty());
  Reserve("alice", "letters");
  EXPECT_GT(Budget("alice", "letters")->own().epsilon_spent(), of_alice->own().epsilon_spent());
}

TEST_F(VaultTest, WhatOtherAccountantsSayIsOfTheDeltaOfTheBudget) {
  Open();
  const auto notes = Price("alice", "notes"), letters = Price("alice", "letters");
  ASSERT_GT(notes->information_size(), 0);
  ASSERT_EQ(notes->information_size(), letters->information_size());
  for (int i = 0; i < notes->information_size(); ++i) {
    EXPECT_GT(notes->information(i).epsilon_upper(), letters->information(i).epsilon_upper());
  }
}

TEST_F(VaultTest, AReservationThatNobodyUsedIsLetGoBeforeWhateverDependsOnWhatIsLeft) {
  Open();
  std::string old = Reserve("alice", "notes");
  clock_.Pass(kReservationMs + 1);
  EXPECT_OK(Price("alice", "notes"));
  EXPECT_EQ(StateOf(old), v1::PlanState::CANCELLED) << "before a price";
  old = Reserve("alice", "notes");
  clock_.Pass(kReservationMs + 1);
  Reserve("bob", "notes");
  EXPECT_EQ(StateOf(old), v1::PlanState::CANCELLED) << "before another plan";
  old = Reserve("alice", "notes");
  clock_.Pass(kReservationMs + 1);
  Open();
  EXPECT_EQ(StateOf(old), v1::PlanState::CANCELLED) << "at a start";
  // Whoever sees that nothing is left may ask for nothing that depends on it.
  old = Reserve("alice", "notes");
  clock_.Pass(kReservationMs + 1);
  v1::Act look;
  look.mutable_await_move();
  ASSERT_OK(Ask<v1::PublicState>("", look));
  EXPECT_EQ(StateOf(old), v1::PlanState::CANCELLED) << "while people only look";
}

TEST_F(VaultTest, WhoeverLostTheirAccessHasNoPlanAndNoReleaseOfItAnyMore) {
  Open();
  const std::string plan_id = Reserve("alice", "letters");
  ASSERT_OK(Run(plan_id, "letters"));
  v1::Act plan, release;
  plan.mutable_get_plan()->set_plan_id(plan_id);
  release.mutable_get_release()->set_plan_id(plan_id);
  release.mutable_get_release()->set_iteration(1);
  Messages before;
  EXPECT_OK(Tell("alice", release, before));
  EXPECT_FALSE(before.received().empty());
  Open(absl::StrReplaceAll(kConfig, {{"access { corpus: \"letters\" epsilon_cap: 1 }", ""}}));
  Messages after;
  const auto refused = StatusIs(absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(Tell("alice", release, after), refused);
  EXPECT_THAT(after.received(), IsEmpty());
  EXPECT_THAT(Ask<v1::PlanState>("alice", plan), refused);
  EXPECT_THAT(Cancel(plan_id), refused);
  EXPECT_THAT(Run(plan_id, "letters"), refused);
}

// Each may have waited for the ledger while somebody else's release was written.
TEST_F(VaultTest, WhatWritesIsAnsweredAtAMultipleOfTenMilliseconds) {
  Open();
  const std::string plan_id = Reserve("alice", "notes");
  EXPECT_EQ(clock_.NowMs() % 10, 0) << "a reservation";
  clock_.Pass(3);
  EXPECT_OK(Cancel(plan_id));
  EXPECT_EQ(clock_.NowMs() % 10, 0) << "a cancel";
  clock_.Pass(3);
  EXPECT_THAT(Run(plan_id, "notes"), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(clock_.NowMs() % 10, 0) << "a charge that is refused";
}

TEST_F(VaultTest, AStartWithAClockSetBackGoesOnWhereTheLedgerEnds) {
  Open();
  clock_.Pass(kReservationMs);
  Reserve("alice", "notes");
  const int64_t last_ms = *wall_->ledger().LastTimeMs();
  clock_.Pass(-kReservationMs);
  Open();
  EXPECT_EQ(clock_.NowMs(), last_ms);
}

// The wait for the start moment lies between.
TEST_F(VaultTest, NothingIsDatedByWhenTheDocumentsHadBeenRead) {
  Open();
  clock_.Pass(kReservationMs);
  Reserve("alice", "notes");
  const int64_t reserved_ms = *wall_->ledger().LastTimeMs();
  vault_.reset();
  clock_.Pass(kReservationMs);
  const v1::WallConfig config = wall_->config();
  wall_.reset();
  ASSERT_OK_AND_ASSIGN(wall_, Wall::Open(config, clock_));
  EXPECT_EQ(*wall_->ledger().LastTimeMs(), reserved_ms);
  clock_.Pass(250);
  vault_ = std::make_unique<Vault>(wall_.get());
  EXPECT_EQ(*wall_->ledger().LastTimeMs(), clock_.NowMs());
}

TEST_F(VaultTest, ARequestBeyondTheQueueOrTheRoomForUploadsIsSentAwayAndNothingIsCharged) {
  Open();
  const std::string plan_id = Reserve("alice", "notes");
  const auto sent_away = StatusIs(absl::StatusCode::kUnavailable, HasSubstr("nothing was charged"));
  {
    const auto first = wall_->queue().Enter({.corpus = "notes", .length = 2, .principal = "bob"});
    const auto second = wall_->queue().Enter({.corpus = "notes", .length = 2, .principal = "cyd"});
    EXPECT_THAT(Run(plan_id, "notes"), sent_away);
  }
  {
    const auto all = wall_->uploads().Enter("bob", 8 * wall_->config().max_matrix_bytes());
    EXPECT_THAT(Run(plan_id, "notes"), sent_away);
  }
  EXPECT_EQ(wall_->ledger().GetPlan("alice", plan_id)->iterations_size(), 0);
  EXPECT_OK(Run(plan_id, "notes"));
}

TEST_F(VaultTest, AVaultThatGoesDownBeginsNoPriceAndNoRelease) {
  Open();
  const std::string plan_id = Reserve("alice", "notes");
  vault_->Drain();
  EXPECT_THAT(Price("alice", "notes"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Run(plan_id, "notes"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(wall_->ledger().GetPlan("alice", plan_id)->iterations_size(), 0);
}

TEST_F(VaultTest, AWaitForAMoveEndsWhenNobodyWaitsAndWhenTheVaultGoesDown) {
  Open();
  v1::Act act;
  act.mutable_await_move();
  ASSERT_OK_AND_ASSIGN(const auto state, Ask<v1::PublicState>("", act));
  act.mutable_await_move()->set_known_heads(state.heads());
  Messages of_who_went, of_who_stays;
  of_who_went.Cancel();
  EXPECT_THAT(Tell("", act, of_who_went), StatusIs(absl::StatusCode::kCancelled));
  absl::Status ended;
  std::thread waiting([&] { ended = Tell("", act, of_who_stays); });
  vault_->Drain();
  waiting.join();
  EXPECT_THAT(ended, StatusIs(absl::StatusCode::kUnavailable));
}

// Of another server, whose clock is far ahead.
TEST_F(VaultTest, EventsFarAheadOfTheClockAreToldWhenTheyCome) {
  Open();
  v1::Act look;
  look.mutable_await_move();
  ASSERT_OK(Ask<v1::PublicState>("", look));
  clock_.Pass(kReservationMs);
  Reserve("alice", "notes");
  EXPECT_THAT(folder_.Content("events.jsonl"), Not(HasSubstr(kAlarmLedgerAhead)));
  clock_.Pass(-kReservationMs + 60'000);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(Ask<v1::PublicState>("", look));
    clock_.Pass(60'000);
  }
  const std::string log = folder_.Content("events.jsonl");
  EXPECT_THAT(log, HasSubstr(kAlarmLedgerAhead));
  EXPECT_EQ(log.find(kAlarmLedgerAhead), log.rfind(kAlarmLedgerAhead)) << "told again";
}

// More terms than a chunk of parameters has bytes for.
TEST_F(VaultTest, OfALongVocabularyEveryTermIsSentAndAPlanThatWeighsThemAllIsTaken) {
  constexpr int kMany = 263'000;
  std::vector<std::string> terms;
  for (int i = 0; i < kMany; ++i) terms.push_back(absl::StrCat("term", i));
  corpus::CorpusParams params = corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.tokenizer = lda::kCountsTokenizerName;
  params.vocabulary =
      std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::CreateOpaque(terms));
  std::filesystem::remove(folder_.Path("data/letters.corpus"));
  WriteCorpus("news", params);
  Open(absl::StrReplaceAll(kConfig, {{"\"letters\"", "\"news\""}}));
  v1::Act act;
  act.mutable_get_vocabulary()->set_corpus("news");
  Messages chunks;
  ASSERT_OK(Tell("bob", act, chunks));
  std::vector<std::string> sent;
  for (const std::string& message : chunks.received()) {
    EXPECT_LE(message.size(), size_t{1} << 18);
    v1::VocabularyChunk chunk;
    ASSERT_TRUE(chunk.ParseFromString(message));
    sent.insert(sent.end(), chunk.terms().begin(), chunk.terms().end());
  }
  EXPECT_TRUE(sent == terms);
  *act.mutable_reserve_plan()->mutable_plan() = Plan("letters", 1);
  act.mutable_reserve_plan()->mutable_plan()->set_weights(std::string(kMany * sizeof(float), 'w'));
  act.mutable_reserve_plan()->mutable_plan()->set_options(std::string(proto::kMaxOptionBytes, 'o'));
  EXPECT_GE(vault_->LargestRequestBytes(), static_cast<int64_t>(act.ByteSizeLong()));
}

corpus::CorpusParams OfManyTerms() {
  std::vector<std::string> terms;
  for (int i = 0; i < 40'000; ++i) terms.push_back(absl::StrCat("term", i));
  corpus::CorpusParams params = corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.tokenizer = lda::kCountsTokenizerName;
  params.vocabulary =
      std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::CreateOpaque(std::move(terms)));
  return params;
}

// Of this process, in whatever thread's part of it.
int64_t HeapBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<int64_t>(heap.uordblks + heap.hblkhd);
}

// A caller who takes a message whenever they like: until then the vault has what is on the heap
// now.
class Unhurried : public acts::ActStream {
 public:
  explicit Unhurried(std::string sent = "") : sent_(std::move(sent)), before_(HeapBytes()) {}
  bool Read(std::string* message) override {
    *message = std::exchange(sent_, "");
    return !message->empty();
  }
  bool Write(absl::string_view message) override {
    const auto size = static_cast<int64_t>(message.size());
    bytes_ += size;
    besides_ = std::max(besides_, HeapBytes() - before_ - size);
    return true;
  }
  bool IsCancelled() const override { return false; }

  int64_t bytes() const { return bytes_; }
  // The most that there was beside the message.
  int64_t besides() const { return besides_; }

 private:
  std::string sent_;
  const int64_t before_;
  int64_t bytes_ = 0;
  int64_t besides_ = 0;
};

class VaultOfManyTermsTest : public VaultTest {
 protected:
  // What many small blocks leave in the allocator's caches, and an act's own numbers.
  static constexpr int64_t kBesides = 40'000;

  VaultOfManyTermsTest() : VaultTest(OfManyTerms()) {
    Open(absl::StrReplaceAll(kConfig,
                             {{"max_matrix_bytes: 1000", "max_matrix_bytes: 1000000"},
                              {"max_releases: 90", "max_releases: 900"},
                              {"max_releases: 100", "max_releases: 1000 max_open_plans: 1000"}}));
  }
  void ExpectNothingIsKeptBeside(const v1::Act& act, int64_t least_bytes, std::string sent = "") {
    Unhurried caller(std::move(sent));
    EXPECT_OK(Tell("alice", act, caller));
    EXPECT_GE(caller.bytes(), least_bytes);
    EXPECT_LE(caller.besides(), kBesides);
  }
};

// What waits for a caller is counted by its message's bytes (server/acts/act_server.h). So nothing
// else of an answer may wait with it, or thousands of callers would be a matter of gigabytes.
TEST_F(VaultOfManyTermsTest, WhileAMessageWaitsForItsCallerNothingElseOfTheAnswerIsKept) {
  constexpr int64_t kReleaseBytes = int64_t{kTopics} * 40'000 * int64_t{sizeof(float)};
  v1::Act vocabulary;
  vocabulary.mutable_get_vocabulary()->set_corpus("letters");
  ExpectNothingIsKeptBeside(vocabulary, 300'000);
  const std::string plan_id = Reserve("alice", "letters");
  // Twice, since the first time a thread is made, and more besides.
  ASSERT_OK(Run(plan_id, "letters"));
  ExpectNothingIsKeptBeside(RunAct(plan_id, "letters"), kReleaseBytes, Parameters());
  v1::Act get;
  get.mutable_get_release()->set_plan_id(plan_id);
  get.mutable_get_release()->set_iteration(1);
  ExpectNothingIsKeptBeside(get, kReleaseBytes);
  for (int i = 0; i < 120; ++i) Reserve("alice", "notes");
  v1::Act list;
  list.mutable_list_plans();
  ExpectNothingIsKeptBeside(list, 10'000);
  v1::Act read;
  read.mutable_read_ledger()->set_corpus("notes");
  ExpectNothingIsKeptBeside(read, 30'000);
}

}  // namespace vault_test
}  // namespace topicwall::server
