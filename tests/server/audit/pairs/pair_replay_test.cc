#include "server/audit/pairs/pair_replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/audit/pairs/replay_world.h"

namespace topicwall::audit {
namespace {

// What is promised of every pair.
void ExpectHolds(const ReplayedPair& replayed) {
  EXPECT_TRUE(replayed.within_bound);
  EXPECT_TRUE(replayed.histogram_within_bound);
  EXPECT_TRUE(replayed.independent);
  EXPECT_TRUE(replayed.repeatable);
  EXPECT_TRUE(replayed.released_as_summed);
}

using PairReplayTest = ReplayWorld;

TEST_F(PairReplayTest, EveryPairByNameHoldsAndHasAName) {
  std::set<std::string> names;
  bool somebody_stays = false;
  for (const NeighbouringPair& pair : PairsByName()) {
    EXPECT_TRUE(names.insert(pair.name).second) << pair.name;
    const auto replayed = replay_->Run(pair);
    ASSERT_OK(replayed) << pair.name;
    SCOPED_TRACE(pair.name);
    ExpectHolds(*replayed);
    if (pair.arrives_at_full_length) {
      EXPECT_TRUE(replayed->full_length) << pair.name;
      EXPECT_TRUE(replayed->moved) << pair.name;
      EXPECT_EQ(replayed->histogram_length, 1) << pair.name;
    }
    somebody_stays |= !replayed->moved;
  }
  EXPECT_TRUE(somebody_stays) << "an empty batch was among them";
}

TEST_F(PairReplayTest, EveryPairByNameHoldsWhenSomethingElseIsAskedOfIt) {
  for (const auto of : {AlongOf, EvaluationOf, MixtureOf, MixtureEvaluationOf, GaussianOf,
                        LikelihoodOf, PrevalenceOf, LengthsOf}) {
    bool full_length = false;
    for (const NeighbouringPair& named : PairsByName()) {
      const NeighbouringPair pair = of(named);
      const auto replayed = replay_->Run(pair);
      ASSERT_OK(replayed) << pair.name;
      SCOPED_TRACE(pair.name);
      ExpectHolds(*replayed);
      full_length |= replayed->full_length;
    }
    EXPECT_TRUE(full_length) << "some were clipped";
  }
}

// Held out at a share, the unit is in the sum of one side and in none of the other: those without
// it are the same.
TEST_F(PairReplayTest, AUnitMovesTrainingOrEvaluationAndNeverBoth) {
  int trained = 0;
  for (int i = 0; i < 30; ++i) {
    NeighbouringPair training = PairsByName()[0];
    training.unit[0].id = absl::StrCat("unit-", i);
    training.mechanism.held_out_share = 0.5;
    NeighbouringPair evaluation = EvaluationOf(training);
    evaluation.mechanism.held_out_share = 0.5;
    ASSERT_OK_AND_ASSIGN(const auto one, replay_->Run(training));
    ASSERT_OK_AND_ASSIGN(const auto other, replay_->Run(evaluation));
    EXPECT_NE(one.moved, other.moved) << i;
    trained += one.moved ? 1 : 0;
  }
  EXPECT_GT(trained, 0);  // each false alarm 2^-30
  EXPECT_LT(trained, 30);
}

TEST_F(PairReplayTest, LengthsAreThoseOfTheUnit) {
  NeighbouringPair pair = PairsByName()[0];
  pair.unit[0].counts = {{1, 5}};  // a tenth of the clip norm
  ASSERT_OK_AND_ASSIGN(const auto replayed, replay_->Run(pair));
  EXPECT_NEAR(replayed.length, 0.1, 1e-8);
  EXPECT_FALSE(replayed.full_length);
  // Its topic has eight words alike, so that an eighth of its square lies along it, of which noise
  // five times as large leaves a 26th.
  ASSERT_OK_AND_ASSIGN(const auto along, replay_->Run(AlongOf(pair)));
  EXPECT_NEAR(along.length, 0.1 * std::sqrt(1 - 25.0 / 26 / 8), 1e-4);
}

TEST_F(PairReplayTest, DirectionNoiseIsOfPairsWhoseModelHasDirections) {
  NeighbouringPair pair = EvaluationOf(PairsByName()[0]);
  pair.direction_noise = 5;
  EXPECT_THAT(replay_->Run(pair), testing::StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(PairReplayTest, APairBeyondTheLimitsIsAnError) {
  NeighbouringPair pair = PairsByName()[0];
  pair.clip_norm = 0;
  EXPECT_FALSE(replay_->Run(pair).ok());
}

}  // namespace
}  // namespace topicwall::audit
