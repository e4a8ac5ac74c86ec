#include "server/release/release_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace topicwall::release {
namespace {

TEST(ReleaseQueueTest, AFullQueueTurnsAwayAtOnceAndTakesAgainWhenAPlaceIsLeft) {
  ReleaseQueue queue(2);
  auto first = queue.Enter();
  auto second = queue.Enter();
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(queue.Enter().has_value());
  first.reset();
  EXPECT_TRUE(queue.Enter().has_value());
}

TEST(ReleaseQueueTest, SomeoneSlowToSendHoldsAPlaceButNobodysTurn) {
  ReleaseQueue queue(3);
  auto slow = queue.Enter();
  auto second = queue.Enter();
  second->WaitForTurn();  // returns although `slow` entered before
  second.reset();
  auto third = queue.Enter();
  third->WaitForTurn();
  EXPECT_TRUE(slow.has_value());
}

TEST(ReleaseQueueTest, OneAtATimeHoweverManyAsk) {
  constexpr int kPlaces = 16;
  ReleaseQueue queue(kPlaces);
  std::atomic<int> inside = 0;
  int finished = 0;  // written only by whoever has the turn
  std::vector<std::thread> threads;
  for (int i = 0; i < kPlaces; ++i) {
    auto place = queue.Enter();
    ASSERT_TRUE(place.has_value());
    threads.emplace_back([&inside, &finished, taken = std::move(*place)]() mutable {
      taken.WaitForTurn();
      EXPECT_EQ(inside.fetch_add(1), 0);
      ++finished;
      inside.fetch_sub(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(finished, kPlaces);
}

}  // namespace
}  // namespace topicwall::release
