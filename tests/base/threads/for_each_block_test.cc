#include "base/threads/for_each_block.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

namespace topicwall::lda {
namespace {

TEST(ForEachBlockTest, EveryBlockIsDoneOnceWhateverTheThreads) {
  for (const int threads : {-1, 0, 1, 2, 3, 8}) {
    for (const size_t blocks : {0u, 1u, 2u, 7u, 100u}) {
      std::vector<std::atomic<int>> done(blocks);
      ForEachBlock(blocks, threads, [&](size_t block, size_t) { ++done[block]; });
      for (const std::atomic<int>& times : done) ASSERT_EQ(times, 1);
    }
  }
}

TEST(ForEachPartTest, EveryEntryIsOfOnePartAndNoPartReachesPastTheEnd) {
  for (const size_t size : {0u, 1u, 9u, 10u, 11u, 100u}) {
    std::vector<std::atomic<int>> done(size);
    ForEachPart(size, 10, 3, [&](size_t begin, size_t end, size_t) {
      ASSERT_LE(end, size);
      ASSERT_TRUE(end == begin + 10 || end == size);
      for (size_t i = begin; i < end; ++i) ++done[i];
    });
    for (const std::atomic<int>& times : done) ASSERT_EQ(times, 1);
  }
}

TEST(ForEachBlockTest, ThreadNumbersPickWorkspacesThatNobodyElseUsesMeanwhile) {
  constexpr int kThreads = 4;
  std::atomic<bool> busy[kThreads] = {};
  std::atomic<int> clashes{0};
  ForEachBlock(200, kThreads, [&](size_t, size_t thread) {
    ASSERT_LT(thread, size_t{kThreads});
    if (busy[thread].exchange(true)) ++clashes;
    std::this_thread::yield();
    busy[thread] = false;
  });
  EXPECT_EQ(clashes, 0);
}

TEST(ForEachBlockTest, OneThreadGoesInOrderOnTheCaller) {
  std::vector<size_t> order;
  ForEachBlock(5, 1, [&](size_t block, size_t thread) {
    EXPECT_EQ(thread, 0u);
    order.push_back(block);
  });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
}

TEST(ForEachBlockTest, SeveralThreadsTakePart) {
  // Each of two blocks waits until the other has begun.
  std::atomic<int> begun{0};
  ForEachBlock(2, 2, [&](size_t, size_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(ForEachBlockTest, WhatIsThrownOnAnyThreadComesToTheCallerAndEndsTheLoop) {
  for (const int threads : {1, 4}) {
    std::atomic<int> done{0};
    const auto work = [&](size_t block, size_t) {
      if (block == 3) throw std::bad_alloc();
      ++done;
    };
    EXPECT_THROW(ForEachBlock(1000000, threads, work), std::bad_alloc) << threads;
    EXPECT_LT(done, 1000000) << threads;
  }
}

TEST(ForEachBlockTest, AMachineHasAtLeastOneProcessor) { EXPECT_GE(NumProcessors(), 1); }

}  // namespace
}  // namespace topicwall::lda
