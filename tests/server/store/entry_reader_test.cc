#include "server/store/entry_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/server/store/forwarding_store.h"
#include "tests/support/status_matchers.h"

namespace topicwall::store {
namespace entry_reader_test {

using ::testing::SizeIs;
using ::topicwall::testing::ForwardingStore;
using ::topicwall::testing::StatusIs;

// A chain of so many entries of so many bytes, and what was read of it.
class Chain : public ForwardingStore {
 public:
  Chain(int64_t length, size_t bytes) : ForwardingStore(nullptr), length_(length), bytes_(bytes) {}
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view /*budget_id*/,
                                                           int64_t first, int64_t limit) override {
    ++reads;
    std::vector<v1::LedgerEntry> entries;
    for (int64_t sequence = first; sequence < first + limit && sequence <= length_; ++sequence) {
      entries.emplace_back().set_sequence(sequence);
      entries.back().set_head(std::string(bytes_, 'h'));
    }
    entries_read += static_cast<int64_t>(entries.size());
    return entries;
  }
  int64_t reads = 0;
  int64_t entries_read = 0;

 private:
  const int64_t length_;
  const size_t bytes_;
};

TEST(EntryReaderTest, EveryEntryIsGivenOnceInOrderWhateverTheirSizes) {
  for (const size_t bytes : {10, 300, 5000, 60000}) {
    Chain chain(200, bytes);
    std::vector<int64_t> given;
    ASSERT_OK(ReadEntriesSlowly(chain, "b", 3, 200, [&](v1::LedgerEntry entry) {
      given.push_back(entry.sequence());
      return absl::OkStatus();
    }));
    EXPECT_THAT(given, SizeIs(198)) << bytes;
    EXPECT_EQ(given.front(), 3);
    EXPECT_TRUE(std::is_sorted(given.begin(), given.end()));
  }
}

TEST(EntryReaderTest, ShortEntriesTakeFewReadsAndOfLongOnesFewAreReadForNothing) {
  const auto ignore = [](const v1::LedgerEntry&) { return absl::OkStatus(); };
  Chain of_short(640, 100);
  ASSERT_OK(ReadEntriesSlowly(of_short, "b", 1, 640, ignore));
  EXPECT_EQ(of_short.reads, 10);
  EXPECT_EQ(of_short.entries_read, 640);
  Chain of_long(640, 60000);
  ASSERT_OK(ReadEntriesSlowly(of_long, "b", 1, 640, ignore));
  EXPECT_LE(of_long.entries_read, 64 + 2 * 640);
}

TEST(EntryReaderTest, AMissingEntryAndAReaderWhoGivesUpEndIt) {
  Chain chain(10, 100);
  const auto until = [](int64_t last) {
    return [last](const v1::LedgerEntry& entry) {
      return entry.sequence() < last ? absl::OkStatus() : absl::CancelledError("gone");
    };
  };
  EXPECT_THAT(ReadEntriesSlowly(chain, "b", 1, 11, until(100)),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ReadEntriesSlowly(chain, "b", 1, 10, until(4)),
              StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace entry_reader_test
}  // namespace topicwall::store
