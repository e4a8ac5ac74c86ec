#include "client/audit/chain_replay.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "client/audit/enforced_price.h"
#include "tests/client/chain_builder.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace chain_replay_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

ChainReplay Taken(const std::vector<v1::LedgerEntry>& entries) {
  ChainReplay replay;
  for (const v1::LedgerEntry& entry : entries) EXPECT_OK(replay.Take(entry));
  return replay;
}

TEST(ChainReplayTest, WhatIsSeenIsAddedUpAndACommitmentAloneIsCounted) {
  ChainBuilder chain;
  chain.Reserve("alice", "a", 20, 10);
  chain.Reserve("bob", "b", 20, 10);
  const ChainReplay all = Taken(chain.entries());
  EXPECT_EQ(all.unseen(), 0);
  ASSERT_NE(all.event(), nullptr);
  EXPECT_EQ(all.event()->plan_reserved().plan_id(), "b");
  EXPECT_EQ(all.spent_before(), all.replay().SpentBy("alice"));
  const ChainReplay alice = Taken(chain.SeenBy("alice"));
  EXPECT_EQ(alice.unseen(), 1);
  EXPECT_EQ(alice.event(), nullptr);
  EXPECT_EQ(alice.replay().spent(), all.replay().SpentBy("alice"));
  EXPECT_THAT(alice.replay().findings(), IsEmpty());
}

// Taken for unseen, it could be anything, and nobody would be told.
TEST(ChainReplayTest, AnEventThatIsSeenAndSaysNothingIsAFinding) {
  ChainBuilder chain;
  chain.Append(v1::LedgerEvent());
  const ChainReplay replay = Taken(chain.entries());
  EXPECT_EQ(replay.unseen(), 0);
  EXPECT_THAT(replay.replay().findings(), ElementsAre(HasSubstr("does not know")));
}

TEST(ChainReplayTest, AnEntryWhoseHashDoesNotHoldIsDataLoss) {
  ChainBuilder chain;
  chain.Reserve("alice", "a", 20, 10);
  ChainReplay replay = Taken({chain.entries()[0], chain.entries()[1]});
  v1::LedgerEntry spoiled = chain.entries()[2];
  spoiled.mutable_event()->back() ^= 1;
  EXPECT_THAT(replay.Take(spoiled), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(ChainReplay().empty());
}

TEST(NotedPriceTest, IsThatOfItsPlansTogetherOrTold) {
  ChainBuilder chain;
  chain.Reserve("alice", "words", 40, 1);
  chain.Reserve("bob", "his", 20, 3);
  chain.Reserve("alice", "topics", 40.000001, 9);
  const ChainReplay replay = Taken(chain.entries());
  const v1::ReleaseSpec all = ChainBuilder::Reserved("", "", 40, 10).plan_reserved().spec();
  const double alone = *PriceAlone(chain.policy(), all);
  NotedPrice noted = {
      .what = "the model", .plan_ids = {"topics", "words"}, .epsilon = alone, .delta = 1e-6};
  EXPECT_EQ(DifferenceOf(noted, replay), "");
  noted.delta = 1e-12;
  EXPECT_THAT(DifferenceOf(noted, replay),
              HasSubstr("alone at delta 1e-12; by the ledger its plans cost epsilon "));
  noted.delta = 1e-6;
  noted.epsilon = alone / 2;
  EXPECT_THAT(DifferenceOf(noted, replay), HasSubstr("the model says that it cost"));
  // Of one of them alone nothing is said, and of none.
  EXPECT_EQ(DifferenceOf(noted, Taken(chain.SeenBy("bob"))), "");
  noted.plan_ids.push_back("of another budget");
  EXPECT_EQ(DifferenceOf(noted, replay), "");
  noted.plan_ids.clear();
  EXPECT_EQ(DifferenceOf(noted, replay), "");
}

// A fit that goes on notes the sum anew, and so any that was told since is right.
TEST(NotedPriceTest, HasASumThatTheChainToldWhenItsPlansWereReservedOrSince) {
  ChainBuilder chain;
  chain.TellSum(chain.SumWith(1, 1e-6));
  chain.TellSum(chain.SumWith(2, 1e-6));
  chain.Reserve("alice", "a", 40, 10);
  chain.TellSum(chain.SumWith(3, 1e-6));
  const ChainReplay replay = Taken(chain.entries());
  const v1::ReleaseSpec spec = ChainBuilder::Reserved("", "", 40, 10).plan_reserved().spec();
  NotedPrice noted = {.what = "the model",
                      .plan_ids = {"a"},
                      .epsilon = *PriceAlone(chain.policy(), spec),
                      .delta = 1e-6};
  EXPECT_EQ(DifferenceOf(noted, replay), "") << "a file that notes none";
  for (const double epsilon : {2, 3}) {
    noted.sum = chain.SumWith(epsilon, 1e-6);
    EXPECT_EQ(DifferenceOf(noted, replay), "") << epsilon;
  }
  noted.sum = chain.SumWith(1, 1e-6);
  EXPECT_THAT(DifferenceOf(noted, replay), HasSubstr("when its plans were reserved"));
  noted.sum = v1::BudgetSum();
  EXPECT_THAT(DifferenceOf(noted, replay), HasSubstr("there is no other; when its plans"));
  EXPECT_EQ(DifferenceOf(noted, Taken(chain.SeenBy("bob"))), "");
  ChainBuilder silent;  // of an earlier version
  silent.Reserve("alice", "a", 40, 10);
  EXPECT_EQ(DifferenceOf(noted, Taken(silent.entries())), "");
  noted.sum = chain.SumWith(1, 1e-6);
  EXPECT_THAT(DifferenceOf(noted, Taken(silent.entries())), HasSubstr("told nothing of any"));
  EXPECT_EQ(DifferenceOf(noted, Taken(silent.SeenBy("bob"))), "");
}

}  // namespace chain_replay_test
}  // namespace topicwall::client
