#include "server/corpus/block_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

constexpr int kBlocks = 12;

class BlockFeedTest : public ::testing::Test {
 protected:
  BlockFeedTest() : path_(folder_.Path("a")) {
    EXPECT_OK(WriteCorpus(path_, ParamsOf(v1::PRIVACY_UNIT_DOCUMENT), PlainDocuments(3000), key_));
    store_ = *CorpusStore::Open(path_, key_);
    EXPECT_EQ(store_->num_blocks(), kBlocks);
  }

  // What `num_threads` threads together are given.
  struct Given {
    std::vector<random::UnitId> ids;  // in the order of arrival
    int lost = 0;
  };
  Given TakeAll(const DecodedBlocks& decoded, int num_threads) const {
    return Take({.first = 0, .end = kBlocks}, decoded, num_threads);
  }
  Given Take(const BlockRange& blocks, const DecodedBlocks& decoded, int num_threads) const {
    ReadMemory memory = *ReadMemory::Reserve(ShapeOf(store_->description()), num_threads);
    BlockFeed feed(*store_, decoded, blocks, &memory);
    std::mutex mutex;
    Given given;
    const auto take = [&](int thread) {
      while (true) {
        const absl::StatusOr<const UnitBlock*> block = feed.Next(&memory.buffer(thread));
        if (block.ok() && *block == nullptr) return;
        const std::lock_guard<std::mutex> lock(mutex);
        if (block.ok()) {
          given.ids.insert(given.ids.end(), (*block)->ids().begin(), (*block)->ids().end());
        } else {
          EXPECT_EQ(block.status(), UnsealableCorpus(path_));
          ++given.lost;
        }
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < num_threads; ++i) threads.emplace_back(take, i);
    for (std::thread& thread : threads) thread.join();
    return given;
  }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey key_ = NewKey();
  const std::string path_;
  std::unique_ptr<CorpusStore> store_;
};

TEST_F(BlockFeedTest, EveryUnitArrivesOnceWhateverIsDecodedAndHoweverManyThreadsThereAre) {
  ASSERT_OK_AND_ASSIGN(const auto expected, store_->UnitIds());
  for (const int64_t bytes : {int64_t{0}, int64_t{40'000}, int64_t{1} << 30}) {
    ASSERT_OK_AND_ASSIGN(const auto decoded, DecodedBlocks::Fill(*store_, bytes));
    for (const int num_threads : {1, 2, 5, 20}) {
      Given given = TakeAll(decoded, num_threads);
      std::sort(given.ids.begin(), given.ids.end());
      EXPECT_EQ(given.ids, expected);
      EXPECT_EQ(given.lost, 0);
    }
  }
}

TEST_F(BlockFeedTest, ARangeGivesItsOwnBlocksWhicheverAreDecoded) {
  std::vector<std::vector<random::UnitId>> ids(kBlocks);
  for (int number = 0; number < kBlocks; ++number) {
    UnitBlock block;
    CorpusStore::ReadSpace space;
    ASSERT_OK(store_->ReadBlock(number, &block, &space));
    ids[static_cast<size_t>(number)].assign(block.ids().begin(), block.ids().end());
  }
  for (const int64_t bytes : {int64_t{0}, int64_t{40'000}, int64_t{1} << 30}) {
    ASSERT_OK_AND_ASSIGN(const auto decoded, DecodedBlocks::Fill(*store_, bytes));
    for (const auto& [first, end] : std::vector<std::pair<int, int>>{
             {0, 0}, {0, 5}, {2, 9}, {5, kBlocks}, {11, kBlocks}, {kBlocks, kBlocks}}) {
      Given given = Take({.first = first, .end = end}, decoded, 2);
      std::vector<random::UnitId> expected;
      for (int number = first; number < end; ++number) {
        const auto& block = ids[static_cast<size_t>(number)];
        expected.insert(expected.end(), block.begin(), block.end());
      }
      std::sort(expected.begin(), expected.end());
      std::sort(given.ids.begin(), given.ids.end());
      EXPECT_EQ(given.ids, expected) << first << " to " << end;
      EXPECT_EQ(given.lost, 0);
    }
  }
}

TEST_F(BlockFeedTest, BlocksKeptDecodedAreNotReadAgain) {
  ASSERT_OK_AND_ASSIGN(const auto decoded, DecodedBlocks::Fill(*store_, 40'000));
  ASSERT_GT(decoded.size(), 0);
  ASSERT_LT(decoded.size(), kBlocks);
  for (int number = 0; number < decoded.size(); ++number) DamageBlock(path_, number);
  store_ = *CorpusStore::Open(path_, key_);  // SQLite's own cache forgets what was read before
  const Given given = TakeAll(decoded, 2);
  EXPECT_EQ(given.lost, 0);
  EXPECT_EQ(given.ids.size(), 3000u);
}

TEST_F(BlockFeedTest, EachDamagedBlockIsReportedOnceAndTheOthersArrive) {
  DamageBlock(path_, 2);
  DamageBlock(path_, 7);
  ASSERT_OK_AND_ASSIGN(const auto decoded, DecodedBlocks::Fill(*store_, 1));
  for (const int num_threads : {1, 2, 5}) {
    const Given given = TakeAll(decoded, num_threads);
    EXPECT_EQ(given.lost, 2);
    EXPECT_EQ(given.ids.size(), 3000u - 2 * kUnitsPerBlock);
  }
}

TEST_F(BlockFeedTest, ABlockStaysAsItIsWhileOthersAreTaken) {
  const DecodedBlocks none;
  ReadMemory memory = *ReadMemory::Reserve(ShapeOf(store_->description()), 2);
  BlockFeed feed(*store_, none, &memory);
  ASSERT_OK_AND_ASSIGN(const auto block, feed.Next(&memory.buffer(0)));
  const std::string before = block->Serialize();
  for (int i = 1; i < kBlocks; ++i) ASSERT_OK(feed.Next(&memory.buffer(1)));
  EXPECT_EQ(block->Serialize(), before);
}

TEST_F(BlockFeedTest, AFeedMayBeLeftAtAnyPlace) {
  const DecodedBlocks none;
  for (int taken = 0; taken <= kBlocks; ++taken) {
    ReadMemory memory = *ReadMemory::Reserve(ShapeOf(store_->description()), 1);
    BlockFeed feed(*store_, none, &memory);
    for (int i = 0; i < taken; ++i) ASSERT_OK(feed.Next(&memory.buffer(0)));
    EXPECT_EQ(*feed.Next(&memory.buffer(0)) == nullptr, taken == kBlocks);
  }
}

}  // namespace
}  // namespace topicwall::corpus
