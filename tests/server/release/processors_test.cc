#include "server/release/processors.h"

#include <gtest/gtest.h>

#include <thread>

namespace topicwall::release {
namespace {

cpu_set_t These(const std::initializer_list<int>& numbers) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int number : numbers) CPU_SET(number, &set);
  return set;
}

TEST(ProcessorsTest, TwoAreKeptFreeOfThreeOrMoreOneOfTwoAndNoneOfOne) {
  EXPECT_EQ(Processors::Of(These({})).num_free(), 0);
  EXPECT_EQ(Processors::Of(These({5})).num_free(), 0);
  EXPECT_EQ(Processors::Of(These({0, 7})).num_free(), 1);
  EXPECT_EQ(Processors::Of(These({0, 1, 2})).num_free(), 2);
  EXPECT_EQ(Processors::Of(These({0, 1, 2, 3, 64, 65, 900})).num_free(), 2);
}

// Read from the threads themselves.
TEST(ProcessorsTest, AThreadThatComputesAndThoseItStartsKeepOffThemUntilTheyUseAll) {
  const Processors processors = Processors::OfThisProcess();
  const auto mine = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    return CPU_COUNT(&set);
  };
  const int all = mine();
  int computing = 0, started = 0, again = 0;
  std::thread([&] {
    processors.KeepFree();
    computing = mine();
    std::thread([&] { started = mine(); }).join();
    processors.UseAll();
    again = mine();
  }).join();
  EXPECT_EQ(computing, all - processors.num_free());
  EXPECT_EQ(started, computing);
  EXPECT_EQ(again, all);
  EXPECT_EQ(mine(), all) << "nobody else is moved";
}

}  // namespace
}  // namespace topicwall::release
