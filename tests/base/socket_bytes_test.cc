#include "base/socket_bytes.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <thread>

#include "base/file_descriptor.h"
#include "tests/support/status_matchers.h"

namespace topicwall::base {
namespace {

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
