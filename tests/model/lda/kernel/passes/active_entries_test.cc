#include "model/lda/kernel/passes/active_entries.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace active_entries_test {

using ::topicwall::lda::testing::TaskForTests;
using Entries = ActiveEntries<SimdPortable>;

// b of word j and topic k, different for all.
float EntryOf(size_t word, size_t topic) { return static_cast<float>(100 * word + topic); }

std::vector<std::vector<float>> RowsOf(size_t words, size_t topics) {
  std::vector<std::vector<float>> rows(words, std::vector<float>(topics));
  for (size_t j = 0; j < words; ++j) {
    for (size_t k = 0; k < topics; ++k) rows[j][k] = EntryOf(j, k);
  }
  return rows;
}

// Topics 1, 3, 5 … of 20.
constexpr size_t kTopics = 20;
size_t Odd(size_t a) { return 2 * a + 1; }

void ListOddTopics(const KernelTask& task, size_t size) {
  for (size_t a = 0; a < size; ++a) task.topics[a] = static_cast<uint32_t>(Odd(a));
}

float At(const Entries& entries, size_t word, size_t column) {
  const size_t tile = word / Entries::kTileWords;
  return entries.tile(tile)[column * entries.width(tile) + word % Entries::kTileWords];
}

TEST(ActiveEntriesTest, HoldTheListedTopicsOfEveryWord) {
  for (const size_t words : {1, 3, 4, 5, 31, 32, 33, 70}) {
    TaskForTests task(RowsOf(words, kTopics), std::vector<float>(words, 1.0f), 0.1);
    for (const size_t size : {0, 1, 3, 4, 7}) {
      ListOddTopics(task.task, size);
      const Entries entries(task.task, size);
      for (size_t j = 0; j < words; ++j) {
        for (size_t a = 0; a < size; ++a) ASSERT_EQ(At(entries, j, a), EntryOf(j, Odd(a)));
        for (size_t a = size; a < entries.columns(); ++a) ASSERT_EQ(At(entries, j, a), 0.0f);
      }
    }
  }
}

TEST(ActiveEntriesTest, WordsBeyondTheLastAreTheFirstOne) {
  TaskForTests task(RowsOf(5, kTopics), std::vector<float>(5, 1.0f), 0.1);
  ListOddTopics(task.task, 2);
  const Entries entries(task.task, 2);
  ASSERT_EQ(entries.width(0), 8u);
  for (size_t j = 5; j < 8; ++j) EXPECT_EQ(At(entries, j, 1), EntryOf(0, Odd(1)));
}

TEST(ActiveEntriesTest, AMovedColumnGoesThroughAllTilesAndTheRestIsCleared) {
  TaskForTests task(RowsOf(40, kTopics), std::vector<float>(40, 1.0f), 0.1);
  ListOddTopics(task.task, 6);
  Entries entries(task.task, 6);
  entries.MoveColumn(5, 0);
  entries.Resize(1);
  EXPECT_EQ(entries.columns(), 4u);
  for (size_t j = 0; j < 40; ++j) {
    EXPECT_EQ(At(entries, j, 0), EntryOf(j, Odd(5)));
    for (size_t a = 1; a < 4; ++a) EXPECT_EQ(At(entries, j, a), 0.0f);
  }
}

}  // namespace active_entries_test
}  // namespace topicwall::lda
