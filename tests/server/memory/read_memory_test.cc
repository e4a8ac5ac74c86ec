#include "server/corpus/read_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/corpus/block_feed.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/in_child.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::topicwall::testing::StatusIs;

// Bytes that the program has from the allocator.
int64_t BytesAllocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// 300 owners with a document each and one with as much as a block holds; with a value of each of
// two attributes.
std::vector<PlainDocument> OneLargeOwner() {
  std::vector<PlainDocument> documents = PlainDocuments(300);
  for (PlainDocument& document : documents) document.owner = document.id;
  const std::vector<lda::TermCount> counts = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}};
  for (int i = 0; i < 60'000; ++i) {
    documents.push_back({.id = absl::StrCat(i), .owner = "ann", .counts = counts});
  }
  for (PlainDocument& document : documents) document.attributes = {2, 0};
  return documents;
}

TEST(ReadMemory, SaysWhatItTakes) {
  const model::CorpusShape plain = {.vocabulary_size = 8000};
  // 22 MiB and 10 for each thread; every attribute adds 3 MiB and 1.5 for each thread.
  for (const auto& [corpus, most_mebibytes] :
       {std::pair(plain, 48),
        std::pair(model::CorpusShape{.vocabulary_size = 8000, .attribute_sizes = {13, 5}}, 60)}) {
    const int64_t before = BytesAllocated();
    ASSERT_OK_AND_ASSIGN(const auto memory, ReadMemory::Reserve(corpus, 2));
    EXPECT_EQ(memory.num_threads(), 2);
    const int64_t bytes = ReadMemory::Bytes(corpus, 2);
    EXPECT_LT(bytes, int64_t{most_mebibytes} << 20);
    EXPECT_GT(bytes, int64_t{most_mebibytes - 8} << 20);
    if (before > 0) {
      EXPECT_GE(BytesAllocated() - before, bytes);
      EXPECT_LE(BytesAllocated() - before, bytes + (1 << 17));
    }
  }
  EXPECT_THAT(ReadMemory::Reserve(plain, 0), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ReadMemory, WhatCannotBeHadIsUnavailable) {
  const int ended = testing::InChild([] {
    const struct rlimit little = {.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_AS, &little) != 0) return 1;
    const absl::Status status = ReadMemory::Reserve({.vocabulary_size = 1 << 28}, 2).status();
    return absl::IsUnavailable(status) ? 0 : 2;
  });
  EXPECT_EQ(ended, 0);
}

// A unit of as many vectors as a block holds, beside 299 of one.
TEST(ReadMemory, NothingGrowsWithAUnitOfVectorsOnceItIsReserved) {
  const testing::TemporaryDirectory folder;
  const sealing::CustodianKey key = NewKey();
  constexpr int kDimension = 384;
  std::vector<PlainDocument> documents = PlainVectors(1300, kDimension);
  for (size_t i = 0; i < documents.size(); ++i) {
    documents[i].owner = i < 299 ? documents[i].id : "ann";
  }
  ASSERT_OK(WriteCorpus(folder.Path("a"), VectorParamsOf(v1::PRIVACY_UNIT_OWNER, kDimension),
                        documents, key));
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(folder.Path("a"), key));
  ASSERT_OK(store->VerifyAll());  // fills SQLite's page cache
  const model::CorpusShape shape = ShapeOf(store->description());
  const int64_t before = BytesAllocated();
  ASSERT_OK_AND_ASSIGN(auto memory, ReadMemory::Reserve(shape, 1));
  const int64_t reserved = BytesAllocated();
  if (before > 0) {
    EXPECT_GE(reserved - before, ReadMemory::Bytes(shape, 1));
    EXPECT_LE(reserved - before, ReadMemory::Bytes(shape, 1) + (1 << 17));
  }
  int most = 0;
  for (int block = 0; block < store->num_blocks(); ++block) {
    ReadMemory::Buffer& buffer = memory.buffer(0);
    ASSERT_OK(store->ReadBlock(block, &buffer.block, &buffer.space));
    for (int unit = 0; unit < buffer.block.size(); ++unit) {
      most = std::max(most, buffer.block.num_documents(unit));
    }
  }
  EXPECT_EQ(most, (1 << 18) / kDimension);
  EXPECT_LE(BytesAllocated(), reserved + (1 << 14)) << "a buffer grew with the unit";
}

// What a release reads into is had before it is charged: no unit makes it grow.
TEST(ReadMemory, NothingGrowsWithAUnitOnceItIsReserved) {
  const testing::TemporaryDirectory folder;
  const sealing::CustodianKey key = NewKey();
  const std::string path = folder.Path("a");
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_OWNER);
  params.attributes = WardAndMonth();
  ASSERT_OK(WriteCorpus(path, params, OneLargeOwner(), key));
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path, key));
  ASSERT_OK(store->VerifyAll());  // as a server does; fills SQLite's page cache
  const DecodedBlocks none;
  size_t largest = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_OK_AND_ASSIGN(auto memory, ReadMemory::Reserve(ShapeOf(store->description()), 2));
    const int64_t before = BytesAllocated();
    {
      BlockFeed feed(*store, none, &memory);
      std::vector<std::thread> threads;
      std::vector<size_t> most(2);
      for (int thread = 0; thread < 2; ++thread) {
        threads.emplace_back([&, thread] {
          while (true) {
            const auto block = feed.Next(&memory.buffer(thread));
            if (!block.ok() || *block == nullptr) return;
            size_t& mine = most[static_cast<size_t>(thread)];
            mine = std::max(mine, (*block)->num_entries());
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      largest = std::max(most[0], most[1]);
    }
    EXPECT_LT(BytesAllocated() - before, 64 << 10);
  }
  EXPECT_GT(largest, kEntriesPerBlock - 5);
}

}  // namespace
}  // namespace topicwall::corpus
