#include "server/log/storage_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {

struct StorageWatchTestPeer {
  static void LookAt(StorageWatch& watch, const absl::Status& act, absl::Duration now) {
    watch.LookAt(act, now);
  }
};

namespace storage_watch_test {

constexpr absl::Duration kStart = absl::Hours(1);

class StorageWatchTest : public ::testing::Test {
 protected:
  int LinesWith(const std::string& word) const {
    std::ifstream file(folder_.path() + "/log");
    int lines = 0;
    for (std::string line; std::getline(file, line);) lines += absl::StrContains(line, word);
    return lines;
  }

  const testing::TemporaryDirectory folder_;
  const std::unique_ptr<EventLog> log_ = *EventLog::Open(folder_.path() + "/log");
  StorageWatch watch_{folder_.path(), log_.get()};
};

TEST_F(StorageWatchTest, AnActThatTheDiskRefusedIsAnAlarmOnceAnHour) {
  const absl::Status full =
      absl::UnavailableError("the ledger's disk is full; nothing was changed");
  for (int minute = 0; minute < 90; ++minute) {
    StorageWatchTestPeer::LookAt(watch_, full, kStart + absl::Minutes(minute));
  }
  EXPECT_EQ(LinesWith(kAlarmStorageFailed), 2);
}

TEST_F(StorageWatchTest, SoIsWhateverElseOfTheLedgersFails) {
  absl::Duration now = kStart;
  int alarms = 0;
  for (const absl::Status& failed :
       {absl::UnavailableError("the ledger's database cannot be reached: it is down."),
        absl::DataLossError("the ledger's log was deleted under it: restore a backup."),
        absl::InternalError("the ledger's storage refused (SQLite 21: bad parameter)")}) {
    StorageWatchTestPeer::LookAt(watch_, failed, now += StorageWatch::kBetweenAlarms);
    EXPECT_EQ(LinesWith(kAlarmStorageFailed), ++alarms) << failed;
  }
}

TEST_F(StorageWatchTest, WhatAnAnalystIsRefusedIsNone) {
  StorageWatchTestPeer::LookAt(
      watch_, absl::UnavailableError("the corpus's queue is full; nothing was charged, try again"),
      kStart);
  StorageWatchTestPeer::LookAt(watch_, absl::OkStatus(), kStart);
  EXPECT_EQ(LinesWith(kAlarmStorageFailed), 0);
}

TEST_F(StorageWatchTest, ALedgerThatSomebodyEditedIsOneOnceAnHour) {
  const absl::Status edited = absl::DataLossError(
      "the ledger in /data cannot be used: the ledger is not its custodian's: event 3 …");
  for (int minute = 0; minute < 90; ++minute) {
    StorageWatchTestPeer::LookAt(watch_, edited, kStart + absl::Minutes(minute));
  }
  EXPECT_EQ(LinesWith(kAlarmNotTheCustodians), 2);
  EXPECT_EQ(LinesWith(kAlarmStorageFailed), 0);
}

TEST_F(StorageWatchTest, ALedgerThatANewerProgramWroteIsAnAlarmOfItsOwnAndNoneOfTampering) {
  const absl::Status newer = absl::FailedPreconditionError(
      "ledger entry 4 of budget b says more than the server's program knows, which is older …");
  for (int minute = 0; minute < 90; ++minute) {
    StorageWatchTestPeer::LookAt(watch_, newer, kStart + absl::Minutes(minute));
  }
  EXPECT_EQ(LinesWith(kAlarmWrittenByNewer), 2);
  EXPECT_EQ(LinesWith(kAlarmNotTheCustodians) + LinesWith(kAlarmStorageFailed), 0);
}

TEST_F(StorageWatchTest, FreeBytesAreThoseOfTheFoldersDisk) {
  const auto free = FreeBytes(folder_.path());
  ASSERT_TRUE(free.has_value());
  EXPECT_GT(*free, 0);
  EXPECT_FALSE(FreeBytes(folder_.path() + "/no/such/folder").has_value());
}

}  // namespace storage_watch_test
}  // namespace topicwall::server
