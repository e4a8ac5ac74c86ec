// What the private row of a charge decides. The rest is shown by the contract of ledgers, which
// runs with the fold in tests/server/ledger.
#include "accountant/ledger/charge_acts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using Kept = OpenCharge::Kept;
using Outcome = ChargeDecision::Outcome;
using ::testing::HasSubstr;
using testing::StatusIs;

class ChargeActsTest : public ::testing::Test {
 protected:
  ChargeActsTest() {
    fold_.Open("b", "notes");
    EXPECT_OK(fold_.Do(ReserveOf("alice", "p", "notes", 3)));
    EXPECT_OK(fold_.Do(ChargeOf("alice", "p", 1)));
  }

  absl::StatusOr<ChargeDecision> Again(OpenCharge open) {
    ChargeAct act = ChargeOf("alice", "p", 1, open);
    act.now_ms = 7000;
    return Decide(fold_.state(), act);
  }
  VoidAct VoidOf(OpenCharge open) {
    return {{.plan_id = "p",
             .iteration = 1,
             .charge_id = fold_.plan("p").charges.at(1).sequence,
             .ground = v1::ReleaseVoided::FAILED,
             .at_ms = 9000},
            open};
  }

  FoldForTests fold_;
};

TEST_F(ChargeActsTest, AChargeKeepsWhatItWasAskedFor) {
  ChargeAct act = ChargeOf("alice", "p", 2);
  act.protection = ProtectionOf(700, 7);
  act.release_key_sha256 = std::string(32, 'y');
  ASSERT_OK(fold_.Do(act));
  const v1::IterationCharged& terms = fold_.plan("p").charges.at(2).terms;
  EXPECT_EQ(terms.request_digest(), act.request_digest);
  EXPECT_EQ(terms.protection().SerializeAsString(), act.protection.SerializeAsString());
  EXPECT_EQ(terms.computed_with().SerializeAsString(), act.computed_with.SerializeAsString());
  EXPECT_EQ(terms.release_key_sha256(), act.release_key_sha256);
}

// The configuration may have been changed in between, and be changed back.
TEST_F(ChargeActsTest, WhatIsComputedAgainSaysUnderWhatAndWhatIsStoredKeepsWhatItHad) {
  ChargeAct act = ChargeOf("alice", "p", 1, kKeyKept);
  act.protection = ProtectionOf(0, 0);
  ASSERT_OK_AND_ASSIGN(const auto again, Decide(fold_.state(), act));
  EXPECT_EQ(again.events.at(0).release_restarted().protection().SerializeAsString(),
            act.protection.SerializeAsString());
  ASSERT_OK(fold_.Do(act));
  const Charge& charge = fold_.plan("p").charges.at(1);
  EXPECT_EQ(charge.interval_ms(), 0);
  EXPECT_EQ(fold_.budget("b").life().unprotected, 1);
  EXPECT_EQ(fold_.budget("b").life().fewest_free_processors, 0);
  ASSERT_OK_AND_ASSIGN(const auto stored, Decide(fold_.state(), RestartAct{{{"p", 1}}, 5000}));
  EXPECT_EQ(stored.at(0).release_restarted().protection().SerializeAsString(),
            act.protection.SerializeAsString());
}

TEST_F(ChargeActsTest, AKeyThatIsKeptComputesAgainSoOftenAndNoMore) {
  for (int time = 1; time <= kMaxRecomputations; ++time) {
    ASSERT_OK_AND_ASSIGN(const auto again, Again({.kept = Kept::kKey}));
    EXPECT_EQ(again.outcome, Outcome::kComputedAgain);
    ASSERT_EQ(again.events.size(), 1);
    EXPECT_TRUE(again.events[0].has_release_restarted());
    fold_.Append(again.events);
    EXPECT_EQ(fold_.plan("p").charges.at(1).begun_at_ms(), 7000);
    EXPECT_EQ(fold_.budget("b").life().restarts, time);
  }
  ASSERT_OK_AND_ASSIGN(const auto last, Again({.kept = Kept::kKey}));
  EXPECT_EQ(last.outcome, Outcome::kGivenUp);
  EXPECT_TRUE(last.events.empty());
}

// A second release from the same key, of another sum: the difference of the two has no noise.
TEST_F(ChargeActsTest, WhatWouldComputeAnotherReleaseIsRefusedUntilItIsPutBack) {
  const std::pair<const char*, void (*)(v1::ComputedWith&)> others[] = {
      {"kernel", [](v1::ComputedWith& with) { with.set_kernel_name("avx2"); }},
      {"build", [](v1::ComputedWith& with) { with.set_build("another build"); }},
      {"cap", [](v1::ComputedWith& with) { with.set_max_documents_per_unit(4); }},
      {"nothing is said", [](v1::ComputedWith& with) { with.Clear(); }}};
  for (const auto& [name, change] : others) {
    SCOPED_TRACE(name);
    ChargeAct act = ChargeOf("alice", "p", 1, kKeyKept);
    act.now_ms = 7000;
    change(act.computed_with);
    EXPECT_THAT(Decide(fold_.state(), act),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("put that back")));
    act.open = kStored;
    ASSERT_OK_AND_ASSIGN(const auto stored, Decide(fold_.state(), act));
    EXPECT_EQ(stored.outcome, Outcome::kAwaiting) << "what is there needs no computing";
  }
  ASSERT_OK_AND_ASSIGN(const auto same, Again(kKeyKept));
  EXPECT_EQ(same.outcome, Outcome::kComputedAgain);
}

TEST_F(ChargeActsTest, WithoutAKeyNothingIsComputed) {
  EXPECT_THAT(Again({}), StatusIs(absl::StatusCode::kDataLoss));
  ASSERT_OK_AND_ASSIGN(const auto damaged, Again({.kept = Kept::kDamagedKey}));
  EXPECT_EQ(damaged.outcome, Outcome::kGivenUp);
  ASSERT_OK_AND_ASSIGN(const auto stored, Again(kStored));
  EXPECT_EQ(stored.outcome, Outcome::kAwaiting);
  EXPECT_EQ(stored.begun_at_ms, 3000);
  EXPECT_TRUE(damaged.events.empty() && stored.events.empty());
}

TEST_F(ChargeActsTest, WhatIsComputedIsToldAtItsInstantAlone) {
  PublishAct publish = PublishOf("p", 1);
  for (const Kept kept : {Kept::kNothing, Kept::kKey, Kept::kDamagedKey}) {
    publish.open.kept = kept;
    EXPECT_THAT(Decide(fold_.state(), publish), StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  EXPECT_THAT(Decide(fold_.state(), VoidOf(kStored)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(Decide(fold_.state(), VoidOf({})), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK(fold_.Do(PublishOf("p", 1)));
  ASSERT_OK_AND_ASSIGN(const auto again, Again({}));
  EXPECT_EQ(again.outcome, Outcome::kPublished);
}

TEST_F(ChargeActsTest, AFailurePausesItsPlanAndIsOneChargesOwn) {
  VoidAct other = VoidOf(kKeyKept);
  other.charge_id += 1;
  EXPECT_THAT(Decide(fold_.state(), other), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK_AND_ASSIGN(const auto decided, Decide(fold_.state(), VoidOf(kKeyKept)));
  ASSERT_EQ(decided.size(), 2);
  EXPECT_TRUE(decided[1].has_plan_paused());
  EXPECT_EQ(decided[1].sequence(), decided[0].sequence() + 1);
  fold_.Append(decided);
  EXPECT_EQ(fold_.plan("p").state, v1::PlanState::PAUSED);
  EXPECT_THAT(Again(kKeyKept), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(ChargeActsTest, NothingIsComputedAgainWhileTheCorpusIsPaused) {
  ASSERT_OK(fold_.Do(ChargeOf("alice", "p", 2)));
  const VoidAct unreadable = {{.plan_id = "p",
                               .iteration = 2,
                               .charge_id = fold_.plan("p").charges.at(2).sequence,
                               .ground = v1::ReleaseVoided::UNREADABLE_DATA,
                               .at_ms = 9000},
                              kKeyKept};
  ASSERT_OK(fold_.Do(unreadable));
  EXPECT_EQ(fold_.plan("p").state, v1::PlanState::ACTIVE);
  EXPECT_THAT(Again(kKeyKept),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("paused")));
  // What is stored needs no document.
  ASSERT_OK_AND_ASSIGN(const auto stored, Again(kStored));
  EXPECT_EQ(stored.outcome, Outcome::kAwaiting);
}

TEST_F(ChargeActsTest, NothingPendingGoesOnWhileTheLedgerIsFrozen) {
  fold_.Append(Decide(fold_.state(), RestoreAct{.epoch = 2, .now_ms = 8000}));
  const auto is_frozen = [] {
    return StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("frozen"));
  };
  EXPECT_THAT(Again(kStored), is_frozen());
  EXPECT_THAT(Again(kKeyKept), is_frozen());
  EXPECT_THAT(Decide(fold_.state(), PublishOf("p", 1)), is_frozen());
  EXPECT_THAT(Decide(fold_.state(), VoidOf(kKeyKept)), is_frozen());
}

TEST_F(ChargeActsTest, AtAStartFrozenBudgetsAreLeftAloneAndForeignRowsAreFound) {
  const RestartAct act = {.stored = {{.plan_id = "p", .iteration = 1}}, .now_ms = 8000};
  EXPECT_EQ(Decide(fold_.state(), act)->size(), 1);
  EXPECT_THAT(Decide(fold_.state(),
                     RestartAct{.stored = {{.plan_id = "p", .iteration = 2}}, .now_ms = 8000}),
              StatusIs(absl::StatusCode::kNotFound));
  fold_.Append(Decide(fold_.state(), RestoreAct{.epoch = 2, .now_ms = 8000}));
  EXPECT_TRUE(Decide(fold_.state(), act)->empty());
}

}  // namespace
}  // namespace topicwall::accountant::ledger
