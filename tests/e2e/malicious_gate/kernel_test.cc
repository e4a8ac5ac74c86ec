// What the kernel refuses a malicious gate of the real vault's. Everything else that it refuses a
// gate is in tests/server/sandbox/.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/supervisor/control_line.h"
#include "tests/e2e/malicious_gate/connection.h"
#include "tests/e2e/malicious_gate/seat.h"

namespace topicwall::testing {
namespace {

class MaliciousKernelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    vault_ = world_.PidOf("topicwall-vault");
    ASSERT_NE(vault_, 0);
    connection_ = ConnectToGate(world_.address(), 'k');
  }
  void TearDown() override {
    close(connection_);
    ExpectUnharmed(world_, vault_);
  }

  // errno of what the gate tried; 0 if it was done.
  int Try(const std::string& attempt) const {
    const std::string line = attempt + "\n";
    EXPECT_EQ(send(connection_, line.data(), line.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size()));
    std::string answer;
    for (char byte = 0; recv(connection_, &byte, 1, 0) == 1 && byte != '\n';) answer += byte;
    int number = -1;
    EXPECT_TRUE(absl::SimpleAtoi(answer, &number)) << attempt;
    return number;
  }

  SeatWorld world_;
  pid_t vault_ = 0;
  int connection_ = -1;
};

TEST_F(MaliciousKernelTest, ItIsInTheGatesRoomAndReadsTheGatesFiles) {
  EXPECT_EQ(Try("inside "), 0);
  EXPECT_EQ(Try("open " + world_.wall().Path("tls/server.key")), 0);
}

TEST_F(MaliciousKernelTest, NoFileOfTheVaultsIsOpenedByAnyName) {
  for (const char* file : {"data/ledger.db", "data/notes.corpus", "data/ledger.id", "corpus.key",
                           "notes.jsonl", "data", "."}) {
    SCOPED_TRACE(file);
    const std::string path = world_.wall().Path(file);
    ASSERT_TRUE(std::filesystem::exists(path));
    EXPECT_EQ(Try("open " + path), EACCES);
    EXPECT_EQ(Try("open " + world_.wall().Path(absl::StrCat("tls/../", file))), EACCES);
    for (const pid_t process : {vault_, world_.wall().server().pid()}) {
      EXPECT_EQ(Try(absl::StrCat("open /proc/", process, "/root", path)), EACCES);
    }
  }
}

TEST_F(MaliciousKernelTest, NothingOfTheOtherProcessesIsReadOrStoppedOrEnded) {
  for (const pid_t process : {vault_, world_.wall().server().pid()}) {
    for (const char* file : {"mem", "maps", "environ", "fd", "task", "cmdline"}) {
      EXPECT_EQ(Try(absl::StrCat("open /proc/", process, "/", file)), EACCES) << file;
    }
    EXPECT_EQ(Try(absl::StrCat("attach ", process)), EPERM);
    EXPECT_EQ(Try(absl::StrCat("memory ", process)), EPERM);
    EXPECT_EQ(Try(absl::StrCat("signal ", process)), EPERM);
  }
  EXPECT_EQ(Try("signal -1"), EPERM) << "everybody's";
  EXPECT_EQ(Try("signal 0"), EPERM) << "its group's, and the supervisor's";
}

// It has the supervisor's own open file.
TEST_F(MaliciousKernelTest, TheLogIsNotCut) {
  EXPECT_EQ(Try(absl::StrCat("cut ", supervisor::kLog)), EPERM);
}

TEST_F(MaliciousKernelTest, ItCallsNobody) {
  int port = 0;
  ASSERT_TRUE(absl::SimpleAtoi(world_.address().substr(world_.address().find(':') + 1), &port));
  EXPECT_EQ(Try(absl::StrCat("connect ", port)), EPERM) << "though somebody listens";
}

}  // namespace
}  // namespace topicwall::testing
