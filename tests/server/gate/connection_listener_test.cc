#include "server/gate/connection_listener.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/support/connect_to.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::testing::AllOf;
using testing::ConnectTo;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

// Whether the other side has hung up: true or false once it is known.
bool IsHungUp(int descriptor) {
  char byte;
  return recv(descriptor, &byte, 1, 0) <= 0;
}

class ConnectionListenerTest : public ::testing::Test {
 protected:
  void Listen(const std::string& address) {
    ASSERT_OK_AND_ASSIGN(auto listener, ConnectionListener::Listen("listen_address", address));
    listener_ = std::move(listener);
    // Says one byte and hangs up. Counts first: the byte tells the client that it was counted.
    listener_->Start([this](int, int connection) {
      ++taken_;
      EXPECT_EQ(send(connection, "x", 1, MSG_NOSIGNAL), 1);
      close(connection);
    });
  }
  void ExpectIsTaken() {
    const int descriptor = ConnectTo(listener_->port());
    EXPECT_FALSE(IsHungUp(descriptor));
    close(descriptor);
  }

  std::unique_ptr<ConnectionListener> listener_;
  std::atomic<int> taken_ = 0;
};

TEST_F(ConnectionListenerTest, GivesEveryConnectionToItsTaker) {
  Listen("127.0.0.1:0");
  EXPECT_GT(listener_->port(), 0);
  for (int i = 0; i < 50; ++i) ExpectIsTaken();
  EXPECT_EQ(taken_, 50);
}

TEST_F(ConnectionListenerTest, ListensByNameAndOnEveryAddress) {
  const int six = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool has_six = six >= 0 || errno != EAFNOSUPPORT;
  if (six >= 0) close(six);
  for (const std::string address : {"localhost:0", "0.0.0.0:0", "[::]:0"}) {
    if (address[0] == '[' && !has_six) continue;  // a kernel without IPv6
    SCOPED_TRACE(address);
    Listen(address);
    ExpectIsTaken();
    listener_->Stop();
  }
}

TEST_F(ConnectionListenerTest, WhyItCannotListenIsSaid) {
  Listen("127.0.0.1:0");
  const std::string address = absl::StrCat("127.0.0.1:", listener_->port());
  EXPECT_THAT(ConnectionListener::Listen("listen_address", address),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("listen_address " + address), HasSubstr("port is taken"))));
  // The third is documentation's, and no machine's (RFC 5737).
  for (const char* wrong :
       {"127.0.0.1", "127.0.0.1:http", "192.0.2.1:0", "no.such.host.invalid:1"}) {
    EXPECT_THAT(ConnectionListener::Listen("listen_address", wrong),
                StatusIs(absl::StatusCode::kUnavailable, Not(HasSubstr("port is taken"))))
        << wrong;
  }
}

TEST_F(ConnectionListenerTest, TakesNothingOnceItIsStopped) {
  Listen("127.0.0.1:0");
  ExpectIsTaken();
  listener_->Stop();
  listener_->Stop();
  const int late = ConnectTo(listener_->port());  // the kernel takes it, nobody else does
  const timeval patience{.tv_sec = 0, .tv_usec = 300'000};
  ASSERT_EQ(setsockopt(late, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
  char byte;
  EXPECT_EQ(recv(late, &byte, 1, 0), -1) << "answered or hung up on";
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(taken_, 1);
  close(late);
}

// With the process's limit at what it has open, and again with room.
TEST_F(ConnectionListenerTest, WithoutDescriptorsItWaitsAndTakesAgainAfterwards) {
  Listen("127.0.0.1:0");
  ExpectIsTaken();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);  // the lowest that is free
  close(next);
  const auto limit_to = [&](rlim_t descriptors) {
    const rlimit limit{descriptors, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  };

  // Room for the client's end alone: accepting fails.
  limit_to(static_cast<rlim_t>(next) + 1);
  const int waiting = ConnectTo(listener_->port());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(taken_, 1);
  limit_to(before.rlim_cur);
  EXPECT_FALSE(IsHungUp(waiting)) << "taken as soon as there is room";
  close(waiting);
  ExpectIsTaken();
}

}  // namespace
}  // namespace topicwall::server
