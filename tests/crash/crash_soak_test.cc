// The crash test for hours: the same world through thousands of kills at random points.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/crash/crash_loop.h"

namespace topicwall::testing {
namespace {

std::chrono::duration<double> SoakTime() {
  const char* hours = std::getenv("TOPICWALL_SOAK_HOURS");
  return std::chrono::duration<double>(3600 * (hours == nullptr ? 0.01 : std::atof(hours)));
}

TEST(CrashSoakTest, ThousandsOfKillsInOneWorldLoseNothingAndPayNothingTwice) {
  const auto end = std::chrono::steady_clock::now() + SoakTime();
  std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<size_t> any_point(0, kKillPoints.size() - 1);
  int lives = 0;
  int kills = 0;
  while (std::chrono::steady_clock::now() < end && !::testing::Test::HasFailure()) {
    WallWorld world(CrashWorld());
    double spent_before = 0;
    for (int life = 0; life < 40 && !::testing::Test::HasFailure(); ++life, ++lives) {
      std::string request_id = absl::StrCat(lives);
      request_id.resize(16, '.');
      const char* point = kKillPoints[any_point(random)];
      const Aftermath aftermath = LiveOnce(world, point, request_id);
      kills += aftermath.kills;
      EXPECT_EQ(aftermath.charged, 1) << point;
      EXPECT_EQ(aftermath.published, 1) << point;
      EXPECT_TRUE(aftermath.read_again) << point;
      EXPECT_GT(aftermath.epsilon_spent, spent_before) << point;
      spent_before = aftermath.epsilon_spent;
      // Long pauses of a busy machine are overruns; the custodian looks and goes on.
      const Finished looked = world.Admin({"thaw", "--config", world.Path("wall.textproto"),
                                           "--acknowledge-overruns", "--corpus", "notes"});
      EXPECT_EQ(looked.exit_code, 0) << looked.output;
    }
  }
  std::cout << "survived " << kills << " kills in " << lives << " lives\n";
  EXPECT_GT(kills, 0);
}

}  // namespace
}  // namespace topicwall::testing
