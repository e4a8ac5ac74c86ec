// The crash test for hours: the same world through thousands of kills at random points.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/crash/crash_loop.h"

namespace topicwall::testing {
namespace {

constexpr int kDaysOfAWorld = 40;  // as many as its budget and its public limit of releases allow

std::chrono::duration<double> SoakTime() {
  const char* hours = std::getenv("TOPICWALL_SOAK_HOURS");
  return std::chrono::duration<double>(3600 * (hours == nullptr ? 0.01 : std::atof(hours)));
}

// One to three kills in a row, each at any point and any of its first passes.
Kills RandomKills(std::mt19937& random) {
  std::vector<const char*> points(kKillPoints.begin(), kKillPoints.end());
  points.insert(points.end(), kRecomputationPoints.begin(), kRecomputationPoints.end());
  std::uniform_int_distribution<size_t> any_point(0, points.size() - 1);
  std::uniform_int_distribution<int> any_pass(1, 4);
  Kills kills(static_cast<size_t>(std::uniform_int_distribution<int>(1, 3)(random)));
  for (std::string& kill : kills) {
    kill = absl::StrCat(points[any_point(random)], ":", any_pass(random));
  }
  return kills;
}

TEST(CrashSoakTest, ThousandsOfKillsUnderManyAnalystsLoseNothingAndPayNothingTwice) {
  const auto end = std::chrono::steady_clock::now() + SoakTime();
  std::mt19937 random(std::random_device{}());
  int days = 0;
  int kills = 0;
  while (std::chrono::steady_clock::now() < end && !::testing::Test::HasFailure()) {
    WallWorld world(CrashWorld());
    for (int day = 0; day < kDaysOfAWorld && std::chrono::steady_clock::now() < end &&
                      !::testing::Test::HasFailure();
         ++day, ++days) {
      const Kills at = RandomKills(random);
      SCOPED_TRACE(absl::StrJoin(at, ", "));
      kills += LiveOneDay(world, day, at);
    }
  }
  std::cout << "survived " << kills << " kills in " << days << " days\n";
  EXPECT_GT(kills, 0);
}

}  // namespace
}  // namespace topicwall::testing
