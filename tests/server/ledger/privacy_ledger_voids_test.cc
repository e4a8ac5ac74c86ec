// The contract's third part: what a charge fixes, releases that never come, and restarts.
#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "tests/server/ledger/privacy_ledger_contract.h"

namespace topicwall::ledger {
namespace privacy_ledger_voids_test {

using testing::ChargeRequestFor;
using testing::CollectedRelease;
using testing::EntriesSeenBy;
using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::Noised;
using testing::PublicationOf;
using testing::SmallHeader;
using testing::SmallPlan;
using testing::StatusIs;

const std::vector<float> kStatistics = {1, 2, 3, 4, 5, 6};

v1::LedgerEvent LastEvent(PrivacyLedger& ledger) {
  v1::LedgerEvent event;
  const auto entries = EntriesSeenBy(ledger, {"ann", true});
  EXPECT_TRUE(event.ParseFromString(entries.back().event()));
  return event;
}

// The iteration, charged now.
Voiding VoidingOf(PrivacyLedger& ledger, const v1::PlanState& plan, int iteration,
                  v1::ReleaseVoided::Ground ground) {
  const auto outcome = ledger.Charge(ChargeRequestFor(plan, iteration));
  EXPECT_OK(outcome);
  return {.plan_id = plan.plan_id(),
          .iteration = iteration,
          .charge_id = std::get<ChargeReceipt>(*outcome).charge_id(),
          .ground = ground,
          .at_ms = int64_t{960000} + iteration};
}

TEST_P(PrivacyLedgerContract, AChargeRecordsItsScheduleWhatComputesItAndTheProcessorsKeptFree) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  ASSERT_OK(ledger().Charge(ChargeRequestFor(plan, 1)));
  const v1::LedgerEvent event = LastEvent(ledger());
  EXPECT_EQ(event.iteration_charged().computed_with().SerializeAsString(),
            testing::ComputedWithForTests().SerializeAsString());
  const auto recorded = [&] {
    const v1::LedgerEvent last = LastEvent(ledger());
    EXPECT_TRUE(last.iteration_charged().has_protection());
    return last.iteration_charged().protection().SerializeAsString();
  };
  EXPECT_EQ(recorded(), testing::ProtectionOf(60000, 1).SerializeAsString());
  ChargeRequest unprotected = ChargeRequestFor(plan, 2);
  unprotected.protection = testing::ProtectionOf(0, 0);
  ASSERT_OK(ledger().Charge(unprotected));
  EXPECT_EQ(recorded(), unprotected.protection.SerializeAsString());
  ChargeRequest shorter = ChargeRequestFor(plan, 3);
  shorter.protection = testing::ProtectionOf(5000, 2);
  ASSERT_OK(ledger().Charge(shorter));
  EXPECT_EQ(recorded(), shorter.protection.SerializeAsString());
  // Begun again, under the configuration of then.
  ASSERT_OK(ledger().Charge(unprotected));
  shorter.protection = testing::ProtectionOf(0, 0);
  ASSERT_OK(ledger().Charge(shorter));
  const v1::LedgerEvent again = LastEvent(ledger());
  EXPECT_EQ(again.release_restarted().protection().SerializeAsString(),
            shorter.protection.SerializeAsString());
  Reopen();
}

// A program or a configuration that was changed under a charge: put back it computes the release.
TEST_P(PrivacyLedgerContract, AChargeIsComputedWithWhatItWasChargedForOrNotAtAll) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  ASSERT_OK(ledger().Charge(ChargeRequestFor(plan, 1)));
  Reopen();
  const std::string before = WholeState();
  ChargeRequest other = ChargeRequestFor(plan, 1);
  other.computed_with.set_max_documents_per_unit(1);
  for (int times = 0; times <= kMaxRecomputations; ++times) {
    EXPECT_THAT(ledger().Charge(other),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr("limits.max_documents_per_unit 3 (now 1)")));
  }
  EXPECT_EQ(WholeState(), before) << "nothing is counted";
  const auto again = ledger().Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(again);
  ASSERT_TRUE(std::holds_alternative<ChargeReceipt>(*again));
}

TEST_P(PrivacyLedgerContract, AVoidedReleaseStaysPaidIsOneEventAndPausesItsPlan) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  const Voiding voiding = VoidingOf(ledger(), plan, 2, v1::ReleaseVoided::FAILED);
  const double spent = BudgetSeenBy({"ann", true}).epsilon_spent();
  ASSERT_OK(ledger().Void(voiding));
  const std::string after = WholeState();
  ASSERT_OK(ledger().Void(voiding));
  EXPECT_EQ(WholeState(), after);

  const v1::PlanState shown = *ledger().GetPlan("alice", plan.plan_id());
  EXPECT_EQ(shown.state(), v1::PlanState::PAUSED);
  ASSERT_EQ(shown.iterations_size(), 1);
  EXPECT_TRUE(shown.iterations(0).voided());
  EXPECT_FALSE(shown.iterations(0).readable());
  EXPECT_EQ(BudgetSeenBy({"ann", true}).epsilon_spent(), spent);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->voided, 1);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->overruns, 0);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  CollectedRelease sink;
  EXPECT_THAT(ledger().ReadRelease("alice", plan.plan_id(), 2, sink),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("would not help")));
  Reopen();
  EXPECT_THAT(ledger().Charge(ChargeRequestFor(plan, 2)), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(ledger().Cancel("alice", plan.plan_id(), 970000)->state(), v1::PlanState::CANCELLED);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 1);
}

TEST_P(PrivacyLedgerContract, UnreadableDataPauseTheCorpusUntilTheCustodianHasSeenThem) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  ASSERT_OK(ledger().Void(VoidingOf(ledger(), plan, 1, v1::ReleaseVoided::UNREADABLE_DATA)));
  const v1::LedgerEvent event = LastEvent(ledger());
  EXPECT_EQ(event.time_ms(), 960001);
  EXPECT_EQ(event.principal(), "alice");
  EXPECT_EQ(event.release_voided().ground(), v1::ReleaseVoided::UNREADABLE_DATA);
  Reopen();
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_PAUSED);
  EXPECT_EQ(ledger().GetPlan("alice", plan.plan_id())->state(), v1::PlanState::ACTIVE);
  EXPECT_THAT(ledger().Charge(ChargeRequestFor(plan, 2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("could not be read")));
  EXPECT_THAT(ledger().Reserve(testing::ReserveRequestFor("bob", 1, SmallPlan(1))),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("could not be read")));

  ASSERT_OK(custodian().AcknowledgeOverruns(kNotesVersion, 990000));
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->voided, 1) << "still stated";
  EXPECT_OK(ledger().Charge(ChargeRequestFor(plan, 2)));
  Reopen();
}

TEST_P(PrivacyLedgerContract, VoidedReleasesAndOverrunsTogetherPauseTheCorpus) {
  const auto run_late = [&](const v1::PlanState& plan, int iteration) {
    ASSERT_OK(ledger().Store(Noised(ledger().Charge(ChargeRequestFor(plan, iteration))),
                             SmallHeader(), kStatistics));
    ASSERT_OK(ledger().Publish(PublicationOf(plan, iteration, 2)));
  };
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  run_late(plan, 1);
  run_late(plan, 2);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  ASSERT_OK(ledger().Void(VoidingOf(ledger(), plan, 3, v1::ReleaseVoided::FAILED)));
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_PAUSED);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->unacknowledged_overruns, 3);
  ASSERT_OK(custodian().AcknowledgeOverruns(kNotesVersion, 990000));
  Reopen();
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->overruns, 2);
}

// A crash says nothing about how long the documents take.
TEST_P(PrivacyLedgerContract, RestartsAreCountedApartAndNeverPauseTheCorpus) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(6));
  for (int iteration = 1; iteration <= 4; ++iteration) {
    ASSERT_OK(ledger().Charge(ChargeRequestFor(plan, iteration)));
    Reopen();  // killed while it computes
    ASSERT_OK(ledger().Store(Noised(ledger().Charge(ChargeRequestFor(plan, iteration))),
                             SmallHeader(), kStatistics));
    Reopen();  // killed while it waits
    ASSERT_OK(ledger().RestartUnfinished(int64_t{10000} * iteration));
    ASSERT_OK(ledger().Publish(PublicationOf(plan, iteration)));
  }
  const auto corpus_status = ledger().StatusOfCorpus(kNotesVersion);
  EXPECT_EQ(corpus_status->restarts, 8);
  EXPECT_EQ(corpus_status->overruns, 0);
  EXPECT_EQ(corpus_status->unacknowledged_overruns, 0);
  EXPECT_EQ(corpus_status->state, v1::CORPUS_STATE_OPEN);
  EXPECT_OK(ledger().Charge(ChargeRequestFor(plan, 5)));
}

TEST_P(PrivacyLedgerContract, OnlyWhatIsChargedAndNotStoredCanBeVoided) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(3));
  Voiding voiding = VoidingOf(ledger(), plan, 1, v1::ReleaseVoided::FAILED);
  Voiding foreign = voiding;
  ++foreign.charge_id;
  EXPECT_THAT(ledger().Void(foreign), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK(ledger().Store(Noised(ledger().Charge(ChargeRequestFor(plan, 1))), SmallHeader(),
                           kStatistics));
  EXPECT_THAT(ledger().Void(voiding), StatusIs(absl::StatusCode::kFailedPrecondition));
  voiding.iteration = 2;
  EXPECT_THAT(ledger().Void(voiding), StatusIs(absl::StatusCode::kFailedPrecondition));

  auto late = ledger().Charge(ChargeRequestFor(plan, 3));
  ASSERT_OK(late);
  ASSERT_OK(ledger().Void({.plan_id = plan.plan_id(),
                           .iteration = 3,
                           .charge_id = std::get<ChargeReceipt>(*late).charge_id(),
                           .ground = v1::ReleaseVoided::FAILED,
                           .at_ms = 960000}));
  EXPECT_THAT(ledger().Store(Noised(std::move(late)), SmallHeader(), kStatistics),
              StatusIs(absl::StatusCode::kFailedPrecondition))
      << "whoever was too late cannot store any more";
}

}  // namespace privacy_ledger_voids_test
}  // namespace topicwall::ledger
