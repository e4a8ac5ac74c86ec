#include "server/corpus/decoded_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::topicwall::testing::StatusIs;

class DecodedBlocksTest : public ::testing::Test {
 protected:
  DecodedBlocksTest() {
    const sealing::CustodianKey key = NewKey();
    EXPECT_OK(WriteCorpus(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                          PlainDocuments(600),
                          key));  // blocks of 256, 256 and 88 units
    store_ = *CorpusStore::Open(folder_.Path("a"), key);
    EXPECT_EQ(store_->num_blocks(), 3);
  }

  int64_t BytesOf(int number) const {
    UnitBlock block;
    CorpusStore::ReadSpace space;
    EXPECT_OK(store_->ReadBlock(number, &block, &space));
    return block.BytesOfACopy();
  }

  testing::TemporaryDirectory folder_;
  std::unique_ptr<CorpusStore> store_;
};

TEST_F(DecodedBlocksTest, HoldWhatReadingGives) {
  ASSERT_OK_AND_ASSIGN(const auto decoded, DecodedBlocks::Fill(*store_, int64_t{1} << 20));
  ASSERT_EQ(decoded.size(), 3);
  UnitBlock block;
  CorpusStore::ReadSpace space;
  for (int number = 0; number < 3; ++number) {
    ASSERT_OK(store_->ReadBlock(number, &block, &space));
    EXPECT_EQ(decoded.block(number).Serialize(), block.Serialize());
  }
}

TEST_F(DecodedBlocksTest, NeverHoldMoreThanTheirBoundAndAsMuchAsFits) {
  const int64_t first = BytesOf(0);
  const int64_t two = first + BytesOf(1);
  const int64_t all = two + BytesOf(2);
  struct Expected {
    int64_t bound;
    int size;
    int64_t bytes;
  };
  for (const Expected& expected :
       {Expected{0, 0, 0}, Expected{first - 1, 0, 0}, Expected{first, 1, first},
        Expected{two - 1, 1, first}, Expected{two, 2, two}, Expected{all - 1, 2, two},
        Expected{all, 3, all}, Expected{int64_t{1} << 60, 3, all}}) {
    ASSERT_OK_AND_ASSIGN(const auto decoded, DecodedBlocks::Fill(*store_, expected.bound));
    EXPECT_EQ(decoded.size(), expected.size) << expected.bound;
    EXPECT_EQ(decoded.bytes(), expected.bytes) << expected.bound;
    EXPECT_LE(decoded.bytes(), expected.bound);
  }
}

// 256 units of one document with two entries: 16 bytes of id, two offsets of 8 and 16 bytes of
// entries a unit, two offsets more, and the block itself.
TEST_F(DecodedBlocksTest, CountEveryByteOfABlock) {
  EXPECT_EQ(BytesOf(0), static_cast<int64_t>(sizeof(UnitBlock)) + 256 * (16 + 16 + 16) + 16);
}

TEST_F(DecodedBlocksTest, ANegativeBoundIsRefused) {
  EXPECT_THAT(DecodedBlocks::Fill(*store_, -1),
              StatusIs(absl::StatusCode::kInvalidArgument, ::testing::HasSubstr("max_bytes")));
}

TEST_F(DecodedBlocksTest, ADamagedBlockIsReported) {
  const std::string path = folder_.Path("a");
  DamageBlock(path, 1);
  EXPECT_EQ(DecodedBlocks::Fill(*store_, int64_t{1} << 20).status(), UnsealableCorpus(path));
  EXPECT_OK(DecodedBlocks::Fill(*store_, BytesOf(0)));  // does not reach it
}

}  // namespace
}  // namespace topicwall::corpus
