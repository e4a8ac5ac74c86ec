#include "client/audit/ledger_replay.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/client/chain_builder.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace ledger_replay_test {

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

// Of ten iterations two were charged.
void CancelTooMany(ChainBuilder& chain) {
  v1::LedgerEvent event;
  event.set_principal("alice");
  event.mutable_plan_cancelled()->set_plan_id("plan");
  event.mutable_plan_cancelled()->set_iterations_returned(9);
  chain.Append(event);
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
  const accountant::BudgetFilter& filter = *chain.policy().filter();
  const auto admitted = filter.Admit(filter.NothingSpent(), chain.CostOf(20), 10);
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(replay.spent(), admitted->spent_after);
  EXPECT_EQ(replay.SpentBy("alice"), admitted->spent_after);
  EXPECT_EQ(replay.SpentBy("nobody"), filter.NothingSpent());
}

TEST(LedgerReplayTest, ACancelGivesBackExactlyWhatWasNotCharged) {
  ChainBuilder chain = Begun();
  chain.Cancel("alice", "plan", 8);
  const LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  EXPECT_EQ(replay.spent(),
            chain.policy().Spending({.cost = chain.CostOf(20), .iterations = 10}, 2));
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
      {"without saying for which key",
       [](ChainBuilder& c) {
         v1::LedgerEvent event;
         event.set_principal("alice");
         event.mutable_iteration_charged()->set_plan_id("plan");
         event.mutable_iteration_charged()->set_iteration(3);
         c.Append(event);
       }},
      {"not charged", [](ChainBuilder& c) { c.Publish("alice", "plan", 3); }},
      {"released after it ended", [](ChainBuilder& c) { c.Publish("alice", "plan", 1); }},
      {"were not there", [](ChainBuilder& c) { CancelTooMany(c); }},
      {"expired that was charged for",
       [](ChainBuilder& c) {
         v1::LedgerEvent event;
         event.set_principal("alice");
         event.mutable_plan_cancelled()->set_plan_id("plan");
         event.mutable_plan_cancelled()->set_expired(true);
         c.Append(event);
       }},
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

v1::LedgerEvent Charged(int iteration, int64_t interval_ms) {
  v1::LedgerEvent event;
  event.set_principal("alice");
  event.mutable_iteration_charged()->set_plan_id("plan");
  event.mutable_iteration_charged()->set_iteration(iteration);
  event.mutable_iteration_charged()->mutable_protection()->set_release_interval_ms(interval_ms);
  event.mutable_iteration_charged()->set_release_key_sha256(std::string(32, 'k'));
  return event;
}

v1::LedgerEvent Published(int iteration, int intervals) {
  v1::LedgerEvent event;
  event.set_principal("alice");
  event.mutable_release_published()->set_plan_id("plan");
  event.mutable_release_published()->set_iteration(iteration);
  event.mutable_release_published()->set_intervals_waited(intervals);
  return event;
}

v1::LedgerEvent Voided(int iteration) {
  v1::LedgerEvent event;
  event.set_principal("alice");
  event.mutable_release_voided()->set_plan_id("plan");
  event.mutable_release_voided()->set_iteration(iteration);
  event.mutable_release_voided()->set_ground(v1::ReleaseVoided::UNREADABLE_DATA);
  return event;
}

v1::LedgerEvent Restarted(int iteration, std::optional<int64_t> interval_ms = std::nullopt) {
  v1::LedgerEvent event;
  event.set_principal("alice");
  event.mutable_release_restarted()->set_plan_id("plan");
  event.mutable_release_restarted()->set_iteration(iteration);
  if (interval_ms.has_value()) {
    event.mutable_release_restarted()->mutable_protection()->set_release_interval_ms(*interval_ms);
  }
  return event;
}

TEST(LedgerReplayTest, OverrunsRestartsAndVoidedReleasesAreCountedAgain) {
  ChainBuilder chain = Begun();  // 2 is under way
  chain.Append(Restarted(2));
  chain.Append(Published(2, 4));  // charged without a word about its schedule
  chain.Append(Charged(3, 1000));
  chain.Append(Published(3, 1));
  chain.Append(Charged(4, 1000));
  chain.Append(Restarted(4));
  chain.Append(Published(4, 16));
  chain.Append(Charged(5, 1000));
  chain.Append(Voided(5));
  chain.Append(Charged(6, 0));
  chain.Append(Published(6, 0));
  const LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  EXPECT_EQ(replay.timing().overruns, 2);
  EXPECT_EQ(replay.timing().restarts, 2);
  EXPECT_EQ(replay.timing().voided, 1);
  EXPECT_EQ(replay.Plans()[0].charged, 6) << "a voided iteration is paid";
  EXPECT_EQ(replay.Plans()[0].voided, 1);
}

// Whoever set the configuration back again is no forger, and is not accused.
TEST(LedgerReplayTest, AReleaseEndsOnOneOfTheSchedulesThatItWasBegunOn) {
  const auto findings = [](int64_t charged_ms, std::optional<int64_t> restarted_ms, int waited) {
    ChainBuilder chain = Begun();
    chain.Append(Charged(3, charged_ms));
    chain.Append(Restarted(3, restarted_ms));
    chain.Append(Published(3, waited));
    return Replay(chain).findings();
  };
  EXPECT_THAT(findings(1000, 0, 0), IsEmpty());
  EXPECT_THAT(findings(0, 1000, 1), IsEmpty());
  EXPECT_THAT(findings(1000, std::nullopt, 0), IsEmpty()) << "nobody knows";
  for (const auto& wrong : {findings(1000, 2000, 0), findings(0, 0, 1), findings(1000, 0, 3)}) {
    EXPECT_THAT(wrong, ElementsAre(HasSubstr("no instant of its schedule")));
  }
}

TEST(LedgerReplayTest, ReleasesThatCannotHaveEndedSoAreFound) {
  const std::vector<Lie> lies = {
      {"no instant of its schedule", [](ChainBuilder& c) { c.Append(Published(3, 3)); }},
      {"no instant of its schedule", [](ChainBuilder& c) { c.Append(Published(3, 32)); }},
      {"no instant of its schedule", [](ChainBuilder& c) { c.Append(Published(3, 0)); }},
      {"voided, but was not charged", [](ChainBuilder& c) { c.Append(Voided(4)); }},
      {"voided after it ended", [](ChainBuilder& c) { c.Append(Voided(1)); }},
      {"waiting again after it ended", [](ChainBuilder& c) { c.Append(Restarted(1)); }},
      {"never reserved",
       [](ChainBuilder& c) {
         v1::LedgerEvent event = Voided(1);
         event.mutable_release_voided()->set_plan_id("ghost");
         c.Append(event);
       }},
      {"expired that was charged for",
       [](ChainBuilder& c) {
         v1::LedgerEvent event;
         event.mutable_plan_cancelled()->set_plan_id("plan");
         event.mutable_plan_cancelled()->set_expired(true);
         c.Append(event);
       }},
  };
  for (const Lie& lie : lies) {
    ChainBuilder chain = Begun();
    chain.Append(Charged(3, 1000));
    lie.tell(chain);
    EXPECT_THAT(Replay(chain).findings(),
                ElementsAre(::testing::AllOf(HasSubstr("entry 8"), HasSubstr(lie.why))))
        << lie.why;
  }
}

TEST(LedgerReplayTest, TheSumOverBudgetsMustAddUp) {
  ChainBuilder chain = Begun();
  chain.TellSum(chain.SumWith(2, 1e-6));
  LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  EXPECT_DOUBLE_EQ(replay.sum().epsilon(), 4.44);
  v1::BudgetSum less = chain.SumWith(2, 1e-6);
  less.set_epsilon(4.4);
  chain.TellSum(less);
  EXPECT_THAT(Replay(chain).findings(), ElementsAre(HasSubstr("it is 4.44")));
  ChainBuilder other = Begun();
  less = other.SumWith(2, 1e-6);
  less.set_delta(less.delta() / 2);
  other.TellSum(less);
  EXPECT_THAT(Replay(other).findings(), ElementsAre(HasSubstr("it is 4.44")));
}

TEST(LedgerReplayTest, WhatWasLeftIsSpentIfNotEverybodyShowedAReceipt) {
  ChainBuilder chain = Begun();
  chain.Append(Restored());
  v1::LedgerEvent thawed = Thawed(v1::BudgetThawed::HEAD_CONFIRMED);
  thawed.mutable_budget_thawed()->set_forfeited_unseen(true);
  chain.Append(thawed);
  EXPECT_TRUE(Replay(chain).forfeited());
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
  EXPECT_EQ(replay.spent(),
            chain.policy().Spending({.cost = chain.CostOf(20), .iterations = 10}, 10));
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

// Vouchers (40, 1) × 6 and (20, 1) × 4: seven drawn by alice, two charged, one by bob.
ChainBuilder DrawnFrom() {
  ChainBuilder chain(ChainBuilder::Vouchers());
  chain.Reserve("alice", "plan", 40, 7);
  chain.Charge("alice", "plan", 1);
  chain.Charge("alice", "plan", 4);
  chain.Reserve("bob", "other", 30, 1);
  return chain;
}

v1::LedgerEvent Drawing(const std::string& plan_id, double noise_multiplier, int iterations,
                        const accountant::CostVector& drawn) {
  v1::LedgerEvent event = ChainBuilder::Reserved("carol", plan_id, noise_multiplier, iterations);
  event.mutable_plan_reserved()->mutable_cost()->Assign(drawn.begin(), drawn.end());
  return event;
}

TEST(LedgerReplayTest, VouchersAreCountedAndComeBackAsTheRuleSays) {
  ChainBuilder chain = DrawnFrom();
  LedgerReplay replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  EXPECT_THAT(replay.spent(), ElementsAre(6, 2));
  EXPECT_THAT(replay.SpentBy("bob"), ElementsAre(0, 1));
  chain.Cancel("alice", "plan", 5);
  replay = Replay(chain);
  EXPECT_THAT(replay.findings(), IsEmpty());
  EXPECT_THAT(replay.spent(), ElementsAre(2, 1));
  const std::vector<AuditedPlan> plans = replay.Plans();
  EXPECT_EQ(plans[0].epsilon_upper_bound, chain.policy().EpsilonUpperBound({2, 0}));
  EXPECT_EQ(plans[1].epsilon_upper_bound, chain.policy().EpsilonUpperBound({0, 1}));
}

TEST(LedgerReplayTest, VouchersThatDoNotPayForTheirPlanAreFoundAndSpendEverything) {
  for (const accountant::CostVector& drawn :
       {accountant::CostVector{1, 0}, {0, 2}, {}, {0}, {0, 0}}) {
    ChainBuilder chain = DrawnFrom();
    chain.Append(Drawing("p", 30, 1, drawn));
    const LedgerReplay replay = Replay(chain);
    ASSERT_FALSE(replay.findings().empty());
    EXPECT_THAT(replay.findings()[0], HasSubstr("do not pay"));
    EXPECT_EQ(replay.spent(), chain.policy().EverythingSpent());
  }
}

TEST(LedgerReplayTest, MoreVouchersThanThereAreAndOthersThanTheRuleDrawsAreFound) {
  ChainBuilder beyond = DrawnFrom();
  beyond.Append(Drawing("p", 30, 3, {0, 3}));
  EXPECT_THAT(Replay(beyond).findings(), ElementsAre(HasSubstr("beyond the budget")));
  ChainBuilder greedy(ChainBuilder::Vouchers());
  greedy.Append(Drawing("p", 40, 1, {0, 1}));
  EXPECT_THAT(Replay(greedy).findings(), ElementsAre(HasSubstr("other vouchers than the rule")));
}

TEST(LedgerReplayTest, WithUnseenPlansTheRuleCannotBeCheckedAndTheVouchersStillAre) {
  ChainBuilder chain(ChainBuilder::Vouchers());
  LedgerReplay replay = Replay(chain);
  replay.ApplyUnseen();  // may have drawn all (40, 1)
  replay.Apply(Drawing("p", 40, 1, {0, 1}));
  EXPECT_THAT(replay.findings(), IsEmpty());
  replay.Apply(Drawing("q", 30, 1, {1, 0}));
  EXPECT_THAT(replay.findings(), ::testing::Contains(HasSubstr("do not pay")));
}

TEST(LedgerReplayTest, LostDrawsAreTakenOverEvenBeyondTheirKind) {
  ChainBuilder chain = DrawnFrom();
  chain.Append(Restored());
  chain.Append(Drawing("lost", 20, 4, {0, 4}));
  chain.Append(Thawed(v1::BudgetThawed::EVENTS_APPENDED));
  EXPECT_THAT(Replay(chain).findings(), IsEmpty());
  chain.Append(Drawing("new", 20, 1, {0, 1}));
  EXPECT_THAT(Replay(chain).findings(), ElementsAre(HasSubstr("beyond the budget")));
}

TEST(LedgerReplayTest, ALedgerThatDoesNotBeginWithItsOpeningIsDataLoss) {
  EXPECT_THAT(LedgerReplay::Create(ChainBuilder::Reserved("alice", "p", 1, 1)),
              StatusIs(absl::StatusCode::kDataLoss));
  v1::LedgerEvent unusable;
  unusable.mutable_budget_opened()->mutable_filter()->set_epsilon(-1);
  EXPECT_THAT(LedgerReplay::Create(unusable),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("unusable policy")));
}

TEST(IsSamePriceTest, AllowsTheRoundingOfAnotherVersionAndNoMore) {
  EXPECT_TRUE(IsSamePrice(1, 2));
  EXPECT_FALSE(IsSamePrice(1, 3));
  EXPECT_TRUE(IsSamePrice(10'000'000, 10'000'009));
  EXPECT_FALSE(IsSamePrice(10'000'000, 10'000'011));
  EXPECT_TRUE(IsSamePrice(accountant::kDeadOrder, accountant::kDeadOrder));
  EXPECT_FALSE(IsSamePrice(accountant::kDeadOrder, accountant::kDeadOrder - 1));
}

}  // namespace ledger_replay_test
}  // namespace topicwall::client
