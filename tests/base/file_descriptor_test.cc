#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "tests/support/status_matchers.h"

namespace topicwall::base {
namespace {

static_assert(!std::is_copy_constructible_v<FileDescriptor>);

FileDescriptor Opened() { return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool IsOpen(int number) { return fcntl(number, F_GETFD) >= 0; }

TEST(FileDescriptorTest, IsClosedWhenTheObjectGoesAndNotBefore) {
  int number = -1;
  {
    const FileDescriptor file = Opened();
    ASSERT_TRUE(file.valid());
    number = file.get();
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(FileDescriptorTest, AMovedOneIsClosedOnceByWhoeverHoldsItLast) {
  FileDescriptor first = Opened();
  const int number = first.get();
  FileDescriptor second(std::move(first));
  EXPECT_FALSE(first.valid());
  {
    FileDescriptor third = Opened();
    const int other = third.get();
    third = std::move(second);
    EXPECT_EQ(third.get(), number);
    EXPECT_EQ(second.get(), other);
  }
  EXPECT_FALSE(IsOpen(number));
  EXPECT_TRUE(IsOpen(second.get()));
}

TEST(FileDescriptorTest, WhatCouldNotBeOpenedIsNotValid) {
  EXPECT_FALSE(FileDescriptor(open("/no/such/file", O_RDONLY | O_CLOEXEC)).valid());
}

// More than a socket's buffer holds: it goes and comes in parts.
TEST(SocketBytesTest, WhatIsSentComesWholeAndThenTheEnd) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  FileDescriptor here(pair[0]);
  const FileDescriptor there(pair[1]);
  std::string sent;
  for (int i = 0; sent.size() < 4'000'000; ++i) sent += std::to_string(i);
  std::thread sender([&] {
    EXPECT_TRUE(SendAll(here.get(), sent));
    here = FileDescriptor(-1);
  });
  std::string received(sent.size(), '\0');
  const auto got = ReceiveAll(there.get(), received.data(), received.size());
  std::array<char, 2> end{};
  const auto behind = ReceiveAll(there.get(), end.data(), end.size());
  sender.join();
  ASSERT_OK(got);
  EXPECT_EQ(*got, sent.size());
  EXPECT_TRUE(received == sent);
  ASSERT_OK(behind);
  EXPECT_EQ(*behind, 0U);
}

TEST(SocketBytesTest, APeerThatHasGoneIsAnAnswerAndEndsNoProcess) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const FileDescriptor here(pair[0]);
  { const FileDescriptor there(pair[1]); }
  EXPECT_FALSE(SendAll(here.get(), "anybody?"));
}

}  // namespace
}  // namespace topicwall::base
