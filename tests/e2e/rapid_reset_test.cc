// A listed principal who begins calls and takes each back at once (CVE-2023-44487), by HTTP/2
// frames of its own: gRPC's client is too slow for it.
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "tests/e2e/http2_frames.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/connect_to.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

// Its calls otherwise took two gigabytes.
constexpr int64_t kMostKibibytes = 1 << 20;
constexpr std::chrono::seconds kStorm{5};
// Of fifty calls on each of four connections: 20,000 a second. What comes seven times as fast gRPC
// (of the version that Debian 12 has) reads before any of it is looked at.
constexpr std::chrono::milliseconds kPace{10};
constexpr std::chrono::seconds kPatience{60};

std::string TakenBack(const std::string& method, uint32_t stream) {
  return Http2Frame(kHttp2Headers, kHttp2EndHeaders, stream, HeadersOfCall(method)) +
         Http2Frame(kHttp2Data, kHttp2EndStream, stream, std::string("\0\0\0\0\7\x0a\5notes", 12)) +
         Http2Frame(kHttp2Reset, 0, stream, std::string("\0\0\0\10", 4));
}

class RapidResetTest : public ::testing::TestWithParam<const char*> {
 protected:
  RapidResetTest() : tls_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(tls_.get(), world_.Path("tls/bob.pem").c_str()),
              1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(tls_.get(), world_.Path("tls/bob.key").c_str(),
                                          SSL_FILETYPE_PEM),
              1);
    EXPECT_EQ(
        SSL_CTX_set_alpn_protos(tls_.get(), reinterpret_cast<const unsigned char*>("\2h2"), 3), 0);
  }
  // On one connection until the wall ends it.
  void SendUntilHungUp() {
    int port = 0;
    EXPECT_TRUE(absl::SimpleAtoi(world_.address().substr(world_.address().rfind(':') + 1), &port));
    const int socket = ConnectTo(port);
    const timeval patience{.tv_sec = 5, .tv_usec = 0};  // else a wall that reads no more keeps it
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    const std::unique_ptr<SSL, decltype(&SSL_free)> bob(SSL_new(tls_.get()), SSL_free);
    SSL_set_fd(bob.get(), socket);
    if (SSL_connect(bob.get()) == 1) {
      std::string bytes = kHttp2Preface + Http2Frame(kHttp2Settings, 0, 0, "");
      for (uint32_t stream = 1; !over_; bytes.clear()) {
        for (int i = 0; i < 50; ++i, stream += 2) bytes += TakenBack(GetParam(), stream);
        if (SSL_write(bob.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0) break;
        sent_ += 50;
        std::this_thread::sleep_for(kPace);
      }
    }
    close(socket);
  }
  bool AliceIsAnsweredSoon() const {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
      v1::GetBudgetRequest request;
      request.set_corpus("notes");
      v1::BudgetStatus budget;
      if (alice_->GetBudget(&context, request, &budget).ok()) return true;
    }
    return false;
  }

  WallWorld world_;
  std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_;
  std::atomic<bool> over_ = false;
  std::atomic<int> sent_ = 0;
};

TEST_P(RapidResetTest, EndsTheConnectionsOfWhoDoesItAndOthersAreAnswered) {
  signal(SIGPIPE, SIG_IGN);
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  alice_ = world_.StubOf("alice");
  ASSERT_TRUE(AliceIsAnsweredSoon());
  std::vector<std::thread> storm;
  std::atomic<int> hung_up = 0;
  for (int i = 0; i < 4; ++i) {
    storm.emplace_back([&] {
      while (!over_) {
        SendUntilHungUp();
        if (!over_) ++hung_up;
      }
    });
  }
  std::this_thread::sleep_for(kStorm);
  EXPECT_TRUE(AliceIsAnsweredSoon()) << "during the storm";
  over_ = true;
  for (std::thread& one : storm) one.join();
  EXPECT_TRUE(AliceIsAnsweredSoon()) << "after it";
  EXPECT_GT(hung_up, 0) << sent_ << " calls";
  EXPECT_LT(world_.server().StatusField("VmHWM:"), kMostKibibytes);
}

INSTANTIATE_TEST_SUITE_P(OfAll, RapidResetTest,
                         ::testing::Values("/topicwall.v1.PrivacyWall/GetBudget",
                                           "/topicwall.v1.PrivacyWall/NoSuchMethod",
                                           "/grpc.health.v1.Health/Check"),
                         [](const auto& tested) {
                           const std::string method = tested.param;
                           return method.substr(method.rfind('/') + 1);
                         });

}  // namespace
}  // namespace topicwall::testing
