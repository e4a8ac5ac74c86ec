#include "client/interruption.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace topicwall::client {
namespace interruption_test {

// Handles SIGINT in this way until it goes.
class Handled {
 public:
  explicit Handled(void (*how)(int)) {
    struct sigaction action = {};
    action.sa_handler = how;
    sigaction(SIGINT, &action, &before_);
  }
  ~Handled() { sigaction(SIGINT, &before_, nullptr); }
  static auto Now() {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    return now.sa_handler;
  }

 private:
  struct sigaction before_;
};

// As sh starts `topicwall fit … &` in a script.
TEST(InterruptionTest, WhatWasIgnoredStaysIgnored) {
  const Handled ignored(SIG_IGN);
  {
    const Interruption interruption("Stopping.\n");
    raise(SIGINT);
    EXPECT_FALSE(interruption.requested());
  }
  EXPECT_EQ(Handled::Now(), SIG_IGN);
}

TEST(InterruptionTest, TheFirstAsksAndWhatHandledItBeforeHasTheNext) {
  static int others = 0;
  const Handled by_others([](int) { ++others; });
  {
    const Interruption interruption("Stopping.\n");
    EXPECT_FALSE(interruption.requested());
    raise(SIGINT);
    EXPECT_TRUE(interruption.requested());
    EXPECT_EQ(Handled::Now(), SIG_DFL);
  }
  raise(SIGINT);
  EXPECT_EQ(others, 1);
}

// A call that was interrupted says so by errno; saying something to nobody sets another.
TEST(InterruptionTest, WhoeverIsInterruptedFindsTheirOwnErrno) {
  const Interruption interruption("Stopping.\n");
  const int kept = dup(STDERR_FILENO);
  close(STDERR_FILENO);
  errno = EINTR;
  raise(SIGINT);
  const int found = errno;
  dup2(kept, STDERR_FILENO);
  close(kept);
  EXPECT_EQ(found, EINTR);
}

}  // namespace interruption_test
}  // namespace topicwall::client
