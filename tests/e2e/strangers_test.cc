// Strangers who open connections again as fast as the wall hangs up on them.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "proto/grpc_status.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr std::chrono::seconds kPatience{30};

int PortIn(const std::string& address) {
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
  return port;
}

absl::Status Ask(v1::PrivacyWall::Stub& stub) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
  v1::GetBudgetRequest request;
  request.set_corpus("notes");
  v1::BudgetStatus budget;
  return proto::FromGrpcStatus(stub.GetBudget(&context, request, &budget));
}

// Connections of 127.0.0.2, each opened again as soon as the wall hangs up on it, until the end.
class StrangersWhoComeBack {
 public:
  StrangersWhoComeBack(int port, int connections) : port_(port) {
    for (int i = 0; i < connections; ++i) ends_.push_back({Connect(), POLLIN, 0});
    thread_ = std::thread([this] { ComeBackUntilOver(); });
  }
  ~StrangersWhoComeBack() {
    over_ = true;
    thread_.join();
    for (const pollfd& end : ends_) close(end.fd);
  }
  int back() const { return back_; }

 private:
  int Connect() const {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // It may be refused, when too many are waiting.
    static_cast<void>(
        connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
    return descriptor;
  }
  void ComeBackUntilOver() {
    while (!over_) {
      poll(ends_.data(), ends_.size(), 100);
      for (pollfd& end : ends_) {
        if (end.revents == 0) continue;
        close(end.fd);
        end = {Connect(), POLLIN, 0};
        ++back_;
      }
    }
  }

  const int port_;
  std::vector<pollfd> ends_;
  std::atomic<bool> over_ = false;
  std::atomic<int> back_ = 0;
  std::thread thread_;
};

TEST(Strangers, AServerThatHardlyAnybodyCouldReachDoesNotStart) {
  WallWorld world;
  EXPECT_FALSE(world.StartServer({}, {.open_files = 60}));
  EXPECT_THAT(world.ServerOutput(), ::testing::HasSubstr("LimitNOFILE"));
}

TEST(Strangers, WhoComeBackAtOnceKeepNobodyOutWhoComesFromElsewhere) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer({}, {.open_files = 200})) << world.ServerOutput();
  const auto alice = world.StubOf("alice");
  ASSERT_OK(Ask(*alice));
  const StrangersWhoComeBack strangers(PortIn(world.address()), 150);
  int answered = 0;
  constexpr int kNewcomers = 20;
  for (int i = 0; i < kNewcomers; ++i) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    absl::Status newcomer = absl::UnavailableError("");
    while (!newcomer.ok() && std::chrono::steady_clock::now() < deadline) {
      newcomer = Ask(*world.StubOnItsOwn("bob"));
    }
    if (newcomer.ok()) ++answered;
  }
  EXPECT_EQ(answered, kNewcomers);
  EXPECT_OK(Ask(*alice)) << "a connection that has its owner stays";
  EXPECT_GT(strangers.back(), 150) << "they were pushed out again and again";
}

}  // namespace
}  // namespace topicwall::testing
