#include "server/vault/computing_thread.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

namespace topicwall::server {
namespace {

void WaitUntilAbandoned(const std::atomic<bool>& abandoned) {
  while (!abandoned) std::this_thread::yield();
}

class ComputingThreadTest : public ::testing::Test {
 protected:
  ComputingThread computing_{release::Processors::OfThisProcess()};
};

TEST_F(ComputingThreadTest, WhoeverWaitsHasWhatWasDone) {
  for (int i = 0; i < 100; ++i) {
    int result = 0;
    const auto task = computing_.Begin(i % 2 == 0, [&](const std::atomic<bool>&) { result = i; });
    ASSERT_TRUE(computing_.Await(*task));
    EXPECT_TRUE(computing_.IsIdle());
    EXPECT_EQ(result, i);
  }
}

TEST_F(ComputingThreadTest, WhatTakesTooLongIsAbandonedAndTheNextComesAfterIt) {
  std::atomic<bool> begun = false;
  std::atomic<bool> ended = false;
  const auto slow = computing_.Begin(true, [&](const std::atomic<bool>& abandoned) {
    begun = true;
    WaitUntilAbandoned(abandoned);
    ended = true;
  });
  while (!begun) std::this_thread::yield();  // or `next` would take its place
  EXPECT_FALSE(computing_.IsIdle());
  computing_.Abandon(*slow);
  bool slow_had_ended = false;
  const auto next =
      computing_.Begin(true, [&](const std::atomic<bool>&) { slow_had_ended = ended; });
  EXPECT_TRUE(computing_.Await(*next));
  EXPECT_TRUE(slow_had_ended);
}

TEST_F(ComputingThreadTest, AnInterruptEndsEveryWaitNowAndLater) {
  const auto running = computing_.Begin(true, WaitUntilAbandoned);
  std::thread interrupter([this] { computing_.Interrupt(); });
  EXPECT_FALSE(computing_.Await(*running));
  interrupter.join();
  computing_.Abandon(*running);
  const auto later = computing_.Begin(true, WaitUntilAbandoned);
  EXPECT_FALSE(computing_.Await(*later));
  computing_.Abandon(*later);
}

TEST_F(ComputingThreadTest, KeepsOffTheFreeProcessorsForThoseWhomItIsPromisedAlone) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  for (const bool keep_free : {true, false, true}) {
    cpu_set_t used;
    const auto task = computing_.Begin(
        keep_free, [&](const std::atomic<bool>&) { sched_getaffinity(0, sizeof(used), &used); });
    ASSERT_TRUE(computing_.Await(*task));
    EXPECT_EQ(CPU_COUNT(&used),
              CPU_COUNT(&all) - (keep_free ? release::Processors::OfThisProcess().num_free() : 0));
  }
}

// Keys, for one, whoever still has the task in hand.
TEST_F(ComputingThreadTest, WhatTheWorkHeldGoesWithItsEnd) {
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> seen = held;
  const auto task = computing_.Begin(true, [held = std::move(held)](const std::atomic<bool>&) {});
  ASSERT_TRUE(computing_.Await(*task));
  EXPECT_TRUE(seen.expired());
}

TEST(ComputingThreadEndTest, ItsEndWaitsForWhatWasAbandoned) {
  std::atomic<bool> abandoned_seen = false;
  std::atomic<bool> begun = false;
  {
    ComputingThread computing(release::Processors::OfThisProcess());
    const auto task = computing.Begin(true, [&](const std::atomic<bool>& abandoned) {
      begun = true;
      WaitUntilAbandoned(abandoned);
      abandoned_seen = true;
    });
    while (!begun) std::this_thread::yield();
    computing.Abandon(*task);
  }
  EXPECT_TRUE(abandoned_seen);
}

}  // namespace
}  // namespace topicwall::server
