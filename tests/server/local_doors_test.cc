#include "server/local_doors.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/in_child.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

using ::topicwall::testing::StatusIs;

constexpr uid_t kNobody = 65534;

v1::WallConfig ConfigIn(const std::string& directory) {
  v1::WallConfig config;
  config.set_data_directory(directory);
  return config;
}

// What `work` returns in a process of user `uid`.
int As(uid_t uid, const std::function<int()>& work) {
  return testing::InChild([&] { return setgid(uid) == 0 && setuid(uid) == 0 ? work() : 99; });
}

class LocalDoorsTest : public ::testing::Test {
 protected:
  static base::FileDescriptor AwaitOne(int listener, const v1::WallConfig& config) {
    pollfd waits{.fd = listener, .events = POLLIN, .revents = 0};
    poll(&waits, 1, 10'000);
    return Accept(listener, Door::kCustodian, config);
  }
  int ConnectAsNobody() const {
    return As(kNobody, [&] { return ConnectToServer(Door::kCustodian, config_).ok() ? 0 : 1; });
  }

  const testing::TemporaryDirectory folder_;
  const v1::WallConfig config_ = ConfigIn(folder_.path() + "/data");
};

TEST_F(LocalDoorsTest, WhoHasTheSameDataDirectoryIsConnected) {
  EXPECT_THAT(ConnectToServer(Door::kCustodian, config_), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK_AND_ASSIGN(const auto listener, Listen(Door::kCustodian, config_));
  EXPECT_FALSE(Accept(listener.get(), Door::kCustodian, config_).valid()) << "nobody waits";
  ASSERT_OK_AND_ASSIGN(const auto connection,
                       ConnectToServer(Door::kCustodian, ConfigIn(folder_.path() + "/./data")));
  const base::FileDescriptor accepted = AwaitOne(listener.get(), config_);
  ASSERT_TRUE(accepted.valid());
  char crossed = 0;
  EXPECT_EQ(write(connection.get(), "x", 1), 1);
  EXPECT_EQ(read(accepted.get(), &crossed, 1), 1);
  EXPECT_EQ(crossed, 'x');
  EXPECT_THAT(ConnectToServer(Door::kCustodian, ConfigIn(folder_.path() + "/data2")),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(LocalDoorsTest, ALinkToTheDataDirectoryLeadsToTheSameServer) {
  ASSERT_OK_AND_ASSIGN(const auto listener, Listen(Door::kCustodian, config_));
  std::filesystem::create_symlink(".", folder_.path() + "/link");
  EXPECT_OK(ConnectToServer(Door::kCustodian, ConfigIn(folder_.path() + "/link/data")));
}

TEST_F(LocalDoorsTest, OneServerHasTheNameUntilItIsGone) {
  {
    ASSERT_OK_AND_ASSIGN(const auto first, Listen(Door::kCustodian, config_));
    EXPECT_THAT(Listen(Door::kCustodian, config_), StatusIs(absl::StatusCode::kUnavailable));
  }
  EXPECT_OK(Listen(Door::kCustodian, config_));
}

TEST_F(LocalDoorsTest, AnotherUserIsHungUpOnUnlessTheDocumentsAreTheirs) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  ASSERT_OK_AND_ASSIGN(const auto listener, Listen(Door::kCustodian, config_));
  EXPECT_EQ(ConnectAsNobody(), 0);
  EXPECT_FALSE(AwaitOne(listener.get(), config_).valid());
  v1::WallConfig separated = config_;
  separated.mutable_processes()->set_gate("nobody");
  separated.mutable_processes()->set_vault("games");
  EXPECT_EQ(ConnectAsNobody(), 0);
  EXPECT_FALSE(AwaitOne(listener.get(), separated).valid()) << "the gate's";
  separated.mutable_processes()->set_gate("games");
  separated.mutable_processes()->set_vault("nobody");
  EXPECT_EQ(ConnectAsNobody(), 0);
  EXPECT_TRUE(AwaitOne(listener.get(), separated).valid()) << "the vault's";
}

TEST_F(LocalDoorsTest, WhoeverElseTookTheNameIsNotTakenForTheServer) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  int ready[2], over[2];
  ASSERT_EQ(pipe(ready) | pipe(over), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(over[1]);
    char end = 0;
    _exit(As(kNobody, [&] {
      const auto listener = Listen(Door::kCustodian, config_);
      return write(ready[1], "r", 1) == 1 && read(over[0], &end, 1) == 0 ? 0 : 1;
    }));
  }
  char begun = 0;
  ASSERT_EQ(read(ready[0], &begun, 1), 1);
  EXPECT_THAT(ConnectToServer(Door::kCustodian, config_),
              StatusIs(absl::StatusCode::kPermissionDenied));
  for (const int end : {ready[0], ready[1], over[0], over[1]}) close(end);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace topicwall::server
