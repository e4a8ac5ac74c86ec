#include "base/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "tests/support/in_child.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::base {
namespace {

// In a process of its own: its streams are those of the tests.
bool HoldsInAChild(const std::function<bool()>& claim) {
  return testing::InChild([&claim] { return claim() ? 0 : 1; }) == 0;
}

TEST(StandardStreamsTest, AFileThatIsOpenedIsNeverAStandardStream) {
  const testing::TemporaryDirectory folder;
  EXPECT_TRUE(HoldsInAChild([&] {
    for (int stream = 0; stream <= 2; ++stream) close(stream);
    OccupyStandardStreams();
    return open(folder.Path("key").c_str(), O_WRONLY | O_CREAT, 0600) > 2 &&
           write(STDOUT_FILENO, "x", 1) < 0;
  }));
}

TEST(StandardStreamsTest, WhatIsNotOutIsToldWithTheReason) {
  EXPECT_TRUE(HoldsInAChild([] {
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
    Print("a result\n");
    Print("another one\n");
    return absl::IsDataLoss(Printed()) &&
           absl::StrContains(Printed().message(), "No space left on device") &&
           CodeAfterPrinting("test", 0) == 1 && CodeAfterPrinting("test", 4) == 4;
  }));
  EXPECT_TRUE(HoldsInAChild([] {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    Print("a result\n");
    return Printed().ok() && CodeAfterPrinting("test", 0) == 0;
  }));
}

TEST(StandardStreamsTest, AReaderThatWentAwayIsNoError) {
  EXPECT_TRUE(HoldsInAChild([] {
    signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return false;
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    Print("a result\n");
    return CodeAfterPrinting("test", 0) == 0;
  }));
}

}  // namespace
}  // namespace topicwall::base
