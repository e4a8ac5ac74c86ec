#include "server/ledger/folded/durable_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/durable_file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/syncs/watched_syncs.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::ledger {
namespace {

using ::testing::ElementsAre;
using ::topicwall::testing::ReadWholeFile;
using ::topicwall::testing::StatusIs;
using ::topicwall::testing::WatchedSyncs;
using ::topicwall::testing::WriteWholeFile;

class DurableSlotsTest : public ::testing::Test {
 protected:
  std::string Found() const {
    const auto slots = DurableSlots::Open(path_);
    EXPECT_OK(slots);
    return slots.ok() ? slots->value() : "";
  }

  testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.path() + "/value";
};

TEST_F(DurableSlotsTest, WhatWasPutLastIsFound) {
  ASSERT_OK_AND_ASSIGN(auto slots, DurableSlots::Make(path_, "zero"));
  EXPECT_EQ(Found(), "zero");
  for (int i = 1; i <= 9; ++i) {
    const std::string value(i * 7, static_cast<char>(i));
    ASSERT_OK(slots.Put(value));
    EXPECT_EQ(slots.value(), value);
    EXPECT_EQ(Found(), value);
  }
}

// Of the slot that is being written any part may be old and any new.
TEST_F(DurableSlotsTest, AHalfWrittenSlotLeavesTheValueBefore) {
  ASSERT_OK_AND_ASSIGN(auto slots, DurableSlots::Make(path_, "the first value"));
  ASSERT_OK(slots.Put("the second value"));
  for (const std::string value : {"the third", "the fourth, longer than before"}) {
    const std::string before = slots.value();
    const std::string old_bytes = ReadWholeFile(path_);
    ASSERT_OK(slots.Put(value));
    const std::string new_bytes = ReadWholeFile(path_);
    ASSERT_EQ(old_bytes.size(), new_bytes.size());
    int torn = 0;
    for (size_t i = 0; i < new_bytes.size(); ++i) {
      if (old_bytes[i] == new_bytes[i]) continue;
      WriteWholeFile(path_, new_bytes.substr(0, i) + old_bytes.substr(i));
      EXPECT_EQ(Found(), before) << i;
      ++torn;
      WriteWholeFile(path_, old_bytes.substr(0, i) + new_bytes.substr(i));
      const std::string found = Found();
      EXPECT_TRUE(found == before || torn == 1) << i;  // nothing of it is missing the first time
    }
    EXPECT_GT(torn, 30);
    WriteWholeFile(path_, new_bytes);
    EXPECT_EQ(Found(), value);
  }
}

TEST_F(DurableSlotsTest, ASlotThatWasDamagedLaterIsNotRead) {
  ASSERT_OK_AND_ASSIGN(auto slots, DurableSlots::Make(path_, "first"));
  ASSERT_OK(slots.Put("second"));
  const std::string whole = ReadWholeFile(path_);
  for (const size_t slot : {size_t{0}, whole.size() / 2}) {
    for (size_t i = 0; i < 32 + 16 + 5; ++i) {
      std::string damaged = whole;
      damaged[slot + i] ^= 0x40;
      WriteWholeFile(path_, damaged);
      EXPECT_EQ(Found(), slot == 0 ? "second" : "first") << i;
      damaged[slot + i] ^= 0x40;
    }
  }
  WriteWholeFile(path_, std::string(whole.size(), '\0'));
  EXPECT_THAT(DurableSlots::Open(path_), StatusIs(absl::StatusCode::kDataLoss));
  for (const size_t cut : {size_t{0}, size_t{1}, size_t{40}}) {
    WriteWholeFile(path_, whole.substr(0, cut));
    EXPECT_THAT(DurableSlots::Open(path_), StatusIs(absl::StatusCode::kDataLoss)) << cut;
  }
}

TEST_F(DurableSlotsTest, AValueIsOverwrittenWhereItLiesUntilItOutgrowsItsSlot) {
  const auto file_number = [&] {
    struct stat status = {};
    EXPECT_EQ(stat(path_.c_str(), &status), 0);
    return status.st_ino;
  };
  ASSERT_OK_AND_ASSIGN(auto slots, DurableSlots::Make(path_, ""));
  const auto before = file_number();
  ASSERT_OK(slots.Put(std::string(4000, 'x')));
  EXPECT_EQ(file_number(), before);
  const std::string longer(5000, 'y');
  ASSERT_OK(slots.Put(longer));
  EXPECT_EQ(Found(), longer);
  const auto after = file_number();
  ASSERT_OK(slots.Put("short again"));
  EXPECT_EQ(Found(), "short again");
  EXPECT_EQ(file_number(), after) << "goes on in the new file";
}

TEST_F(DurableSlotsTest, APutIsOneSyncOfTheFileAndIsNotDoneUnlessThatSucceeds) {
  ASSERT_OK_AND_ASSIGN(auto slots, DurableSlots::Make(path_, "first"));
  {
    const WatchedSyncs syncs(folder_.path());
    ASSERT_OK(slots.Put("second"));
    EXPECT_THAT(syncs.acts(), ElementsAre("sync value"));
  }
  {
    const WatchedSyncs syncs(folder_.path(), "value");
    EXPECT_THAT(slots.Put("third"), StatusIs(absl::StatusCode::kUnknown));
    EXPECT_EQ(slots.value(), "second");
  }
  ASSERT_OK(slots.Put("fourth"));
  EXPECT_EQ(Found(), "fourth");
}

TEST_F(DurableSlotsTest, AFileThatIsNotThereIsNotMade) {
  EXPECT_THAT(DurableSlots::Open(path_), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_FALSE(base::FileExists(path_));
}

}  // namespace
}  // namespace topicwall::ledger
