#include "server/ledger/release_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/sha256.h"
#include "server/ledger/sqlite_transaction.h"
#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

using testing::StatusIs;

class ReleaseTableTest : public ::testing::Test {
 protected:
  // K = 2, in rows of 2^18, 2^18 and 2 entries.
  ReleaseTableTest() : statistics_(2 * (kEntriesPerChunk + 1)) {
    for (std::size_t i = 0; i < statistics_.size(); ++i) {
      statistics_[i] = static_cast<float>(i) - 0.5f;
    }
    EXPECT_OK(InsertPlan(bare_.connection(), BareLedger::Plan("p", "alice")));
    EXPECT_OK(InsertCharge(bare_.connection(), BareLedger::Charge("p", 1)));
    charge_ = **FindCharge(bare_.connection(), "p", 1);
    v1::StoredRelease header = testing::SmallHeader();
    header.set_num_topics(2);
    header.set_vocabulary_size(kEntriesPerChunk + 1);
    const SealedRelease sealed = SealRelease(header, statistics_);
    EXPECT_OK(InsertRelease(bare_.connection(), charge_.charge_id, sealed));
    charge_.header_sha256 = sealed.header_sha256;
    charge_.release_sha256 = sealed.release_sha256;
  }

  BareLedger bare_;
  std::vector<float> statistics_;
  ChargeRow charge_;
};

TEST_F(ReleaseTableTest, RowsHoldTheEntriesInOrder) {
  EXPECT_OK(CheckRelease(bare_.connection(), charge_));
  std::string bytes;
  for (const int64_t first : {int64_t{0}, kEntriesPerChunk, 2 * kEntriesPerChunk}) {
    auto chunk = ReadChunk(bare_.connection(), charge_.charge_id, first);
    ASSERT_OK(chunk);
    EXPECT_LE(chunk->size(), 1 << 20);
    bytes += *chunk;
  }
  const std::string expected(reinterpret_cast<const char*>(statistics_.data()),
                             statistics_.size() * sizeof(float));
  EXPECT_TRUE(bytes == expected);
  EXPECT_EQ(charge_.release_sha256, base::DigestBytes(base::Sha256Of(expected)));
  EXPECT_THAT(ReadChunk(bare_.connection(), charge_.charge_id, 1),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(ReleaseTableTest, TheHeaderNamesTheStatisticsItBelongsTo) {
  auto header = ReadHeader(bare_.connection(), charge_);
  ASSERT_OK(header);
  EXPECT_EQ(header->statistics_sha256(), charge_.release_sha256);
  EXPECT_EQ(header->clip_norm(), 4);
}

TEST_F(ReleaseTableTest, AnyChangeIsDataLoss) {
  const std::vector<std::string> edits = {
      "DELETE FROM release_chunk WHERE first_entry = 262144",
      "UPDATE release_chunk SET first_entry = 5 WHERE first_entry = 262144",
      "UPDATE release_chunk SET statistics = zeroblob(1048576) WHERE first_entry = 0",
      "UPDATE release_chunk SET statistics = zeroblob(0) WHERE first_entry = 524288",
      "UPDATE release_chunk SET statistics = CAST(statistics || x'00' AS BLOB) "
      "WHERE first_entry = 0",
      "UPDATE charge SET header = x''",
      "UPDATE charge SET header = x'ffff'",
  };
  for (const std::string& edit : edits) {
    SCOPED_TRACE(edit);
    auto transaction = WriteTransaction::Begin(bare_.connection());  // rolled back each time
    ASSERT_OK(transaction);
    ASSERT_OK(bare_.connection().RunScript(edit));
    EXPECT_THAT(CheckRelease(bare_.connection(), charge_), StatusIs(absl::StatusCode::kDataLoss));
  }
  EXPECT_OK(CheckRelease(bare_.connection(), charge_));
}

}  // namespace
}  // namespace topicwall::ledger
