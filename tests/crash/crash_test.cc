// SIGKILL at every named point of the server's work for several analysts at once: nothing that
// left is unpaid, nothing paid is lost, nothing is paid twice, nothing refused has run.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/crash/crash_loop.h"

namespace topicwall::testing {
namespace {

class CrashTest : public ::testing::TestWithParam<const char*> {};
class RecomputationCrashTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CrashTest, LosesNothingAndPaysNothingTwice) {
  WallWorld world(CrashWorld());
  EXPECT_EQ(LiveOneDay(world, 1, {GetParam()}), 1) << "the point was never passed";
}

TEST_P(RecomputationCrashTest, LosesNothingAndPaysNothingTwice) {
  WallWorld world(CrashWorld());
  EXPECT_EQ(LiveOneDay(world, 1, {kKillBeforeRecomputation, GetParam()}), 2)
      << "the points were never passed";
}

TEST(QuietDayTest, WithoutKillsTheSameHolds) {
  WallWorld world(CrashWorld());
  EXPECT_EQ(LiveOneDay(world, 1, {}), 0);
}

// The second release of three: others are charged, computed and sent at the time.
TEST(BusyCrashTest, KillAfterKillLosesNothingAndPaysNothingTwice) {
  WallWorld world(CrashWorld());
  EXPECT_EQ(LiveOneDay(world, 1, {"before-publish:2", "before-publish-commit", "inside-reply:3"}),
            3);
}

// A crash says nothing of how long the documents take.
TEST(RepeatedCrashTest, ThreeKillsWhileComputingAreRestartsAndNoOverruns) {
  WorldOptions options = CrashWorld();
  options.release_interval_ms = 2500;  // that a busy machine keeps
  WallWorld world(options);
  EXPECT_EQ(LiveOneDay(world, 1, {"after-sum", "after-noise", "after-sum"}), 3);
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  grpc::ClientContext context;
  v1::DescribeCorpusRequest request;
  request.set_corpus("notes");
  v1::CorpusDescription description;
  ASSERT_TRUE(world.StubOf("alice")->DescribeCorpus(&context, request, &description).ok());
  EXPECT_EQ(description.restarts(), 3);
  EXPECT_EQ(description.overruns(), 0);
  EXPECT_EQ(description.voided(), 0);
  EXPECT_EQ(description.state(), v1::CORPUS_STATE_OPEN);
}

std::string NameOfPoint(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, CrashTest, ::testing::ValuesIn(kKillPoints), NameOfPoint);
INSTANTIATE_TEST_SUITE_P(EveryPoint, RecomputationCrashTest,
                         ::testing::ValuesIn(kRecomputationPoints), NameOfPoint);

}  // namespace
}  // namespace topicwall::testing
