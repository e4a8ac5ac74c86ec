#include "server/gate/health_listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/connect_to.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;
using testing::StatusIs;

class HealthListenerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(auto started, HealthListener::Start("127.0.0.1:0"));
    health_ = std::move(started);
  }
  int Connect() const { return testing::ConnectTo(health_->port()); }
  // What comes until the other side hangs up.
  static std::string Say(int descriptor, const std::string& request) {
    send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
    std::string reply;
    char bytes[4096];
    for (ssize_t read; (read = recv(descriptor, bytes, sizeof(bytes), 0)) > 0;) {
      reply.append(bytes, static_cast<size_t>(read));
    }
    close(descriptor);
    return reply;
  }
  std::string Ask(const std::string& request) const { return Say(Connect(), request); }

  std::unique_ptr<HealthListener> health_;
};

constexpr char kRequest[] = "GET /health HTTP/1.1\r\nHost: wall\r\n\r\n";

TEST_F(HealthListenerTest, SaysWhetherTheServerServes) {
  EXPECT_THAT(Ask(kRequest), StartsWith("HTTP/1.1 503 "));
  health_->SetServing(true);
  EXPECT_THAT(Ask(kRequest), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nok\n")));
  health_->SetServing(false);
  EXPECT_THAT(Ask(kRequest), StartsWith("HTTP/1.1 503 "));
}

TEST_F(HealthListenerTest, SaysNothingElse) {
  health_->SetServing(true);
  for (const char* request : {"GET / HTTP/1.1\r\n\r\n", "POST /health HTTP/1.1\r\n\r\n",
                              "GET /healthy HTTP/1.1\r\n\r\n", "\r\n", "\n", "rubbish\n"}) {
    EXPECT_THAT(Ask(request), StartsWith("HTTP/1.1 404 ")) << request;
  }
  EXPECT_EQ(Ask(std::string(4096, 'x')), "") << "no line within the first kilobyte";
}

TEST_F(HealthListenerTest, TheSilentDoNotKeepItFromAnswering) {
  health_->SetServing(true);
  std::vector<int> silent;
  for (int i = 0; i < HealthListener::kConnections - 1; ++i) silent.push_back(Connect());
  EXPECT_THAT(Ask(kRequest), StartsWith("HTTP/1.1 200 "));
  for (const int descriptor : silent) close(descriptor);
}

TEST_F(HealthListenerTest, WhoComesWhenItIsFullTakesThePlaceOfTheOldest) {
  health_->SetServing(true);
  std::vector<int> silent;
  for (int i = 0; i < 2 * HealthListener::kConnections; ++i) silent.push_back(Connect());
  EXPECT_THAT(Ask(kRequest), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Say(silent.back(), kRequest), StartsWith("HTTP/1.1 200 ")) << "the newest stays";
  silent.pop_back();
  EXPECT_EQ(Say(silent.front(), kRequest), "");
  silent.erase(silent.begin());
  for (const int descriptor : silent) close(descriptor);
}

TEST_F(HealthListenerTest, TheSilentLoseTheirPlacesInTheEnd) {
  health_->SetServing(true);
  std::vector<int> silent;
  for (int i = 0; i < HealthListener::kConnections; ++i) silent.push_back(Connect());
  char byte;
  for (const int descriptor : silent) {
    EXPECT_EQ(recv(descriptor, &byte, 1, 0), 0) << "waits until it is hung up on";
    close(descriptor);
  }
  EXPECT_THAT(Ask(kRequest), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HealthListenerTest, APortThatIsTakenIsAnError) {
  EXPECT_THAT(HealthListener::Start("127.0.0.1:" + std::to_string(health_->port())),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("health_address")));
}

}  // namespace
}  // namespace topicwall::server
