// The points as a test build compiles them; other builds see the empty macro.
#define TOPICWALL_KILL_POINTS 1
#include "base/kill_point.h"

#include <gtest/gtest.h>

#include "tests/support/in_child.h"

namespace topicwall::base {
namespace {

void PassPoints() {
  for (int pass = 0; pass < 3; ++pass) TOPICWALL_KILL_POINT("in-the-loop");
  TOPICWALL_KILL_POINT("in-the");
}

// The signal that ended a child with this setting, or 0 if it came to its end.
int SignalWith(const char* kill_at) {
  const int ended = testing::InChild([kill_at] {
    if (kill_at != nullptr) setenv("TOPICWALL_KILL_AT", kill_at, 1);
    PassPoints();
    return 0;
  });
  return ended == 0 ? 0 : ended - 128;
}

TEST(KillPointTest, KillsAtThePointThatIsNamedAndNowhereElse) {
  EXPECT_EQ(SignalWith(nullptr), 0);
  EXPECT_EQ(SignalWith("elsewhere"), 0);
  EXPECT_EQ(SignalWith("in"), 0);
  EXPECT_EQ(SignalWith("in-the-loop-too"), 0);
  EXPECT_EQ(SignalWith("in-the-loop"), SIGKILL);
  EXPECT_EQ(SignalWith("in-the"), SIGKILL);
}

TEST(KillPointTest, KillsAtAnyOfSeveral) {
  EXPECT_EQ(SignalWith("elsewhere,in-the-loop:2"), SIGKILL);
  EXPECT_EQ(SignalWith("in-the,elsewhere"), SIGKILL);
  EXPECT_EQ(SignalWith("elsewhere,in-the-loop-too"), 0);
}

TEST(KillPointTest, WhatComesAfterASemicolonIsForTheNextProcess) {
  EXPECT_EQ(SignalWith("elsewhere;in-the-loop"), 0);
  EXPECT_EQ(SignalWith("elsewhere;x,in-the-loop,y"), 0);
  EXPECT_EQ(SignalWith("in-the-loop;elsewhere"), SIGKILL);
  EXPECT_EQ(SignalWith("in-the-loop:3;elsewhere"), SIGKILL);

  setenv("TOPICWALL_KILL_AT", "a;b,c;d", 1);
  for (const char* next : {"b,c;d", "d"}) {
    TOPICWALL_KILLS_OF_THE_NEXT();
    EXPECT_STREQ(std::getenv("TOPICWALL_KILL_AT"), next);
  }
  TOPICWALL_KILLS_OF_THE_NEXT();
  EXPECT_EQ(std::getenv("TOPICWALL_KILL_AT"), nullptr);
}

TEST(KillPointTest, CountsPasses) {
  EXPECT_EQ(SignalWith("in-the-loop:3"), SIGKILL);
  EXPECT_EQ(SignalWith("in-the-loop:4"), 0);
}

}  // namespace
}  // namespace topicwall::base
