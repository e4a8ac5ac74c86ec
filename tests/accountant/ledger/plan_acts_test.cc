// What is not seen by the contract of ledgers, which runs with the fold in tests/server/ledger.
#include "accountant/ledger/plan_acts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "proto/release_spec.h"
#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using ::testing::ElementsAre;
using testing::StatusIs;

class PlanActsTest : public ::testing::Test {
 protected:
  PlanActsTest() {
    fold_.Open("a", "letters");
    fold_.Open("b", "notes");
    EXPECT_OK(fold_.Do(ReserveOf("alice", "z", "notes", 3)));
  }

  FoldForTests fold_;
};

TEST_F(PlanActsTest, AReservationIsWhatWasDecided) {
  const ReserveAct act = ReserveOf("bob", "q", "notes", 2);
  ASSERT_OK_AND_ASSIGN(const auto decided, Decide(fold_.state(), act));
  ASSERT_EQ(decided.events.size(), 1);
  EXPECT_EQ(decided.events.front().budget_id(), "b");
  EXPECT_EQ(decided.events.front().sequence(), fold_.budget("b").length() + 1);
  EXPECT_EQ(fold_.state().WithPlan("q"), nullptr) << "deciding changes nothing";
  ASSERT_OK_AND_ASSIGN(const auto admission, fold_.budget("b").policy().Admit(
                                                 *AskedEvent(act.plan), fold_.budget("b").spent()));
  fold_.Append(decided.events);
  EXPECT_EQ(fold_.budget("b").spent(), admission->spent_after);
  EXPECT_EQ(fold_.plan("q").state, v1::PlanState::ACTIVE);
  EXPECT_TRUE(proto::SameSpec(fold_.plan("q").terms.spec(), act.plan));
}

TEST_F(PlanActsTest, ACancelByTheCustodianIsTheAnalystsEntry) {
  EXPECT_THAT(fold_.Do(CancelAct{.plan_id = "z", .now_ms = 3000, .principal = "bob"}),
              StatusIs(absl::StatusCode::kPermissionDenied));
  ASSERT_OK_AND_ASSIGN(
      const auto decided,
      Decide(fold_.state(), CancelAct{.plan_id = "z", .now_ms = 3000, .principal = {}}));
  EXPECT_EQ(decided.front().principal(), "alice");
  fold_.Append(decided);
  ASSERT_OK_AND_ASSIGN(
      const auto again,
      Decide(fold_.state(), CancelAct{.plan_id = "z", .now_ms = 3000, .principal = {}}));
  EXPECT_TRUE(again.empty());
}

TEST_F(PlanActsTest, PlansExpireInTheOrderOfTheirReservation) {
  ASSERT_OK(fold_.Do(ReserveOf("bob", "a", "notes", 2)));
  ASSERT_OK(fold_.Do(ReserveOf("bob", "m", "notes", 2)));
  ASSERT_OK(fold_.Do(ChargeOf("bob", "m", 1)));
  const ExpireAct act = {.reservation_days = {{"notes", 9}}, .now_ms = 2000 + 9 * kMsPerDay};
  ExpireAct early = act;
  early.now_ms -= 1;
  EXPECT_TRUE(Decide(fold_.state(), early)->empty());
  ASSERT_OK_AND_ASSIGN(const auto decided, Decide(fold_.state(), act));
  ASSERT_EQ(decided.size(), 2) << "of one something was charged";
  EXPECT_EQ(decided[0].plan_cancelled().plan_id(), "z");
  EXPECT_EQ(decided[1].plan_cancelled().plan_id(), "a");
  fold_.Append(decided);
  EXPECT_TRUE(fold_.plan("z").expired);
}

// Of a corpus that is configured no more nobody asks: there its plans would stay for ever.
TEST_F(PlanActsTest, PlansOfEveryBudgetExpireEachAfterTheDaysOfItsCorpus) {
  fold_.Open("c", "mails");
  ASSERT_OK(fold_.Do(ReserveOf("bob", "mail", "mails", 2)));
  const auto expired = [this](std::map<std::string, int> days, int64_t day) {
    std::vector<std::string> plans;
    const auto decided = Decide(fold_.state(), ExpireAct{std::move(days), 2000 + day * kMsPerDay});
    for (const v1::LedgerEvent& event : *decided) {
      plans.push_back(event.plan_cancelled().plan_id());
    }
    return plans;
  };
  EXPECT_THAT(expired({{"notes", 1}}, 6), ElementsAre("z"));
  EXPECT_THAT(expired({{"notes", 8}}, 7), ElementsAre("mail")) << "configured nowhere";
  EXPECT_THAT(expired({{"notes", 8}, {"mails", 8}}, 8), ElementsAre("z", "mail"));
}

TEST_F(PlanActsTest, OnlyAnActivePlanIsPaused) {
  const PauseAct act = {.plan_id = "z", .iteration = 1, .at_ms = 9000};
  ASSERT_OK(fold_.Do(act));
  EXPECT_EQ(fold_.plan("z").state, v1::PlanState::PAUSED);
  ASSERT_OK_AND_ASSIGN(const auto again, Decide(fold_.state(), act));
  EXPECT_TRUE(again.empty());
  EXPECT_THAT(Decide(fold_.state(), PauseAct{.plan_id = "?", .iteration = 1, .at_ms = 1}),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::accountant::ledger
