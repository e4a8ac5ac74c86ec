// The contract's first part: plans and the budget. privacy_ledger_releases_test.cc has the
// iterations, custodian_acts_test.cc the custodian's side.
#include "server/ledger/privacy_ledger.h"

#include <gmock/gmock.h>

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "proto/budget_refusal.h"
#include "proto/ledger_chain.h"
#include "tests/server/ledger/privacy_ledger_contract.h"

namespace topicwall::ledger {
namespace {

using testing::ChargeRequestFor;
using testing::EntriesSeenBy;
using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::PurseOf;
using testing::ReserveRequestFor;
using testing::SmallPlan;
using testing::StatusIs;

class SqliteUnderTest : public LedgerUnderTest {
 public:
  PrivacyLedger& ledger() override { return *wall_; }
  CustodianActs& custodian() override { return *wall_; }
  std::string budget_id() override { return wall_.budget_id(); }
  void Reopen() override { wall_.Reopen(); }

 private:
  testing::LedgerForTests wall_;
};

}  // namespace

std::vector<LedgerImplementation> Implementations() {
  return {{"Sqlite", [] { return std::make_unique<SqliteUnderTest>(); }}};
}

namespace {

INSTANTIATE_TEST_SUITE_P(All, PrivacyLedgerContract, ::testing::ValuesIn(Implementations()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(PrivacyLedgerContract, AReservedPlanIsShownToItsAnalystAsItWasAskedFor) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  EXPECT_EQ(plan.plan_id().size(), 32);
  EXPECT_EQ(plan.principal(), "alice");
  EXPECT_EQ(plan.state(), v1::PlanState::ACTIVE);
  EXPECT_EQ(plan.plan().SerializeAsString(), SmallPlan(3).SerializeAsString());
  Reopen();
  ASSERT_OK_AND_ASSIGN(auto shown, ledger().GetPlan("alice", plan.plan_id()));
  EXPECT_EQ(shown.SerializeAsString(), plan.SerializeAsString());
  ASSERT_OK_AND_ASSIGN(auto listed, ledger().ListPlans({.principal = "alice", .corpus = "notes"}));
  EXPECT_EQ(listed.plans.size(), 1);
  EXPECT_EQ(ledger().ListPlans({.principal = "alice", .corpus = "letters"})->plans.size(), 0);
  EXPECT_EQ(ledger().ListPlans({.principal = "bob"})->plans.size(), 0);
  EXPECT_EQ(ledger().ListPlans({})->plans.size(), 0);
}

TEST_P(PrivacyLedgerContract, TheSameRequestGivesTheSamePlanAndCostsNothing) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  const std::string before = WholeState();
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(Reserved("alice", 1, SmallPlan(3)).plan_id(), plan.plan_id());
    Reopen();
  }
  EXPECT_EQ(WholeState(), before);
  EXPECT_NE(Reserved("alice", 2, SmallPlan(3)).plan_id(), plan.plan_id());
  EXPECT_NE(Reserved("bob", 1, SmallPlan(3)).plan_id(), plan.plan_id());
}

TEST_P(PrivacyLedgerContract, AnotherPlanUnderTheSameRequestIsRefused) {
  Reserved("alice", 1, SmallPlan(3));
  const std::string before = WholeState();
  EXPECT_THAT(ledger().Reserve(ReserveRequestFor("alice", 1, SmallPlan(4))),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(WholeState(), before);
}

TEST_P(PrivacyLedgerContract, WhatMayNotBeAskedAnyMoreIsRefusedUnlessItIsReserved) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  const std::string before = WholeState();
  ReserveRequest repeated = ReserveRequestFor("alice", 1, SmallPlan(3));
  repeated.validity = absl::InvalidArgumentError("max_tokens");
  ASSERT_OK_AND_ASSIGN(const auto again, ledger().Reserve(repeated));
  EXPECT_EQ(again.SerializeAsString(), plan.SerializeAsString());
  ReserveRequest fresh = ReserveRequestFor("alice", 2, SmallPlan(3));
  fresh.validity = repeated.validity;
  EXPECT_EQ(ledger().Reserve(fresh).status(), fresh.validity);
  EXPECT_EQ(WholeState(), before);
}

TEST_P(PrivacyLedgerContract, UnknownAndForeignPlansAreToldInTheSameWords) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  v1::PlanState foreign = plan, unknown = plan;
  foreign.set_principal("bob");
  unknown.set_plan_id(std::string(32, '0'));
  testing::CollectedRelease sink;
  std::vector<absl::Status> answers;
  for (const v1::PlanState& asked : {foreign, unknown}) {
    answers.push_back(ledger().GetPlan(asked.principal(), asked.plan_id()).status());
    answers.push_back(ledger().Cancel(asked.principal(), asked.plan_id(), 1).status());
    answers.push_back(ledger().Charge(ChargeRequestFor(asked, 1)).status());
    answers.push_back(ledger().ReadRelease(asked.principal(), asked.plan_id(), 1, sink));
  }
  for (const absl::Status& answer : answers) {
    EXPECT_EQ(answer.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(answer.message(), answers.front().message());
  }
}

TEST_P(PrivacyLedgerContract, APlanThatCannotBePricedIsRefusedByName) {
  struct Case {
    std::string field;
    std::function<void(v1::ReleaseSpec&)> spoil;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {"iterations", [](auto& plan) { plan.set_iterations(0); }},
      {"iterations", [](auto& plan) { plan.set_iterations(-1); }},
      {"iterations", [](auto& plan) { plan.set_iterations(1000001); }},
      {"max_tokens", [](auto& plan) { plan.set_max_tokens(0); }},
      {"model", [](auto& plan) { plan.clear_model(); }},
      {"options", [](auto& plan) { plan.set_options(std::string((1 << 16) + 1, 'o')); }},
      {"weights", [](auto& plan) { plan.set_weights("abc"); }},
      {"weights_sha256", [](auto& plan) { plan.set_weights_sha256(std::string(32, 'w')); }},
      {"mechanism", [](auto& plan) { plan.clear_mechanism(); }},
      {"sampling_rate", [](auto& plan) { plan.set_sampling_rate(0); }},
      {"sampling_rate", [](auto& plan) { plan.set_sampling_rate(1.5); }},
      {"sampling_rate", [=](auto& plan) { plan.set_sampling_rate(nan); }},
      {"noise_multiplier", [](auto& plan) { plan.mutable_gaussian()->set_noise_multiplier(0); }},
      {"noise_multiplier", [](auto& plan) { plan.mutable_gaussian()->set_noise_multiplier(-1); }},
      {"noise_multiplier", [=](auto& plan) { plan.mutable_gaussian()->set_noise_multiplier(nan); }},
      {"noise_multiplier",
       [=](auto& plan) { plan.mutable_gaussian()->set_histogram_noise_multiplier(nan); }},
      {"corpus_version", [](auto& plan) { plan.set_corpus("letters"); }},
  };
  const std::string before = WholeState();
  for (const Case& bad : cases) {
    v1::ReleaseSpec plan = SmallPlan(3);
    bad.spoil(plan);
    EXPECT_THAT(ledger().Reserve(ReserveRequestFor("alice", 1, plan)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(bad.field)));
    EXPECT_THAT(ledger().Price(PurseOf("alice"), plan),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(bad.field)));
  }
  ReserveRequest short_id = ReserveRequestFor("alice", 1, SmallPlan(3));
  short_id.request_id.pop_back();
  EXPECT_THAT(ledger().Reserve(short_id),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request_id")));
  ReserveRequest bad_cap = ReserveRequestFor("alice", 1, SmallPlan(3));
  bad_cap.purse.epsilon_cap = nan;
  EXPECT_THAT(ledger().Reserve(bad_cap),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon_cap")));
  EXPECT_EQ(WholeState(), before);
}

TEST_P(PrivacyLedgerContract, ACorpusVersionWithoutABudgetSellsNothing) {
  v1::ReleaseSpec plan = SmallPlan(3);
  plan.set_corpus_version("notes, version 2");
  const absl::Status refused = ledger().Reserve(ReserveRequestFor("alice", 1, plan)).status();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_FALSE(proto::BudgetExhaustedOf(refused).has_value());
  ASSERT_OK_AND_ASSIGN(auto corpus_status, ledger().StatusOfCorpus("notes, version 2"));
  EXPECT_EQ(corpus_status.state, v1::CORPUS_STATE_NO_BUDGET);
  EXPECT_THAT(ledger().Budget({.corpus_version = "notes, version 2", .reader = {}, .purse = {}}),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(PrivacyLedgerContract, ARefusalForLackOfBudgetSaysWhatFitsAndChangesNothing) {
  Reserved("alice", 1, SmallPlan(5));
  const std::string before = WholeState();
  const absl::Status refused =
      ledger().Reserve(ReserveRequestFor("bob", 1, SmallPlan(100000))).status();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto detail = proto::BudgetExhaustedOf(refused);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "corpus");
  EXPECT_EQ(detail->epsilon_total(), 2.44);
  EXPECT_EQ(detail->delta(), 1e-6);
  EXPECT_GT(detail->epsilon_asked(), 2.44);
  EXPECT_GT(detail->epsilon_spent(), 0);
  EXPECT_EQ(detail->epsilon_left(), 2.44 - detail->epsilon_spent());
  EXPECT_EQ(WholeState(), before);
  // Exactly what it says still fits does, and then nothing more.
  const int most = static_cast<int>(detail->most_iterations());
  EXPECT_GT(most, 0);
  EXPECT_THAT(ledger().Reserve(ReserveRequestFor("bob", 2, SmallPlan(most + 1))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  Reserved("bob", 3, SmallPlan(most));
  const auto nothing = proto::BudgetExhaustedOf(
      ledger().Reserve(ReserveRequestFor("bob", 4, SmallPlan(1))).status());
  ASSERT_TRUE(nothing.has_value());
  EXPECT_EQ(nothing->most_iterations(), 0);
}

TEST_P(PrivacyLedgerContract, AnAnalystsCapBindsThatAnalystAlone) {
  ReserveRequest request = ReserveRequestFor("alice", 1, SmallPlan(100000));
  request.purse.epsilon_cap = 0.7;
  const auto detail = proto::BudgetExhaustedOf(ledger().Reserve(request).status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "corpus") << "the wider limit is named first";
  request.plan = SmallPlan(static_cast<int>(detail->most_iterations()));
  ASSERT_OK(ledger().Reserve(request));

  request = ReserveRequestFor("alice", 2, SmallPlan(1));
  request.purse.epsilon_cap = 0.7;
  const auto own = proto::BudgetExhaustedOf(ledger().Reserve(request).status());
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->limit(), "analyst");
  EXPECT_EQ(own->epsilon_total(), 0.7);
  EXPECT_LE(own->epsilon_spent(), 0.7);
  EXPECT_EQ(own->most_iterations(), 0);
  Reserved("bob", 1, SmallPlan(1));
}

TEST_P(PrivacyLedgerContract, AnAuditorSeesTheCapsThatAreConfigured) {
  Reserved("alice", 1, SmallPlan(1));
  Reserved("bob", 1, SmallPlan(1));
  ASSERT_OK_AND_ASSIGN(auto budget,
                       ledger().Budget({.corpus_version = kNotesVersion,
                                        .reader = {"ann", true},
                                        .purse = {},
                                        .epsilon_caps = {{"bob", 1.5}, {"nobody", 0.1}}}));
  ASSERT_EQ(budget.principals_size(), 2);
  EXPECT_EQ(budget.principals(0).epsilon_cap(), 2.44) << "alice has the whole budget";
  EXPECT_EQ(budget.principals(1).epsilon_cap(), 1.5);
}

TEST_P(PrivacyLedgerContract, ReleasesOfABudgetAreCapped) {
  ReserveRequest request = ReserveRequestFor("alice", 1, SmallPlan(3, 1000));
  request.purse.max_releases = 5;
  ASSERT_OK(ledger().Reserve(request));
  request = ReserveRequestFor("bob", 1, SmallPlan(3, 1000));
  request.purse.max_releases = 5;
  const absl::Status refused = ledger().Reserve(request).status();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("max_releases")));
  EXPECT_FALSE(proto::BudgetExhaustedOf(refused).has_value());
  ASSERT_OK_AND_ASSIGN(auto quote, ledger().Price(request.purse, request.plan));
  EXPECT_FALSE(quote.fits());
  EXPECT_EQ(quote.most_iterations(), 2);
  request.plan.set_iterations(2);
  ASSERT_OK(ledger().Reserve(request));
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 5);
}

TEST_P(PrivacyLedgerContract, PricingSaysWhatReservingDecidesAndChangesNothing) {
  const std::string before = WholeState();
  for (const int iterations : {1, 10, 50, 100, 1000}) {
    ASSERT_OK_AND_ASSIGN(auto quote, ledger().Price(PurseOf("alice"), SmallPlan(iterations)));
    EXPECT_EQ(quote.fits(), iterations <= quote.most_iterations());
    EXPECT_EQ(quote.fits(), quote.epsilon_with_plan() <= quote.epsilon_total());
    EXPECT_EQ(quote.epsilon_alone(), quote.epsilon_with_plan());
  }
  EXPECT_EQ(WholeState(), before);
  auto quote = ledger().Price(PurseOf("alice"), SmallPlan(10));
  Reserved("alice", 1, SmallPlan(10));
  EXPECT_EQ(BudgetSeenBy({"alice", false}).epsilon_spent(), quote->epsilon_with_plan());
}

TEST_P(PrivacyLedgerContract, TheNormHistogramIsPricedWithTheStatistics) {
  v1::ReleaseSpec plan = SmallPlan(10);
  plan.mutable_gaussian()->set_histogram_noise_multiplier(20);
  ASSERT_OK_AND_ASSIGN(auto both, ledger().Price(PurseOf("alice"), plan));
  // Two statistics of 20 from the same coins are one of 20/√2, to a rounding or two.
  EXPECT_NEAR(both.effective_noise_multiplier(), 20 / std::sqrt(2.0), 1e-12);
  auto joint = ledger().Price(PurseOf("alice"), SmallPlan(10, 20 / std::sqrt(2.0)));
  EXPECT_NEAR(both.epsilon_alone(), joint->epsilon_alone(), 1e-9);
}

TEST_P(PrivacyLedgerContract, CancellingGivesBackExactlyWhatWasNotCharged) {
  const v1::PlanState kept = Reserved("bob", 1, SmallPlan(2));
  const auto base = BudgetSeenBy({"ann", true});
  const v1::PlanState one = Reserved("alice", 1, SmallPlan(1));
  const auto with_one = BudgetSeenBy({"ann", true});
  ASSERT_OK(ledger().Cancel("alice", one.plan_id(), 5000));
  EXPECT_EQ(BudgetSeenBy({"ann", true}).spent(0), base.spent(0));

  const v1::PlanState plan = Reserved("alice", 2, SmallPlan(7));
  testing::Release(ledger(), plan, 4);
  ASSERT_OK_AND_ASSIGN(auto cancelled, ledger().Cancel("alice", plan.plan_id(), 5000));
  EXPECT_EQ(cancelled.state(), v1::PlanState::CANCELLED);
  const auto after = BudgetSeenBy({"ann", true});
  for (int order = 0; order < after.spent_size(); ++order) {
    EXPECT_EQ(after.spent(order), with_one.spent(order)) << "one release is paid, six are not";
  }
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 3);
  // Cancelling again changes nothing; what was released stays readable.
  const std::string before = WholeState();
  Reopen();
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 6000));
  EXPECT_EQ(WholeState(), before);
  testing::CollectedRelease sink;
  EXPECT_OK(ledger().ReadRelease("alice", plan.plan_id(), 4, sink));
  EXPECT_THAT(ledger().Charge(ChargeRequestFor(plan, 5)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("cancelled")));
}

TEST_P(PrivacyLedgerContract, AnalystsSeeTheirOwnSpendingAndAuditorsEverybodys) {
  Reserved("alice", 1, SmallPlan(2));
  Reserved("bob", 1, SmallPlan(4));
  const v1::BudgetStatus alice = BudgetSeenBy({"alice", false});
  EXPECT_EQ(alice.own().principal(), "alice");
  EXPECT_EQ(alice.own().epsilon_cap(), 2.44);
  EXPECT_LT(alice.own().epsilon_spent(), alice.epsilon_spent());
  EXPECT_EQ(alice.principals_size(), 0);
  const v1::BudgetStatus ann = BudgetSeenBy({"ann", true});
  ASSERT_EQ(ann.principals_size(), 2);
  EXPECT_EQ(ann.principals(0).principal(), "alice");
  EXPECT_EQ(ann.principals(0).epsilon_spent(), alice.own().epsilon_spent());
  EXPECT_DOUBLE_EQ(ann.epsilon_spent() + ann.epsilon_left(), ann.epsilon_total());
  EXPECT_GE(ann.odometer_epsilon(), 0);
}

TEST_P(PrivacyLedgerContract, TheReferencePlanCountsWhatIsLeft) {
  BudgetQuery query;
  query.corpus_version = kNotesVersion;
  query.reader.principal = "alice";
  query.purse = PurseOf("alice");
  query.reference_plan = SmallPlan(1);
  ASSERT_OK_AND_ASSIGN(auto before, ledger().Budget(query));
  Reserved("alice", 1, SmallPlan(3));
  ASSERT_OK_AND_ASSIGN(auto after, ledger().Budget(query));
  EXPECT_EQ(after.reference_iterations_left(), before.reference_iterations_left() - 3);
}

TEST_P(PrivacyLedgerContract, EventsVerifyAndAReaderRecomputesWhatIsSpent) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(4, 15));
  Reserved("bob", 1, SmallPlan(3, 30));
  testing::Release(ledger(), plan, 1);
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 9000));

  // A reader's own arithmetic, from the mechanisms named in the events alone.
  proto::ChainVerifier chain;
  std::optional<accountant::BudgetFilter> filter;
  accountant::CostVector spent;
  std::map<std::string, std::pair<accountant::CostVector, int>> plans;
  for (const auto& entry : EntriesSeenBy(ledger(), {"ann", true})) {
    ASSERT_OK(chain.Add(entry));
    const v1::LedgerEvent& event = chain.event();
    if (event.has_budget_opened()) {
      filter = *accountant::BudgetFilter::Create(
          {.budget = {.epsilon = 2.44, .delta = 1e-6},
           .orders = {event.budget_opened().filter().orders().begin(),
                      event.budget_opened().filter().orders().end()},
           .weights = {event.budget_opened().filter().weights().begin(),
                       event.budget_opened().filter().weights().end()}});
      spent = filter->NothingSpent();
    } else if (event.has_plan_reserved()) {
      const v1::ReleaseSpec& spec = event.plan_reserved().spec();
      const auto release = accountant::SubsampledGaussian::Create(
          {.sampling_rate = spec.sampling_rate(),
           .noise_multipliers = {spec.gaussian().noise_multiplier()}});
      plans[event.plan_reserved().plan_id()] = {*filter->CostPerRelease(*release),
                                                spec.iterations()};
    } else if (event.has_plan_cancelled()) {
      plans[event.plan_cancelled().plan_id()].second -=
          event.plan_cancelled().iterations_returned();
    }
  }
  for (const auto& [id, cost_and_count] : plans) {
    spent = filter->Admit(spent, cost_and_count.first, cost_and_count.second)->spent_after;
  }
  const v1::BudgetStatus budget = BudgetSeenBy({"ann", true});
  EXPECT_EQ(chain.length(), budget.events());
  EXPECT_EQ(chain.head(), budget.chain_head());
  EXPECT_EQ(filter->EpsilonUpperBound(spent), budget.epsilon_spent());
  EXPECT_EQ(accountant::CostVector(budget.spent().begin(), budget.spent().end()), spent);
}

TEST_P(PrivacyLedgerContract, AnEvaluationIsChargedAndStoredAsOneAndItsEventSaysSo) {
  const v1::PlanState training = Reserved("alice", 1, SmallPlan(1));
  const double spent = BudgetSeenBy({"ann", true}).epsilon_spent();
  const v1::PlanState plan = Reserved("alice", 2, testing::SmallEvaluation(1));
  EXPECT_GT(BudgetSeenBy({"ann", true}).epsilon_spent(), spent);
  testing::Release(ledger(), plan, 1, {5000, 900});
  testing::CollectedRelease release;
  ASSERT_OK(ledger().ReadRelease("alice", plan.plan_id(), 1, release));
  EXPECT_EQ(release.header.rows(), 1);
  EXPECT_EQ(release.header.columns(), 2);
  EXPECT_EQ(release.bytes, proto::FloatsToLittleEndian(std::vector<float>{5000, 900}));
  int seen = 0;
  for (const auto& entry : EntriesSeenBy(ledger(), {"ann", true})) {
    v1::LedgerEvent event;
    ASSERT_TRUE(event.ParseFromString(entry.event()));
    if (!event.has_plan_reserved()) continue;
    ++seen;
    const v1::PlanReserved& act = event.plan_reserved();
    const bool evaluates = act.plan_id() == plan.plan_id();
    EXPECT_EQ(act.spec().model(), evaluates ? "document_completion" : "lda");
    EXPECT_EQ(act.spec().options(), testing::SmallPlan(1).options());
    EXPECT_EQ(act.spec().held_out_only(), evaluates);
    EXPECT_EQ(act.spec().held_out_share(), evaluates ? 0.1 : 0);
    EXPECT_EQ(act.spec().gaussian().noise_multiplier(), 20);
  }
  EXPECT_EQ(seen, 2);
}

TEST_P(PrivacyLedgerContract, AnalystsFollowTheWholeChainAndSeeTheirPartOfIt) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(2));
  testing::Release(ledger(), plan, 1);
  Reserved("bob", 1, SmallPlan(1));
  proto::ChainVerifier as_alice, as_bob;
  int seen_by_alice = 0, seen_by_bob = 0;
  for (const auto& entry : EntriesSeenBy(ledger(), {"alice", false})) {
    ASSERT_OK(as_alice.Add(entry));
    EXPECT_TRUE(as_alice.event().principal().empty() || as_alice.event().principal() == "alice");
    EXPECT_EQ(entry.event().empty(), entry.salt().empty());
    if (!entry.event().empty()) ++seen_by_alice;
  }
  for (const auto& entry : EntriesSeenBy(ledger(), {"bob", false})) {
    ASSERT_OK(as_bob.Add(entry));
    if (!entry.event().empty()) ++seen_by_bob;
  }
  // opened, joined; reserved, charged, published of alice; reserved of bob
  EXPECT_EQ(as_alice.length(), 6);
  EXPECT_EQ(as_alice.head(), as_bob.head());
  EXPECT_EQ(seen_by_alice, 5);
  EXPECT_EQ(seen_by_bob, 3);
}

TEST_P(PrivacyLedgerContract, ReadingEventsStartsWhereItIsAskedToAndStopsWhenTheSinkFails) {
  Reserved("alice", 1, SmallPlan(2));
  std::vector<int64_t> sequences;
  const auto collect = [&](const v1::LedgerEntry& entry) {
    sequences.push_back(entry.sequence());
    return absl::OkStatus();
  };
  EXPECT_OK(ledger().ReadEvents(kNotesVersion, {"ann", true}, 2, collect));
  EXPECT_THAT(sequences, ::testing::ElementsAre(2, 3));
  EXPECT_OK(ledger().ReadEvents(kNotesVersion, {"ann", true}, 4, collect));
  EXPECT_EQ(sequences.size(), 2);
  EXPECT_THAT(ledger().ReadEvents(kNotesVersion, {"ann", true}, 0,
                                  [](const v1::LedgerEntry&) { return absl::CancelledError(); }),
              StatusIs(absl::StatusCode::kCancelled));
}

TEST_P(PrivacyLedgerContract, EightThreadsTogetherReserveTheBudgetAndNoMore) {
  constexpr double kSigma = 60;
  ASSERT_OK_AND_ASSIGN(auto quote, ledger().Price(PurseOf("alice"), SmallPlan(1, kSigma)));
  const int64_t most = quote.most_iterations() / 16;  // plans of 16 iterations
  ASSERT_GT(most, 16) << "enough for every thread to compete";
  std::atomic<int64_t> reserved{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int number = 0;; ++number) {
        const std::string principal = thread % 2 == 0 ? "alice" : "bob";
        const auto plan = ledger().Reserve(
            ReserveRequestFor(principal, 1000 * thread + number, SmallPlan(16, kSigma)));
        if (!plan.ok()) {
          EXPECT_TRUE(proto::BudgetExhaustedOf(plan.status()).has_value()) << plan.status();
          return;
        }
        ++reserved;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reserved, most);
  const v1::BudgetStatus budget = BudgetSeenBy({"ann", true});
  EXPECT_LE(budget.epsilon_spent(), budget.epsilon_total());
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 16 * most);
  Reopen();
}

}  // namespace
}  // namespace topicwall::ledger
