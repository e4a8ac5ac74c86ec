#include "server/release/release_queue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::release {
namespace {

ReleaseQueue::Entrant Of(const std::string& principal, int length = 4,
                         const std::string& corpus = "notes") {
  return {.corpus = corpus, .length = length, .principal = principal};
}

TEST(ReleaseQueueTest, AFullQueueTurnsAwayAtOnceAndTakesAgainWhenAPlaceIsLeft) {
  ReleaseQueue queue;
  auto first = queue.Enter(Of("alice", 2));
  auto second = queue.Enter(Of("bob", 2));
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(queue.Enter(Of("carol", 2)).has_value());
  EXPECT_TRUE(queue.Enter(Of("carol", 2, "letters")).has_value()) << "places are a corpus's own";
  first.reset();
  EXPECT_TRUE(queue.Enter(Of("carol", 2)).has_value());
}

TEST(ReleaseQueueTest, OnePrincipalHoldsAtMostHalfThePlacesButOne) {
  for (const auto& [length, most] : {std::pair{1, 1}, {2, 1}, {3, 1}, {4, 2}, {9, 4}}) {
    ReleaseQueue queue;
    std::vector<ReleaseQueue::Place> places;
    for (int i = 0; i < 20; ++i) {
      auto place = queue.Enter(Of("alice", length));
      if (place.has_value()) places.push_back(*std::move(place));
    }
    EXPECT_EQ(static_cast<int>(places.size()), most) << length;
    EXPECT_EQ(queue.Enter(Of("bob", length)).has_value(), length > 1);
  }
}

TEST(ReleaseQueueTest, OneAtATimeHoweverManyAskAndOfHoweverManyCorpora) {
  constexpr int kPlaces = 24;
  ReleaseQueue queue;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kPlaces; ++i) {
    threads.emplace_back([&, i] {
      auto place = queue.Enter(
          Of(absl::StrCat("analyst ", i % 5), 2 * kPlaces, i % 2 == 0 ? "notes" : "letters"));
      ASSERT_TRUE(place.has_value());
      EXPECT_TRUE(place->WaitForTurn());
      most = std::max<int>(most, ++running);
      --running;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_TRUE(queue.Enter(Of("alice", 1)).has_value()) << "all places were left";
}

// Whether a thread of this process waits for something.
bool IsAsleep(pid_t thread) {
  std::ifstream status(absl::StrCat("/proc/self/task/", thread, "/status"));
  for (std::string word; status >> word;) {
    if (word == "State:") return status >> word && word == "S";
  }
  return false;
}

// Else there would be two turns at once: the leaver's and that of who computes.
TEST(ReleaseQueueTest, WhoLeavesWithoutATurnHandsNoneOn) {
  ReleaseQueue queue;
  auto running = queue.Enter(Of("alice"));
  ASSERT_TRUE(running->WaitForTurn());
  std::atomic<bool> has_turn = false;
  std::atomic<pid_t> entered = 0;
  std::thread waiting([&] {
    auto place = queue.Enter(Of("bob"));
    entered = gettid();
    EXPECT_TRUE(place->WaitForTurn());
    has_turn = true;
  });
  while (entered == 0 || !IsAsleep(entered)) std::this_thread::yield();
  ASSERT_TRUE(queue.Enter(Of("carol")).has_value());  // and is gone
  while (!has_turn && !IsAsleep(entered)) std::this_thread::yield();
  EXPECT_FALSE(has_turn);
  running.reset();
  waiting.join();
}

// Or the turn would be lost with it, and nobody would have one again.
TEST(ReleaseQueueTest, APlaceThatIsMovedTakesItsTurnAlong) {
  ReleaseQueue queue;
  auto place = queue.Enter(Of("alice"));
  ASSERT_TRUE(place->WaitForTurn());
  std::optional<ReleaseQueue::Place> moved = *std::move(place);
  place.reset();
  auto next = queue.Enter(Of("bob"));
  std::thread waiting([&next] { EXPECT_TRUE(next->WaitForTurn()); });
  moved.reset();
  waiting.join();  // a test that hangs here has found the defect
}

// One who asks once among six who ask again and again.
TEST(ReleaseQueueTest, TurnsGoRoundThePrincipalsSoThatWhoWaitsAloneWaitsForOneTurnOfEachOther) {
  ReleaseQueue queue;
  auto running = queue.Enter(Of("alice", 20));
  ASSERT_TRUE(running->WaitForTurn());
  absl::Mutex mutex;
  std::vector<std::string> order;
  std::vector<std::thread> threads;
  const auto ask = [&](const std::string& principal) {
    std::atomic<pid_t> entered = 0;
    threads.emplace_back([&, principal] {
      auto place = queue.Enter(Of(principal, 20));
      ASSERT_TRUE(place.has_value());
      entered = gettid();
      ASSERT_TRUE(place->WaitForTurn());
      absl::MutexLock lock(&mutex);
      order.push_back(principal);
    });
    // Until it waits; a place says nothing of that, and there is nothing else to wait for.
    while (entered == 0 || !IsAsleep(entered)) std::this_thread::yield();
  };
  for (int i = 0; i < 6; ++i) ask("alice");
  ask("bob");
  ask("carol");
  running.reset();
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(order.size(), 8u);
  EXPECT_EQ(order[0], "bob");
  EXPECT_EQ(order[1], "carol");
}

TEST(ReleaseQueueTest, AClosedQueueLetsEverybodyGoWithoutATurn) {
  ReleaseQueue queue;
  auto running = queue.Enter(Of("alice"));
  ASSERT_TRUE(running->WaitForTurn());
  std::thread waiting([&queue] {
    auto place = queue.Enter(Of("bob"));
    EXPECT_FALSE(place->WaitForTurn());
  });
  queue.Close();
  waiting.join();
  running.reset();
  auto late = queue.Enter(Of("bob"));
  EXPECT_FALSE(late->WaitForTurn());

  ReleaseQueue idle;
  auto entered = idle.Enter(Of("alice"));
  idle.Close();
  EXPECT_FALSE(entered->WaitForTurn()) << "though nobody has the turn";
}

}  // namespace
}  // namespace topicwall::release
