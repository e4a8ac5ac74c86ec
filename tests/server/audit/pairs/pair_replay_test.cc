#include "server/audit/pairs/pair_replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/audit/pairs/pair_search.h"
#include "server/mechanism/lattice_scale.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

TEST(ExactLatticeBoundTest, IsTheLargestIntegerThatFits) {
  EXPECT_EQ(ExactLatticeBound(0x1p-6), uint64_t{1} << 36);
  EXPECT_EQ(ExactLatticeBound(0x1p20), 1024u);
  EXPECT_EQ(ExactLatticeBound(1), uint64_t{1} << 30);
  EXPECT_EQ(ExactLatticeBound(3), 357913941u);  // (2^30 - 1)/3
  EXPECT_EQ(ExactLatticeBound(std::nextafter(1, 2)), (uint64_t{1} << 30) - 1);
  EXPECT_EQ(ExactLatticeBound(std::nextafter(1, 0)), uint64_t{1} << 30);
  for (double sigma = 0x1p-6; sigma < 0x1p20; sigma *= 1.37) {
    EXPECT_EQ(ExactLatticeBound(sigma), mechanism::LatticeBound(sigma)) << sigma;
  }
}

TEST(SquaredLengthTest, IsExactBothWaysAroundAndBeyond64Bits) {
  const uint64_t large = uint64_t{1} << 36;
  EXPECT_EQ(SquaredLength({large, 3}, {0, 5}), (absl::uint128(1) << 72) + 4);
  EXPECT_EQ(SquaredLength({0}, {large}), absl::uint128(1) << 72);
  EXPECT_EQ(SquaredLength({0}, {uint64_t{1} << 63}), absl::uint128(1) << 96) << "no smaller";
  EXPECT_EQ(SquaredLength({5, 6}, {5, 6}), 0u);
}

// What the paper's Algorithm 1 does to the first pair by name: sums of a batch that is projected
// as a whole to length M. The measure of the audit calls it by its number.
TEST(SquaredLengthTest, SeesWhatABatchClipDoes) {
  const double m = static_cast<double>(ExactLatticeBound(1.24));
  const auto projected = [m](double cat, double dog) {
    const double norm = std::hypot(cat, dog);
    return std::vector<uint64_t>{static_cast<uint64_t>(cat / norm * m),
                                 static_cast<uint64_t>(dog / norm * m)};
  };
  const absl::uint128 squared = SquaredLength(projected(50, 500), projected(50, 0));
  EXPECT_NEAR(std::sqrt(static_cast<double>(squared)) / m, 1.342, 5e-4);
  EXPECT_GT(squared, absl::uint128(ExactLatticeBound(1.24)) * ExactLatticeBound(1.24));
}

// What is promised of every pair.
void ExpectHolds(const ReplayedPair& replayed) {
  EXPECT_TRUE(replayed.within_bound);
  EXPECT_TRUE(replayed.histogram_within_bound);
  EXPECT_TRUE(replayed.independent);
  EXPECT_TRUE(replayed.repeatable);
  EXPECT_TRUE(replayed.released_as_summed);
}

class PairReplayTest : public ::testing::Test {
 protected:
  PairReplayTest() {
    auto folder = ScratchFolder::Create(parent_.path());
    EXPECT_OK(folder);
    folder_ = *std::move(folder);
    auto replay = PairReplay::Create(folder_.get());
    EXPECT_OK(replay);
    replay_ = *std::move(replay);
  }

  const testing::TemporaryDirectory parent_;
  std::unique_ptr<ScratchFolder> folder_;
  std::unique_ptr<PairReplay> replay_;
};

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

TEST_F(PairReplayTest, EveryPairByNameHoldsWhenItIsEvaluated) {
  bool full_length = false;
  for (const NeighbouringPair& named : PairsByName()) {
    const NeighbouringPair pair = EvaluationOf(named);
    const auto replayed = replay_->Run(pair);
    ASSERT_OK(replayed) << pair.name;
    SCOPED_TRACE(pair.name);
    ExpectHolds(*replayed);
    full_length |= replayed->full_length;
  }
  EXPECT_TRUE(full_length) << "some were clipped";
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
    const auto one = replay_->Run(training);
    const auto other = replay_->Run(evaluation);
    ASSERT_OK(one);
    ASSERT_OK(other);
    EXPECT_NE(one->moved, other->moved) << i;
    trained += one->moved ? 1 : 0;
  }
  EXPECT_GT(trained, 0);  // each false alarm 2^-30
  EXPECT_LT(trained, 30);
}

TEST_F(PairReplayTest, LengthsAreThoseOfTheUnit) {
  NeighbouringPair pair = PairsByName()[0];
  pair.unit[0].counts = {{1, 5}};  // a tenth of the clip norm
  const auto replayed = replay_->Run(pair);
  ASSERT_OK(replayed);
  EXPECT_NEAR(replayed->length, 0.1, 1e-8);
  EXPECT_FALSE(replayed->full_length);
}

TEST_F(PairReplayTest, APairBeyondTheLimitsIsAnError) {
  NeighbouringPair pair = PairsByName()[0];
  pair.clip_norm = 0;
  EXPECT_FALSE(replay_->Run(pair).ok());
}

}  // namespace
}  // namespace topicwall::audit
