#include "server/acts/frame_connection.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>

#include "tests/server/acts/act_pair.h"
#include "tests/support/status_matchers.h"

namespace topicwall::acts {
namespace {

using ::topicwall::testing::StatusIs;

int OpenDescriptors() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

int64_t MostResidentKiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

absl::Status ReceiveOf(const std::string& bytes) {
  SocketPair pair;
  RawPeer peer(std::move(pair.gate));
  FrameConnection connection(std::move(pair.vault));
  peer.SendBytes(bytes);
  peer.StopSending();
  v1::Frame frame;
  return connection.Receive(&frame);
}

TEST(FrameConnectionTest, FramesArriveAsTheyWereSentThroughSmallBuffers) {
  SocketPair pair(16 << 10);
  FrameConnection gate(std::move(pair.gate)), vault(std::move(pair.vault));
  // The last is exactly as long as may be: 8 bytes of tags and lengths.
  const std::vector<size_t> sizes = {0, 1, 16 << 10, (1 << 20) - 6};
  std::thread sender([&] {
    for (const size_t size : sizes) EXPECT_OK(gate.Send(Part(1, std::string(size, 'a'))));
  });
  for (const size_t size : sizes) {
    v1::Frame frame;
    EXPECT_OK(vault.Receive(&frame));
    EXPECT_EQ(frame.act(), 1u);
    EXPECT_EQ(frame.part(), std::string(size, 'a'));
  }
  sender.join();
}

TEST(FrameConnectionTest, ALengthBeyondTheBoundIsRefusedWithoutTakingItsMemory) {
  const int64_t before = MostResidentKiB();
  for (const uint32_t length : {0u, (1u << 20) + 1, 1u << 31, 0xffffffffu}) {
    SocketPair pair;
    RawPeer peer(std::move(pair.gate));
    FrameConnection connection(std::move(pair.vault));
    peer.SendBytes(LittleEndian(length));  // and does not hang up: nobody may wait for more
    v1::Frame frame;
    EXPECT_THAT(connection.Receive(&frame), StatusIs(absl::StatusCode::kInvalidArgument)) << length;
  }
  EXPECT_LT(MostResidentKiB() - before, 64 << 10);
}

TEST(FrameConnectionTest, OnlyAnEndBetweenFramesIsTheEndOfASession) {
  const std::string whole = OnWire(LastPart(1, "some bytes"));
  EXPECT_THAT(ReceiveOf(""), StatusIs(absl::StatusCode::kOutOfRange));
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_THAT(ReceiveOf(whole.substr(0, size)), StatusIs(absl::StatusCode::kInvalidArgument))
        << size;
  }
  EXPECT_OK(ReceiveOf(whole));
}

TEST(FrameConnectionTest, WhatIsNotUnderstoodToTheLastByteIsNoFrame) {
  const std::string frame = LastPart(1, "bytes").SerializeAsString();
  for (const std::string& more : {std::string("\xff\xff"), std::string("\x7a\x01x"),
                                  std::string(1, '\0'), std::string("garbage")}) {
    const std::string bytes = frame + more;
    EXPECT_THAT(ReceiveOf(LittleEndian(static_cast<uint32_t>(bytes.size())) + bytes),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(FrameConnectionTest, APassedDescriptorNeverAppears) {
  SocketPair pair;
  const int gate = pair.gate.get();
  FrameConnection connection(std::move(pair.vault));
  const int before = OpenDescriptors();
  std::string bytes = OnWire(LastPart(1, "with a present"));
  iovec piece{.iov_base = bytes.data(), .iov_len = bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &gate, sizeof(gate));
  ASSERT_EQ(sendmsg(gate, &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  v1::Frame frame;
  EXPECT_OK(connection.Receive(&frame));
  EXPECT_EQ(frame.last_part(), "with a present");
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST(FrameConnectionTest, AClosedPeerIsAnErrorAndNoSignal) {
  SocketPair pair;
  FrameConnection connection(std::move(pair.vault));
  pair.gate = base::FileDescriptor(-1);
  EXPECT_THAT(connection.Send(NoMore(1)), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(FrameConnectionTest, CloseWakesWhoReceivesAndWhoSends) {
  SocketPair pair(16 << 10);
  FrameConnection connection(std::move(pair.vault));
  std::thread receiver([&] {
    v1::Frame frame;
    EXPECT_FALSE(connection.Receive(&frame).ok());
  });
  std::thread sender([&] {  // the peer never reads
    EXPECT_THAT(connection.Send(Part(1, std::string(1 << 19, 'x'))),
                StatusIs(absl::StatusCode::kUnavailable));
  });
  absl::SleepFor(absl::Milliseconds(20));  // most likely both wait now; right in either case
  connection.Close();
  receiver.join();
  sender.join();
}

// Half a frame may be out: whoever receives learns it at once, and not when the peer hangs up.
TEST(FrameConnectionTest, ASendThatFailsEndsTheReceivingToo) {
  SocketPair pair;
  FrameConnection connection(std::move(pair.vault));
  ASSERT_EQ(shutdown(pair.gate.get(), SHUT_RD), 0);
  EXPECT_THAT(connection.Send(NoMore(1)), StatusIs(absl::StatusCode::kUnavailable));
  const std::string sent = OnWire(NoMore(2));
  EXPECT_EQ(send(pair.gate.get(), sent.data(), sent.size(), MSG_NOSIGNAL), -1);
}

TEST(FrameConnectionTest, AFrameThatIsTooLongIsNotSentAndTheNextOneIs) {
  SocketPair pair;
  FrameConnection gate(std::move(pair.gate)), vault(std::move(pair.vault));
  EXPECT_THAT(gate.Send(Part(1, std::string(1 << 20, 'x'))),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_OK(gate.Send(NoMore(2)));
  v1::Frame frame;
  EXPECT_OK(vault.Receive(&frame));
  EXPECT_EQ(frame.act(), 2u);
}

}  // namespace
}  // namespace topicwall::acts
