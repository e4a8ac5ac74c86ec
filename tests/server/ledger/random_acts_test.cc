// Random acts with restarts, backups and losses in between: whatever happens, what stands in memory
// is what the chains say, and what was spent is what the plans keep of it.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <variant>

#include "absl/strings/str_cat.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/ledger_backup.h"
#include "tests/support/describe_state.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

constexpr int kActs = 600;
constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;

// Whether an event is one analyst's, and read by them and by auditors alone, by the name of its
// act; else by every analyst.
const std::map<std::string, bool>& IsOfAnAnalyst() {
  static const auto& kinds = *new std::map<std::string, bool>{
      {"budget_opened", false},   {"corpus_joined", false},    {"plan_reserved", true},
      {"plan_cancelled", true},   {"iteration_charged", true}, {"release_published", true},
      {"budget_restored", false}, {"budget_thawed", false},    {"overruns_acknowledged", false},
      {"plan_paused", true},      {"budgets_summed", false},   {"release_voided", true},
      {"release_restarted", true}};
  return kinds;
}

// A ledger that is closed and opened, backed up, lost and restored.
class LivedLedger {
 public:
  LivedLedger() {
    auto lock = store::DataDirectoryLock::Acquire(directory_->path());
    EXPECT_OK(lock);
    auto made = FoldedLedger::Create(*std::move(lock), testing::LedgerKeysForTests());
    EXPECT_OK(made);
    ledger_ = *std::move(made);
  }

  FoldedLedger& operator*() { return *ledger_; }
  FoldedLedger* operator->() { return ledger_.get(); }

  std::vector<accountant::ledger::BudgetState> Budgets() {
    std::vector<accountant::ledger::BudgetState> budgets;
    std::set<std::string> seen;
    auto corpora = ledger_->Corpora();
    EXPECT_OK(corpora);
    for (const CorpusStatus& corpus : *corpora) {
      if (!seen.insert(corpus.budget_id).second) continue;
      auto state = ledger_->StateOf(corpus.corpus_version);
      EXPECT_OK(state);
      budgets.push_back(*std::move(state));
    }
    return budgets;
  }

  std::string Describe() {
    std::string text;
    for (const auto& budget : Budgets()) text += testing::Describe(budget);
    return text;
  }

  void Open() {
    ledger_.reset();
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(directory_->path()));
    ASSERT_OK_AND_ASSIGN(auto opened,
                         FoldedLedger::Open(std::move(lock), testing::LedgerKeysForTests()));
    ledger_ = std::move(opened);
  }

  void Reopen() {
    const std::string before = Describe();
    Open();
    ASSERT_EQ(Describe(), before);
    EXPECT_OK(ledger_->VerifyWholeLedger());
  }

  void Backup() {
    backup_ = std::make_unique<testing::TemporaryDirectory>();
    EXPECT_OK(BackupLedger(directory_->path(), backup_->path(), testing::LedgerKeysForTests()));
  }

  void Restore(int64_t now_ms) {
    ledger_.reset();
    directory_ = std::make_unique<testing::TemporaryDirectory>();
    {
      ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(directory_->path()));
      ASSERT_OK(InstallBackup(backup_->path(), lock, testing::LedgerKeysForTests(), now_ms));
    }
    Open();
  }

 private:
  std::unique_ptr<testing::TemporaryDirectory> directory_ =
      std::make_unique<testing::TemporaryDirectory>();
  std::unique_ptr<testing::TemporaryDirectory> backup_;
  std::unique_ptr<FoldedLedger> ledger_;
};

class RandomActs {
 public:
  explicit RandomActs(uint32_t seed) : random_(seed) {
    const auto notes = ledger_->OpenBudget(testing::NotesBudget());
    EXPECT_OK(notes);
    const auto letters = ledger_->OpenBudget(testing::LettersBudget());
    EXPECT_OK(letters);
    corpora_ = {{"notes", testing::kNotesVersion, *notes},
                {"letters", testing::kLettersVersion, *letters}};
    ledger_.Backup();
  }

  void Run(int acts) {
    for (int act = 0; act < acts && !::testing::Test::HasFailure(); ++act) {
      now_ms_ += Below(20) == 0 ? kDayMs : Below(5000);
      if (act == acts / 2) RestoreAndThaw();
      Act();
    }
    ledger_.Reopen();
    ExpectEventsOfAnalysts();
    std::cout << "changed " << changed_ << ", refused " << refused_ << ", restored " << restores_
              << ", budgets " << ledger_.Budgets().size() << "\n";
    EXPECT_GT(changed_, acts / 10);
    EXPECT_GT(refused_, acts / 20);
  }

 private:
  struct Named {
    std::string name;
    std::string version;
    std::string budget_id;
  };

  bool Knows(const std::string& plan_id) {
    for (const auto& budget : ledger_.Budgets()) {
      if (budget.FindPlan(plan_id) != nullptr) return true;
    }
    return false;
  }

  // Their own, and whose they are: what names nobody is read by all (HideFromOthers).
  void ExpectEventsOfAnalysts() {
    for (const Named& corpus : corpora_) {
      const auto chain = testing::ExportOf(*ledger_, {"ann", true}, corpus.version);
      for (const v1::LedgerEntry& entry : chain.entries()) {
        v1::LedgerEvent event;
        ASSERT_TRUE(event.ParseFromString(entry.event()));
        const auto* const act = v1::LedgerEvent::descriptor()->FindFieldByNumber(event.act_case());
        ASSERT_NE(act, nullptr);
        EXPECT_EQ(!event.principal().empty(), IsOfAnAnalyst().at(act->name())) << act->name();
      }
    }
  }

  // The act was done or refused: a refused one has changed nothing.
  void Tally(const absl::Status& done, const std::string& before) {
    ++(done.ok() ? changed_ : refused_);
    if (!done.ok()) {
      EXPECT_EQ(ledger_.Describe(), before) << done;
    }
  }

  int64_t Below(int64_t end) { return static_cast<int64_t>(random_() % end); }
  template <typename T>
  const T& Any(const std::vector<T>& of) {
    return of[Below(static_cast<int64_t>(of.size()))];
  }
  std::string AnyPrincipal() {
    return Any<std::string>({"alice", "alice", "bob", "carol", "dora"});
  }

  void Act() {
    const int64_t kind = Below(100);
    if (kind < 24) return Reserve();
    if (kind < 50) return Charge();
    if (kind < 62) return Store();
    if (kind < 78) return Publish();
    if (kind < 81) return Void();
    if (kind < 87) return Cancel();
    if (kind < 90) return (void)ledger_->CancelExpired({}, now_ms_);
    if (kind < 94) return (void)ledger_->AcknowledgeOverruns(Any(corpora_).version, now_ms_);
    if (kind < 95) return (void)ledger_->RestartUnfinished(now_ms_);
    if (kind < 96) return Below(2) == 0 ? Join() : ledger_.Reopen();
    if (kind < 98) return OpenOne();
    if (kind < 99) return ledger_.Backup();
    RestoreAndThaw();
  }

  void Reserve() {
    const Named& corpus = Any(corpora_);
    v1::ReleaseSpec plan = Below(8) == 0 ? testing::SmallEvaluation(1) : testing::SmallPlan(1);
    plan.set_corpus(Below(40) == 0 ? "other" : corpus.name);
    plan.set_corpus_version(Below(40) == 0 ? std::string(16, '?') : corpus.version);
    plan.set_iterations(static_cast<int>(Below(25) == 0 ? Below(100000) : 1 + Below(6)));
    plan.mutable_gaussian()->set_noise_multiplier(Any<double>({6.3, 20, 40, 100, 200, 200}));
    if (Below(6) == 0) plan.mutable_gaussian()->set_histogram_noise_multiplier(30);
    if (Below(20) == 0) plan.set_sampling_rate(Any<double>({0.1, 0, 2}));
    ReserveRequest request = testing::ReserveRequestFor(
        Below(60) == 0 ? "" : AnyPrincipal(), Below(20) == 0 ? requests_ : ++requests_, plan);
    request.now_ms = now_ms_;
    if (Below(4) == 0) request.purse.epsilon_cap = Any<double>({0.3, 1, 5, -1});
    if (Below(8) == 0) request.purse.max_releases = Below(60);
    if (Below(8) == 0) request.purse.own_max_releases = Below(30);
    if (Below(8) == 0) request.purse.max_open_plans = static_cast<int>(Below(5));
    const std::string before = ledger_.Describe();
    const auto reserved = ledger_->Reserve(request);
    Tally(reserved.status(), before);
    if (reserved.ok()) plans_.push_back(*reserved);
  }

  // Mostly of the newest, so that plans come to their end.
  v1::PlanState AnyPlan() {
    if (plans_.empty() || Below(60) == 0) return v1::PlanState();
    const auto size = static_cast<int64_t>(plans_.size());
    const int64_t back = Below(3) == 0 ? Below(size) : Below(std::min<int64_t>(size, 8));
    return plans_[size - 1 - back];
  }

  void Charge() {
    const v1::PlanState plan = AnyPlan();
    ChargeRequest request = testing::ChargeRequestFor(
        plan,
        static_cast<int>(1 +
                         Below(std::max(1, plan.plan().iterations()) + (Below(20) == 0 ? 1 : 0))),
        Below(15) == 0 ? 8 : 7);
    if (Below(30) == 0) request.principal = AnyPrincipal();
    if (Below(30) == 0) request.computed_with.set_kernel_name("avx2");
    request.now_ms = now_ms_;
    const std::string before = ledger_.Describe();
    auto outcome = ledger_->Charge(request);
    Tally(outcome.status(), before);
    if (!outcome.ok() || !std::holds_alternative<ChargeReceipt>(*outcome)) return;
    receipts_.push_back(std::get<ChargeReceipt>(*std::move(outcome)));
  }

  void Store() {
    if (receipts_.empty()) return Charge();
    const auto receipt = std::next(receipts_.begin(), Below(receipts_.size()));
    ChargeReceipt taken = std::move(*receipt);
    receipts_.erase(receipt);
    stored_.push_back({taken.plan_id(), taken.iteration()});
    const std::vector<float> statistics(4, 1.5F);
    (void)ledger_->Store(ChargeReceiptTestPeer::Noised(std::move(taken)), testing::SmallHeader(4),
                         statistics);
  }

  void Publish() {
    if (stored_.empty() || Below(20) == 0) {
      (void)ledger_->Publish({.plan_id = AnyPlan().plan_id(),
                              .iteration = 1,
                              .readable_at_ms = now_ms_,
                              .intervals_waited = 1});
      return;
    }
    const auto stored = std::next(stored_.begin(), Below(stored_.size()));
    (void)ledger_->Publish({.plan_id = stored->first,
                            .iteration = stored->second,
                            .readable_at_ms = now_ms_,
                            .intervals_waited = Below(12) == 0 ? 2 : 1});
    if (Below(10) != 0) stored_.erase(stored);
  }

  void Void() {
    if (receipts_.empty()) return Charge();
    const ChargeReceipt& receipt = receipts_[Below(receipts_.size())];
    (void)ledger_->Void(
        {.plan_id = receipt.plan_id(),
         .iteration = receipt.iteration(),
         .charge_id = receipt.charge_id() + (Below(8) == 0 ? 1 : 0),
         .ground = Below(3) == 0 ? v1::ReleaseVoided::UNREADABLE_DATA : v1::ReleaseVoided::FAILED,
         .at_ms = now_ms_});
  }

  void Cancel() {
    const v1::PlanState plan = AnyPlan();
    if (Below(4) == 0) return (void)ledger_->CancelAnyPlan(plan.plan_id(), now_ms_);
    (void)ledger_->Cancel(Below(6) == 0 ? AnyPrincipal() : plan.principal(), plan.plan_id(),
                          now_ms_);
  }

  std::string NewVersion() {
    std::string version = absl::StrCat("version ", ++versions_);
    version.resize(Below(12) == 0 ? 15 : kCorpusVersionSize, ' ');
    return Below(12) == 0 ? Any(corpora_).version : version;
  }

  void Join() {
    Named joined{.name = "more", .version = NewVersion(), .budget_id = Any(corpora_).budget_id};
    if (Below(10) == 0) joined.budget_id = "unknown";
    if (ledger_->JoinBudget(joined.budget_id, joined.name, joined.version, now_ms_).ok()) {
      corpora_.push_back(joined);
    }
  }

  void OpenOne() {
    OpenBudgetParams params =
        Below(2) == 0 ? testing::NotesBudget() : testing::FullBatchNotesBudget();
    if (Below(6) == 0) params.policy = testing::LettersBudget().policy;
    params.corpus_version = NewVersion();
    params.now_ms = now_ms_;
    if (Below(3) == 0) {
      v1::DisjointBudget& other = params.disjoint.emplace_back();
      other.set_budget_id(Below(4) == 0 ? "unknown" : Any(corpora_).budget_id);
      other.set_reason(Below(4) == 0 ? "" : "other towns");
    }
    if (Below(10) == 0) params.privacy_unit = v1::PRIVACY_UNIT_UNSPECIFIED;
    const auto opened = ledger_->OpenBudget(params);
    if (opened.ok()) corpora_.push_back({params.corpus, params.corpus_version, *opened});
  }

  ThawEvidence Evidence(const std::vector<v1::SignedReceipt>& receipts) {
    ThawEvidence evidence{.receipts = receipts, .forfeit_unseen = Below(3) == 0};
    if (Below(4) == 0 && !evidence.receipts.empty()) evidence.receipts.pop_back();
    return evidence;
  }

  void RestoreAndThaw() {
    ++restores_;
    std::vector<v1::LedgerExport> exports;
    for (const Named& corpus : corpora_) {
      exports.push_back(testing::ExportOf(*ledger_, {"ann", true}, corpus.version));
    }
    const std::vector<v1::SignedReceipt> receipts =
        testing::ReceiptsOf(*ledger_, {"alice", "bob", "carol", "dora"}).receipts;
    ledger_.Restore(now_ms_);
    receipts_.clear();
    const auto is_lost = [&](const std::string& plan_id) {
      return Below(8) != 0 && !Knows(plan_id);
    };
    plans_.erase(std::remove_if(plans_.begin(), plans_.end(),
                                [&](const auto& plan) { return is_lost(plan.plan_id()); }),
                 plans_.end());
    stored_.erase(std::remove_if(stored_.begin(), stored_.end(),
                                 [&](const auto& stored) { return is_lost(stored.first); }),
                  stored_.end());
    corpora_.erase(
        std::remove_if(corpora_.begin(), corpora_.end(),
                       [&](const Named& corpus) { return !ledger_->StateOf(corpus.version).ok(); }),
        corpora_.end());
    for (int act = 0; act < 5; ++act) {  // all refused, or no act at all
      Reserve();
      Cancel();
      Charge();
    }
    for (const auto& lost : exports) {
      if (Below(2) == 0) (void)ledger_->ThawByEvents(lost, Evidence(receipts), now_ms_);
    }
    const ThawEvidence of_backup = testing::ReceiptsOf(*ledger_, {"alice", "bob", "carol", "dora"});
    std::vector<std::string> frozen;
    std::vector<std::string> heads;
    for (const auto& budget : ledger_.Budgets()) {
      if (!budget.frozen()) continue;
      frozen.push_back(budget.budget_id());
      heads.push_back(budget.freeze()->backup_head);
    }
    for (const std::string& head : heads) {
      (void)ledger_->ThawByHead(head, Evidence(of_backup.receipts), now_ms_);
      if (Below(4) != 0) (void)ledger_->ThawByHead(head, of_backup, now_ms_);
    }
    (void)ledger_->ThawByHead(std::string(32, 'h'), {}, now_ms_);
    for (const std::string& id : frozen) {
      if (Below(3) == 0) (void)ledger_->ThawByForfeiting(id, now_ms_);
    }
    ledger_.Reopen();
  }

  std::mt19937 random_;
  LivedLedger ledger_;
  int changed_ = 0;
  int refused_ = 0;
  int64_t now_ms_ = 100000;
  int requests_ = 0;
  int versions_ = 0;
  int restores_ = 0;
  std::vector<Named> corpora_;
  std::vector<v1::PlanState> plans_;
  std::vector<ChargeReceipt> receipts_;
  std::vector<std::pair<std::string, int>> stored_;
};

TEST(RandomActs, WhoReadsAnEventIsDecidedForEveryKindThereIs) {
  std::vector<std::string> decided, there_are;
  for (const auto& [name, is_of_an_analyst] : IsOfAnAnalyst()) decided.push_back(name);
  const auto* const acts = v1::LedgerEvent::descriptor()->FindOneofByName("act");
  for (int i = 0; i < acts->field_count(); ++i) there_are.push_back(acts->field(i)->name());
  EXPECT_THAT(there_are, ::testing::UnorderedElementsAreArray(decided));
}

class RandomActsTest : public ::testing::TestWithParam<uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Seeds, RandomActsTest, ::testing::Values(1, 2));

TEST_P(RandomActsTest, LeaveInMemoryWhatTheChainsSayAndRefusalsChangeNothing) {
  std::cout << "seed " << GetParam() << "\n";
  RandomActs(GetParam()).Run(kActs);
}

// Another one each time: what it finds, its seed shows again above.
TEST(RandomActs, SoWithAFreshSeed) {
  const uint32_t seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  RandomActs(seed).Run(kActs / 2);
}

}  // namespace
}  // namespace topicwall::ledger
