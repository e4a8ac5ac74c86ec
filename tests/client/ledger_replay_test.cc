#include "client/ledger_replay.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/client/chain_builder.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

LedgerReplay Replay(ChainBuilder& chain) {
  v1::LedgerEvent event;
  event.ParseFromString(chain.entries()[0].event());
  LedgerReplay replay = *LedgerReplay::Create(event);
  for (size_t i = 1; i < chain.entries().size(); ++i) {
    event.ParseFromString(chain.entries()[i].event());
    replay.Apply(event);
  }
  return replay;
}

// One plan of ten iterations, two charged, one published.
ChainBuilder Begun() {
  ChainBuilder chain;
  chain.Reserve("alice", "plan", 20, 10);
  chain.Charge("alice", "plan", 1);
  chain.Charge("alice", "plan", 2);
  chain.Publish("alice", "plan", 1);
  return chain;
}

v1::LedgerEvent Thawed(v1::BudgetThawed::Ground ground) {
  v1::LedgerEvent event;
  event.mutable_budget_thawed()->set_ground(ground);
  return event;
}

v1::LedgerEvent Restored() {
  v1::LedgerEvent event;
  event.mutable_budget_restored()->set_epoch(1);
  return event;
}

TEST(LedgerReplayTest, SumsAreThoseOfTheFilterItself) {
  ChainBuilder chain = Begun();
  const LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  const auto admitted = chain.filter().Admit(chain.filter().NothingSpent(), chain.CostOf(20), 10);
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(replay.spent(), admitted->spent_after);
  EXPECT_EQ(replay.SpentBy("alice"), admitted->spent_after);
  EXPECT_EQ(replay.SpentBy("nobody"), chain.filter().NothingSpent());
}

TEST(LedgerReplayTest, ACancelGivesBackExactlyWhatWasNotCharged) {
  ChainBuilder chain = Begun();
  chain.Cancel("alice", "plan", 20, 8);
  const LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  EXPECT_EQ(replay.spent(), SpentAfter(chain.filter().NothingSpent(), chain.CostOf(20), 2));
}

struct Lie {
  std::string why;
  std::function<void(ChainBuilder&)> tell;
};

TEST(LedgerReplayTest, EveryContradictionIsAFindingAndLowersNothing) {
  const std::vector<Lie> lies = {
      {"second time",
       [](ChainBuilder& c) { c.Append(ChainBuilder::Reserved("alice", "plan", 20, 10)); }},
      {"never reserved", [](ChainBuilder& c) { c.Charge("alice", "ghost", 1); }},
      {"charged a second time", [](ChainBuilder& c) { c.Charge("alice", "plan", 2); }},
      {"not one of its plan", [](ChainBuilder& c) { c.Charge("alice", "plan", 11); }},
      {"not one of its plan", [](ChainBuilder& c) { c.Charge("alice", "plan", 0); }},
      {"not charged", [](ChainBuilder& c) { c.Publish("alice", "plan", 3); }},
      {"released a second time", [](ChainBuilder& c) { c.Publish("alice", "plan", 1); }},
      {"were not there", [](ChainBuilder& c) { c.Cancel("alice", "plan", 20, 9); }},
      {"opened a second time",
       [](ChainBuilder& c) {
         v1::LedgerEvent event;
         event.mutable_budget_opened();
         c.Append(event);
       }},
      {"does not know", [](ChainBuilder& c) { c.Append(v1::LedgerEvent()); }},
  };
  ChainBuilder honest = Begun();
  const accountant::CostVector spent = Replay(honest).spent();
  for (const Lie& lie : lies) {
    ChainBuilder chain = Begun();
    lie.tell(chain);
    const LedgerReplay replay = Replay(chain);
    EXPECT_THAT(replay.findings(),
                ElementsAre(::testing::AllOf(HasSubstr("entry 7"), HasSubstr(lie.why))));
    for (size_t i = 0; i < spent.size(); ++i) EXPECT_GE(replay.spent()[i], spent[i]) << lie.why;
  }
}

TEST(LedgerReplayTest, APlanBeyondTheBudgetIsFound) {
  ChainBuilder chain = Begun();
  chain.Reserve("bob", "huge", 1, 10);
  const LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), ElementsAre(HasSubstr("beyond the budget")));
}

TEST(LedgerReplayTest, APriceBelowWhatTheMechanismCostsIsFoundAndNotBelieved) {
  ChainBuilder chain;
  v1::LedgerEvent event = ChainBuilder::Reserved("alice", "cheap", 20, 10);
  const accountant::CostVector half = chain.CostOf(40);
  event.mutable_plan_reserved()->mutable_cost()->Assign(half.begin(), half.end());
  chain.Append(event);
  const LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), ElementsAre(HasSubstr("another price")));
  EXPECT_EQ(replay.spent(), SpentAfter(chain.filter().NothingSpent(), chain.CostOf(20), 10));
}

TEST(LedgerReplayTest, TermsWithoutAPriceSpendEverything) {
  ChainBuilder chain;
  chain.Append(ChainBuilder::Reserved("alice", "none", -1, 10));
  const LedgerReplay replay = Replay(chain);
  EXPECT_FALSE(replay.findings().empty());
  for (const uint64_t spent : replay.spent()) EXPECT_EQ(spent, accountant::kDeadOrder);
}

TEST(LedgerReplayTest, ForfeitingSpendsEverythingForGood) {
  ChainBuilder chain = Begun();
  chain.Append(Restored());
  chain.Append(Thawed(v1::BudgetThawed::FORFEITED));
  LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  EXPECT_TRUE(replay.forfeited());
  for (const uint64_t spent : replay.spent()) EXPECT_EQ(spent, accountant::kDeadOrder);
  chain.Reserve("bob", "later", 100, 1);
  EXPECT_THAT(Replay(chain).findings(), ElementsAre(HasSubstr("beyond the budget")));
}

TEST(LedgerReplayTest, BetweenRestoreAndThawLostPlansAreTakenOverEvenBeyondTheBudget) {
  ChainBuilder chain = Begun();
  chain.Append(Restored());
  chain.Reserve("bob", "lost", 5, 10);
  chain.Append(Thawed(v1::BudgetThawed::EVENTS_APPENDED));
  EXPECT_THAT(Replay(chain).findings(), IsEmpty());
  chain.Reserve("bob", "new", 5, 1);
  EXPECT_THAT(Replay(chain).findings(), ElementsAre(HasSubstr("beyond the budget")));
}

TEST(LedgerReplayTest, TheCustodiansActsOnUnseenPlansAreNoFindings) {
  ChainBuilder chain = Begun();
  LedgerReplay replay = Replay(chain);
  v1::LedgerEvent event;
  event.set_sequence(8);
  event.mutable_plan_cancelled()->set_plan_id("of somebody else");
  replay.ApplyUnseen();
  replay.Apply(event);
  EXPECT_THAT(replay.findings(), IsEmpty());
  event.set_principal("alice");
  replay.Apply(event);
  EXPECT_THAT(replay.findings(), ElementsAre(HasSubstr("never reserved")));
}

TEST(LedgerReplayTest, ALedgerThatDoesNotBeginWithItsOpeningIsDataLoss) {
  EXPECT_THAT(LedgerReplay::Create(ChainBuilder::Reserved("alice", "p", 1, 1)),
              StatusIs(absl::StatusCode::kDataLoss));
  v1::LedgerEvent unusable;
  unusable.mutable_budget_opened()->mutable_filter()->set_epsilon(-1);
  EXPECT_THAT(LedgerReplay::Create(unusable),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("unusable filter")));
}

TEST(IsSamePriceTest, AllowsTheRoundingOfAnotherVersionAndNoMore) {
  EXPECT_TRUE(IsSamePrice(1, 2));
  EXPECT_FALSE(IsSamePrice(1, 3));
  EXPECT_TRUE(IsSamePrice(10'000'000, 10'000'009));
  EXPECT_FALSE(IsSamePrice(10'000'000, 10'000'011));
  EXPECT_TRUE(IsSamePrice(accountant::kDeadOrder, accountant::kDeadOrder));
  EXPECT_FALSE(IsSamePrice(accountant::kDeadOrder, accountant::kDeadOrder - 1));
}

}  // namespace
}  // namespace topicwall::client
