#include "server/ledger/folded/release_blobs.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "server/store/stores.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::StatusIs;

class ReleaseBlobsTest : public ::testing::Test {
 protected:
  // K = 2, in parts of 2^18, 2^18 and 2 entries.
  ReleaseBlobsTest() : statistics_(2 * (kEntriesPerChunk + 1)) {
    for (std::size_t i = 0; i < statistics_.size(); ++i) {
      statistics_[i] = static_cast<float>(i) - 0.5f;
    }
    v1::StoredRelease header = testing::SmallHeader();
    header.set_rows(2);
    header.set_columns(kEntriesPerChunk + 1);
    release_ = HashRelease(header, statistics_);
    auto lock = store::DataDirectoryLock::Acquire(directory_.path());
    EXPECT_OK(lock);
    auto made = store::CreateStore(*std::move(lock), {.ledger_id = "l", .key_check = "k"});
    EXPECT_OK(made);
    store_ = *std::move(made);
    store::Change change{.name = "store"};
    AddBlobs(release_, &change);
    EXPECT_OK(store_->Append(change));
  }

  absl::Status Check() {
    return CheckRelease(*store_, release_.header_sha256, release_.release_sha256);
  }

  testing::TemporaryDirectory directory_;
  std::vector<float> statistics_;
  HashedRelease release_;
  std::unique_ptr<store::EventStore> store_;
};

TEST_F(ReleaseBlobsTest, PartsHoldTheEntriesInOrder) {
  EXPECT_OK(Check());
  std::string bytes;
  for (const int64_t part : {0, 1, 2}) {
    ASSERT_OK_AND_ASSIGN(auto chunk, ReadChunk(*store_, release_.release_sha256, part));
    EXPECT_LE(chunk.size(), 1 << 20);
    bytes += chunk;
  }
  const std::string expected(reinterpret_cast<const char*>(statistics_.data()),
                             statistics_.size() * sizeof(float));
  EXPECT_TRUE(bytes == expected);
  EXPECT_EQ(release_.release_sha256, base::DigestBytes(base::Sha256Of(expected)));
  EXPECT_THAT(ReadChunk(*store_, release_.release_sha256, 3),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(ReleaseBlobsTest, TheHeaderNamesTheStatisticsItBelongsTo) {
  ASSERT_OK_AND_ASSIGN(auto header,
                       ReadHeader(*store_, release_.header_sha256, release_.release_sha256));
  EXPECT_EQ(header.statistics_sha256(), release_.release_sha256);
  EXPECT_EQ(header.clip_norm(), 4);
  EXPECT_THAT(ReadHeader(*store_, release_.header_sha256, std::string(32, 'x')),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(ReleaseBlobsTest, AnyChangeIsDataLoss) {
  const std::vector<std::string> edits = {
      "DELETE FROM blob WHERE part = 1",
      "UPDATE blob SET part = 5 WHERE part = 1",
      "UPDATE blob SET bytes = zeroblob(1048576) WHERE part = 1",
      "UPDATE blob SET bytes = zeroblob(0) WHERE part = 2",
      "UPDATE blob SET bytes = CAST(bytes || x'00' AS BLOB) WHERE part = 1",
      "UPDATE blob SET bytes = x'' WHERE length(bytes) < 1000 AND part = 0",
      "UPDATE blob SET bytes = x'ffff' WHERE length(bytes) < 1000 AND part = 0",
  };
  const std::string path = store::DatabasePath(directory_.path());
  for (const std::string& edit : edits) {
    SCOPED_TRACE(edit);
    const std::string intact = testing::ReadWholeFile(path);
    ASSERT_OK(store::SqliteConnection::Open(path, store::SqliteConnection::Mode::kReadWrite)
                  ->RunScript(edit));
    EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kDataLoss));
    store_.reset();
    testing::WriteWholeFile(path, intact);
    store_ = *store::OpenStore(*store::DataDirectoryLock::Acquire(directory_.path()));
  }
  EXPECT_OK(Check());
}

}  // namespace
}  // namespace topicwall::ledger
