// The contract's second part: charging, storing, publishing and reading iterations.
#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "tests/server/ledger/privacy_ledger_contract.h"

namespace topicwall::ledger {
namespace privacy_ledger_releases_test {

using testing::ChargeRequestFor;
using testing::CollectedRelease;
using testing::EntriesSeenBy;
using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::Noised;
using testing::PublicationOf;
using testing::Release;
using testing::SmallHeader;
using testing::SmallPlan;
using testing::StatusIs;

const std::vector<float> kStatistics = {1, -2, 3, 4.5f, 5, -0.0f};

std::string KeyOf(const absl::StatusOr<ChargeOutcome>& outcome) {
  const auto key = std::get<ChargeReceipt>(*outcome).release_key().ExposeBytes();
  return {key.begin(), key.end()};
}

std::string BytesOf(const std::vector<float>& entries) {
  return {reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(float)};
}

int CountActs(PrivacyLedger& ledger, v1::LedgerEvent::ActCase act) {
  int count = 0;
  for (const auto& entry : EntriesSeenBy(ledger, {"ann", true})) {
    v1::LedgerEvent event;
    EXPECT_TRUE(event.ParseFromString(entry.event()));
    if (event.act_case() == act) ++count;
  }
  return count;
}

TEST_P(PrivacyLedgerContract, AReceiptCarriesWhatWasPricedAndNothingElse) {
  v1::ReleaseSpec spec = SmallPlan(3, 25);
  spec.set_sampling_rate(0.25);
  spec.mutable_gaussian()->set_histogram_noise_multiplier(40);
  spec.set_weights(BytesOf({0.5f, 1, 2}));
  const v1::PlanState plan = Reserved("alice", 1, spec);
  const ChargeRequest request = ChargeRequestFor(plan, 2);
  ASSERT_OK_AND_ASSIGN(auto outcome, ledger().Charge(request));
  const ChargeReceipt& receipt = std::get<ChargeReceipt>(outcome);
  EXPECT_EQ(receipt.plan_id(), plan.plan_id());
  EXPECT_EQ(receipt.iteration(), 2);
  EXPECT_EQ(receipt.request_digest(), request.request_digest);
  EXPECT_EQ(receipt.begun_at_ms(), request.now_ms);
  EXPECT_EQ(std::memcmp(receipt.corpus_version().data(), kNotesVersion, kCorpusVersionSize), 0);
  EXPECT_EQ(receipt.mechanism().sampling_rate, 0.25);
  EXPECT_EQ(receipt.mechanism().noise_multiplier, 25);
  EXPECT_EQ(receipt.mechanism().histogram_noise_multiplier, 40);
  EXPECT_EQ(receipt.mechanism().max_words, 500);
  EXPECT_EQ(receipt.mechanism().weights, (std::vector<float>{0.5f, 1, 2}));
}

TEST_P(PrivacyLedgerContract, EveryIterationHasAReleaseKeyOfItsOwn) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  std::set<std::string> keys;
  for (const int iteration : {3, 1, 2}) {
    keys.insert(KeyOf(ledger().Charge(ChargeRequestFor(plan, iteration))));
  }
  EXPECT_EQ(keys.size(), 3);
}

TEST_P(PrivacyLedgerContract, AnInterruptedReleaseGetsTheSameReceiptThreeTimesAndIsThenGivenUp) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  auto first = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(first);
  const auto budget = BudgetSeenBy({"ann", true});
  for (int again = 0; again < kMaxRecomputations; ++again) {
    Reopen();
    ChargeRequest later = ChargeRequestFor(plan, 1);
    later.now_ms += 1000 * (again + 1);
    auto same = ledger().Charge(later);
    ASSERT_OK(same);
    EXPECT_EQ(KeyOf(same), KeyOf(first));
    const ChargeReceipt& receipt = std::get<ChargeReceipt>(*same);
    EXPECT_EQ(receipt.charge_id(), std::get<ChargeReceipt>(*first).charge_id());
    EXPECT_EQ(receipt.begun_at_ms(), later.now_ms) << "instants begin with the act";
  }
  EXPECT_EQ(BudgetSeenBy({"ann", true}).epsilon_spent(), budget.epsilon_spent());
  EXPECT_EQ(CountActs(ledger(), v1::LedgerEvent::kReleaseRestarted), kMaxRecomputations);
  ASSERT_OK_AND_ASSIGN(auto given_up, ledger().Charge(ChargeRequestFor(plan, 1)));
  EXPECT_EQ(std::get<GivenUp>(given_up).begun_at_ms, ChargeRequestFor(plan, 1).now_ms);
  EXPECT_EQ(CountActs(ledger(), v1::LedgerEvent::kReleaseVoided), 0) << "told at an instant only";
  ASSERT_OK(ledger().Void({.plan_id = plan.plan_id(),
                           .iteration = 1,
                           .charge_id = std::get<GivenUp>(given_up).charge_id,
                           .ground = v1::ReleaseVoided::FAILED,
                           .at_ms = 70000}));
  for (int after = 0; after < 2; ++after) {
    EXPECT_THAT(ledger().Charge(ChargeRequestFor(plan, 1)), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_EQ(ledger().GetPlan("alice", plan.plan_id())->state(), v1::PlanState::PAUSED);
    Reopen();
  }
  EXPECT_EQ(CountActs(ledger(), v1::LedgerEvent::kPlanPaused), 1);
  EXPECT_EQ(BudgetSeenBy({"ann", true}).epsilon_spent(), budget.epsilon_spent()) << "still paid";
  CollectedRelease sink;
  EXPECT_THAT(ledger().ReadRelease("alice", plan.plan_id(), 1, sink),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ledger().Charge(ChargeRequestFor(plan, 2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("paused")));
  // A lost release does not take the rest of the plan's budget with it.
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 9000));
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 1);
}

TEST_P(PrivacyLedgerContract, AnIterationIsPaidForOneRequestOnly) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  const auto another = ChargeRequestFor(plan, 1, 8);
  auto outcome = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  EXPECT_THAT(ledger().Charge(another), StatusIs(absl::StatusCode::kAlreadyExists));
  ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
  EXPECT_THAT(ledger().Charge(another), StatusIs(absl::StatusCode::kAlreadyExists));
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  EXPECT_THAT(ledger().Charge(another), StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_P(PrivacyLedgerContract, IterationsOutsideThePlanAreRefused) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  const std::string before = WholeState();
  for (const int iteration : {0, -1, 4, std::numeric_limits<int>::max()}) {
    EXPECT_THAT(ledger().Charge(ChargeRequestFor(plan, iteration)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("[1, 3]")));
  }
  EXPECT_EQ(WholeState(), before);
}

// What was answered once is answered again from memory while they stand still: so they move with
// whatever others can see, and with nothing else.
TEST_P(PrivacyLedgerContract, TheHeadsMoveIfAndOnlyIfWhatCanBeSeenDoes) {
  std::string heads = ledger().AwaitMove("", absl::ZeroDuration());
  std::string seen = WholeState();
  const auto moved = [&] {
    const bool by_heads =
        std::exchange(heads, ledger().AwaitMove(heads, absl::Milliseconds(1))) != heads;
    const bool by_sight = std::exchange(seen, WholeState()) != seen;
    EXPECT_EQ(by_heads, by_sight);
    return by_heads;
  };
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  EXPECT_TRUE(moved());
  auto outcome = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  EXPECT_TRUE(moved());
  ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
  EXPECT_FALSE(moved()) << "when it was computed";
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  EXPECT_TRUE(moved());
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  EXPECT_FALSE(moved());
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 90000));
  EXPECT_TRUE(moved());
  Reopen();
  EXPECT_FALSE(moved()) << "what was told before a restart still holds";
}

TEST_P(PrivacyLedgerContract, WhoeverWaitsForAMoveIsWokenByIt) {
  const std::string before = ledger().AwaitMove("", absl::ZeroDuration());
  std::string after;
  std::thread waiting([&] { after = ledger().AwaitMove(before, absl::InfiniteDuration()); });
  Reserved("alice", 1, SmallPlan(3));
  waiting.join();
  EXPECT_NE(after, before);
}

TEST_P(PrivacyLedgerContract, StoringShowsNowhereUntilThePublication) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  auto outcome = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  const std::string charged = WholeState();
  ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
  EXPECT_EQ(WholeState(), charged);
  Reopen();
  EXPECT_EQ(WholeState(), charged);
  CollectedRelease sink;
  EXPECT_THAT(ledger().ReadRelease("alice", plan.plan_id(), 1, sink),
              StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK_AND_ASSIGN(auto again, ledger().Charge(ChargeRequestFor(plan, 1)));
  EXPECT_EQ(std::get<AwaitingPublication>(again).begun_at_ms, 3001);

  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  const auto shown = ledger().GetPlan("alice", plan.plan_id());
  ASSERT_EQ(shown->iterations_size(), 1);
  EXPECT_TRUE(shown->iterations(0).readable());
  EXPECT_EQ(shown->iterations(0).charged_at_ms(), 3001);
  EXPECT_EQ(shown->iterations(0).readable_at_ms(), 60000);
}

TEST_P(PrivacyLedgerContract, APublishedReleaseIsReadAsItWasStoredAsOftenAsWanted) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  Release(ledger(), plan, 2, kStatistics);
  for (int times = 0; times < 3; ++times) {
    CollectedRelease read;
    ASSERT_OK(ledger().ReadRelease("alice", plan.plan_id(), 2, read));
    EXPECT_EQ(read.bytes, BytesOf(kStatistics));
    EXPECT_EQ(read.header.plan_id(), plan.plan_id());
    EXPECT_EQ(read.header.iteration(), 2);
    EXPECT_EQ(read.header.request_digest(), std::string(32, 7));
    EXPECT_EQ(read.header.rows(), 2);
    EXPECT_EQ(read.header.columns(), 3);
    EXPECT_EQ(read.header.clip_norm(), 4);
    EXPECT_EQ(read.header.kernel_name(), "portable");
    EXPECT_EQ(read.header.noise_standard_deviation(), 25.2);
    EXPECT_EQ(read.header.norm_histogram_size(), 1);
    EXPECT_EQ(read.header.histogram_noise_standard_deviation(), 3);
    EXPECT_EQ(read.header.statistics_sha256(),
              base::DigestBytes(base::Sha256Of(BytesOf(kStatistics))));
    EXPECT_EQ(read.header.charged_at_ms(), 3002);
    EXPECT_EQ(read.header.readable_at_ms(), 60000);
    ASSERT_OK_AND_ASSIGN(auto again, ledger().Charge(ChargeRequestFor(plan, 2)));
    EXPECT_TRUE(std::holds_alternative<AlreadyPublished>(again));
    Reopen();
  }
  const v1::PlanState shown = *ledger().GetPlan("alice", plan.plan_id());
  EXPECT_EQ(shown.iterations(0).release_sha256(),
            base::DigestBytes(base::Sha256Of(BytesOf(kStatistics))));
}

TEST_P(PrivacyLedgerContract, ALargeReleaseComesInBoundedPieces) {
  std::vector<float> statistics(2 * 300001);
  std::iota(statistics.begin(), statistics.end(), -300000.0f);
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(1));
  Release(ledger(), plan, 1, statistics);
  struct Pieces : CollectedRelease {
    absl::Status Statistics(int64_t first_entry, std::string values) override {
      EXPECT_LE(values.size(), 1 << 20);
      ++count;
      return CollectedRelease::Statistics(first_entry, std::move(values));
    }
    int count = 0;
  } read;
  ASSERT_OK(ledger().ReadRelease("alice", plan.plan_id(), 1, read));
  EXPECT_EQ(read.count, 3);
  EXPECT_EQ(read.bytes, BytesOf(statistics));
}

TEST_P(PrivacyLedgerContract, AReaderWhoGivesUpEndsTheReadingAndMayComeBack) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(1));
  Release(ledger(), plan, 1);
  struct GivesUp : CollectedRelease {
    absl::Status Statistics(int64_t, std::string) override { return absl::CancelledError(); }
  } gives_up;
  EXPECT_THAT(ledger().ReadRelease("alice", plan.plan_id(), 1, gives_up),
              StatusIs(absl::StatusCode::kCancelled));
  CollectedRelease read;
  EXPECT_OK(ledger().ReadRelease("alice", plan.plan_id(), 1, read));
}

TEST_P(PrivacyLedgerContract, ASlowReaderHoldsUpNobody) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(2));
  Release(ledger(), plan, 1);
  struct ReservesMeanwhile : CollectedRelease {
    explicit ReservesMeanwhile(std::function<void()> act) : meanwhile(std::move(act)) {}
    absl::Status Statistics(int64_t first, std::string values) override {
      std::thread(meanwhile).join();
      return CollectedRelease::Statistics(first, std::move(values));
    }
    std::function<void()> meanwhile;
  } slow([&] { Reserved("bob", 1, SmallPlan(1)); });
  EXPECT_OK(ledger().ReadRelease("alice", plan.plan_id(), 1, slow));
  EXPECT_EQ(ledger().ListPlans({.principal = "bob"})->plans.size(), 1);
}

TEST_P(PrivacyLedgerContract, AReleaseIsStoredOnceAndOnlyUnderItsReceipt) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  auto first = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(first);
  auto again = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(again);
  EXPECT_THAT(ledger().Publish(PublicationOf(plan, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition))
      << "nothing is stored";
  ASSERT_OK(ledger().Store(Noised(std::move(first)), SmallHeader(), kStatistics));
  EXPECT_THAT(ledger().Store(Noised(std::move(again)), SmallHeader(2), {9, 9}),
              StatusIs(absl::StatusCode::kFailedPrecondition));

  auto second = ledger().Charge(ChargeRequestFor(plan, 2));
  ASSERT_OK(second);
  ChargeTerms forged{.charge_id = std::get<ChargeReceipt>(*second).charge_id(),
                     .plan_id = plan.plan_id(),
                     .iteration = 2,
                     .request_digest = {99},
                     .corpus_version = {},
                     .mechanism = std::get<ChargeReceipt>(*second).mechanism()};
  EXPECT_THAT(ledger().Store(ChargeReceiptTestPeer::Noised(ChargeReceiptTestPeer::Make(
                                 forged, *random::SecretKey::Generate())),
                             SmallHeader(), kStatistics),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(ledger().Store(Noised(std::move(second)), SmallHeader(), {1, 2, 3}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 x 3")));

  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  CollectedRelease read;
  ASSERT_OK(ledger().ReadRelease("alice", plan.plan_id(), 1, read));
  EXPECT_EQ(read.bytes, BytesOf(kStatistics));
}

TEST_P(PrivacyLedgerContract, StoredReleasesThatNobodyPublishedAreFoundAgain) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  Release(ledger(), plan, 1);
  EXPECT_EQ(ledger().RestartUnfinished(9000)->size(), 0);
  auto outcome = ledger().Charge(ChargeRequestFor(plan, 2));
  ASSERT_OK(outcome);
  EXPECT_EQ(ledger().RestartUnfinished(9000)->size(), 0) << "charged is not stored";
  ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
  Reopen();
  ASSERT_OK_AND_ASSIGN(auto unfinished, ledger().RestartUnfinished(9500));
  ASSERT_EQ(unfinished.size(), 1);
  EXPECT_EQ(unfinished.front().plan_id, plan.plan_id());
  EXPECT_EQ(unfinished.front().iteration, 2);
  EXPECT_EQ(unfinished.front().corpus, "notes");
  EXPECT_EQ(unfinished.front().corpus_version, kNotesVersion);
  EXPECT_EQ(unfinished.front().principal, "alice");
  EXPECT_EQ(unfinished.front().begun_at_ms, 9500) << "instants begin with the start";
  EXPECT_EQ(CountActs(ledger(), v1::LedgerEvent::kReleaseRestarted), 1);
  EXPECT_EQ(ledger().GetPlan("alice", plan.plan_id())->iterations(1).charged_at_ms(), 3002);
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 2)));
  EXPECT_EQ(ledger().RestartUnfinished(9900)->size(), 0);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->restarts, 1);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->overruns, 0);
  Reopen();
}

TEST_P(PrivacyLedgerContract, WhatIsStoredLateHasItsInstantsCountedFromThenAndIsStoredOnce) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  const NoisedReceipt receipt = Noised(ledger().Charge(ChargeRequestFor(plan, 1)));
  const std::string charged = WholeState();
  EXPECT_THAT(ledger().Store(receipt, SmallHeader(), {1, 2, 3}, 9000),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(WholeState(), charged) << "nothing without the release";
  ASSERT_OK(ledger().Store(receipt, SmallHeader(), kStatistics, 9000));
  EXPECT_THAT(ledger().Store(receipt, SmallHeader(), kStatistics, 9500),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(CountActs(ledger(), v1::LedgerEvent::kReleaseRestarted), 1);
  ASSERT_OK_AND_ASSIGN(const auto awaiting, ledger().Charge(ChargeRequestFor(plan, 1)));
  EXPECT_EQ(std::get<AwaitingPublication>(awaiting).begun_at_ms, 9000);
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  Reopen();
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->restarts, 1);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->overruns, 0);
}

TEST_P(PrivacyLedgerContract, PublishingTwiceIsOneEventAndOneOverrun) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  auto outcome = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1, 2)));
  const std::string before = WholeState();
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1, 3)));
  EXPECT_EQ(WholeState(), before);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->overruns, 1);
  EXPECT_EQ(CountActs(ledger(), v1::LedgerEvent::kReleasePublished), 1);
}

// Or a custodian would begin with clean numbers by ingesting the same documents again.
TEST_P(PrivacyLedgerContract, WhatWentWrongIsToldOfTheBudgetsLifeAndPausesItsOwnVersionAlone) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(10));
  for (int iteration = 1; iteration <= 3; ++iteration) {
    auto outcome = ledger().Charge(ChargeRequestFor(plan, iteration));
    if (iteration == 1) outcome = ledger().Charge(ChargeRequestFor(plan, 1));
    ASSERT_OK(outcome);
    ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
    ASSERT_OK(ledger().Publish(PublicationOf(plan, iteration, 2)));
  }
  ASSERT_OK(custodian().JoinBudget(budget_id(), "notes", "notes, version 2", 1500));
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_PAUSED);
  ASSERT_OK_AND_ASSIGN(const auto next, ledger().StatusOfCorpus("notes, version 2"));
  EXPECT_EQ(next.overruns, 3);
  EXPECT_EQ(next.restarts, 1);
  EXPECT_EQ(next.worst_protection->release_interval_ms(), 60000);
  EXPECT_EQ(next.unacknowledged_overruns, 0);
  EXPECT_EQ(next.state, v1::CORPUS_STATE_OPEN);
}

TEST_P(PrivacyLedgerContract, TheThirdUnacknowledgedOverrunPausesTheCorpus) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(10));
  const auto run = [&](int iteration, int intervals_waited) {
    auto outcome = ledger().Charge(ChargeRequestFor(plan, iteration));
    ASSERT_OK(outcome);
    ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
    ASSERT_OK(ledger().Publish(PublicationOf(plan, iteration, intervals_waited)));
  };
  run(1, 2);
  run(2, 1);
  run(3, 0);
  run(4, 5);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  auto running = ledger().Charge(ChargeRequestFor(plan, 6));
  ASSERT_OK(running);
  run(5, 2);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_PAUSED);
  EXPECT_EQ(BudgetSeenBy({"ann", true}).state(), v1::CORPUS_STATE_PAUSED);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->overruns, 3);
  // Nothing new is sold or started; what was started is finished, and paid ones are read.
  EXPECT_THAT(ledger().Charge(ChargeRequestFor(plan, 7)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("paused")));
  EXPECT_THAT(ledger().Reserve(testing::ReserveRequestFor("bob", 1, SmallPlan(1))),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("paused")));
  ASSERT_OK(ledger().Store(Noised(std::move(running)), SmallHeader(), kStatistics));
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 6)));
  CollectedRelease read;
  EXPECT_OK(ledger().ReadRelease("alice", plan.plan_id(), 6, read));

  ASSERT_OK(custodian().AcknowledgeOverruns(kNotesVersion, 99000));
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->overruns, 3) << "still stated";
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->unacknowledged_overruns, 0);
  run(7, 2);
  Reopen();
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
}

TEST_P(PrivacyLedgerContract, APaidReleaseIsFinishedThoughItsPlanWasCancelledMeanwhile) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  ASSERT_OK(ledger().Charge(ChargeRequestFor(plan, 1)));
  const double reserved = BudgetSeenBy({"ann", true}).epsilon_spent();
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 5000));
  EXPECT_GT(BudgetSeenBy({"ann", true}).epsilon_spent(), 0) << "the charged iteration stays paid";
  EXPECT_LT(BudgetSeenBy({"ann", true}).epsilon_spent(), reserved);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 1);
  auto again = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(again);
  ASSERT_OK(ledger().Store(Noised(std::move(again)), SmallHeader(), kStatistics));
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  CollectedRelease read;
  EXPECT_OK(ledger().ReadRelease("alice", plan.plan_id(), 1, read));
  Reopen();
}

TEST_P(PrivacyLedgerContract, NothingIsLostWhenTheProcessEndsBetweenAnyTwoSteps) {
  v1::PlanState plan = Reserved("alice", 1, SmallPlan(2));
  Reopen();
  auto first = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(first);
  Reopen();
  auto outcome = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  EXPECT_EQ(KeyOf(first), KeyOf(outcome));
  ASSERT_OK(ledger().Store(Noised(std::move(outcome)), SmallHeader(), kStatistics));
  Reopen();
  ASSERT_OK(ledger().Publish(PublicationOf(plan, 1)));
  Reopen();
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 5000));
  Reopen();
  CollectedRelease read;
  ASSERT_OK(ledger().ReadRelease("alice", plan.plan_id(), 1, read));
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 1);
  EXPECT_EQ(CountActs(ledger(), v1::LedgerEvent::kIterationCharged), 1);
}

}  // namespace privacy_ledger_releases_test
}  // namespace topicwall::ledger
