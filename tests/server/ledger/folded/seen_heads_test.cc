#include "server/ledger/folded/seen_heads.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/store.pb.h"
#include "server/ledger/folded/durable_slots.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::ledger {
namespace seen_heads_test {

using testing::ReadWholeFile;
using testing::StatusIs;
using testing::TemporaryDirectory;
using testing::WriteWholeFile;

std::unique_ptr<SeenHeads> OpenIn(const TemporaryDirectory& directory) {
  auto opened = SeenHeads::Open(*store::DataDirectoryLock::Acquire(directory.path()));
  EXPECT_OK(opened);
  return *std::move(opened);
}

// Two chains of one ledger, when it has had so many events.
std::vector<store::Chain> After(int64_t events) {
  return {{"b1", events - events / 3, absl::StrCat("head ", events)},
          {"b2", events / 3, absl::StrCat("other head ", events)}};
}

// As a start would find it, whoever writes meanwhile. A copy in which both slots were being written
// is taken again.
int64_t EventsOnDisk(const TemporaryDirectory& directory, const std::string& copy) {
  for (;;) {
    WriteWholeFile(copy, ReadWholeFile(SeenHeadsPath(directory.path())));
    const auto slots = DurableSlots::Open(copy);
    if (absl::IsDataLoss(slots.status())) continue;
    EXPECT_OK(slots);
    v1::SeenHeads seen;
    EXPECT_TRUE(seen.ParseFromString(slots->value()));
    int64_t events = 0;
    for (const v1::StoreChain& chain : seen.heads()) events += chain.length();
    return events;
  }
}

TEST(SeenHeadsTest, AServerKeepsItsIdAndIsANewOneWithoutTheFile) {
  TemporaryDirectory directory;
  const std::string id = OpenIn(directory)->server_id();
  EXPECT_EQ(id.size(), 32);
  EXPECT_EQ(OpenIn(directory)->server_id(), id);
  EXPECT_OK(OpenIn(directory)->Note(After(5)));
  EXPECT_EQ(OpenIn(directory)->server_id(), id);
  std::filesystem::remove(SeenHeadsPath(directory.path()));
  EXPECT_NE(OpenIn(directory)->server_id(), id);
}

TEST(SeenHeadsTest, WhatIsNotedIsOnTheDiskWhenItIsAnswered) {
  TemporaryDirectory directory;
  const std::string copy = directory.path() + "/copy";
  const auto seen = OpenIn(directory);
  EXPECT_EQ(EventsOnDisk(directory, copy), 0);
  for (int64_t events = 1; events <= 20; ++events) {
    ASSERT_OK(seen->Note(After(events)));
    EXPECT_EQ(EventsOnDisk(directory, copy), events);
  }
  ASSERT_OK(seen->Note(After(3))) << "one that is answered late";
  EXPECT_EQ(EventsOnDisk(directory, copy), 20) << "nothing is forgotten";
}

TEST(SeenHeadsTest, ManyWhoNoteAtOnceAreEachAnsweredWhenTheirsIsOnTheDisk) {
  TemporaryDirectory directory;
  const auto seen = OpenIn(directory);
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string copy = absl::StrCat(directory.path(), "/copy", thread);
      for (int64_t events = 1 + thread; events <= 160; events += kThreads) {
        ASSERT_OK(seen->Note(After(events)));
        EXPECT_GE(EventsOnDisk(directory, copy), events);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(EventsOnDisk(directory, directory.path() + "/copy"), 160);
}

TEST(SeenHeadsTest, ADamagedFileIsNotTakenForThatOfANewServer) {
  TemporaryDirectory directory;
  ASSERT_OK(OpenIn(directory)->Note(After(5)));
  const std::string path = SeenHeadsPath(directory.path());
  for (const std::string& damaged :
       {std::string(), std::string(100, 'x'), std::string(8192, '\0')}) {
    WriteWholeFile(path, damaged);
    EXPECT_THAT(SeenHeads::Open(*store::DataDirectoryLock::Acquire(directory.path())).status(),
                StatusIs(absl::StatusCode::kDataLoss))
        << damaged.size();
  }
}

// A full disk is in the way of a file that has to grow, and of no other.
TEST(SeenHeadsTest, AFileThatCannotBeWrittenIsUnavailableAndNothingIsAnswered) {
  TemporaryDirectory directory;
  const auto seen = OpenIn(directory);
  // A chain that has outgrown the file needs a new one, for which a folder is in the way.
  std::filesystem::create_directories(SeenHeadsPath(directory.path()) + ".partial/full");
  std::vector<store::Chain> many;
  for (int i = 0; i < 200; ++i) many.push_back({absl::StrCat("budget ", i), 1, "head"});
  EXPECT_THAT(seen->Note(many), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(seen->Note(many), StatusIs(absl::StatusCode::kUnavailable)) << "asked again";
  std::filesystem::remove_all(SeenHeadsPath(directory.path()) + ".partial");
  EXPECT_OK(seen->Note(many));
  EXPECT_EQ(EventsOnDisk(directory, directory.path() + "/copy"), 200);
}

}  // namespace seen_heads_test
}  // namespace topicwall::ledger
