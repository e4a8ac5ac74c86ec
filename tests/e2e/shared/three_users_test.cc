// Supervisor, gate, vault and store under users of their own, with the rights that
// deploy/RUNBOOK.md gives files: the custodian's commands run as the vault's user, who enters the
// store's folder by its group alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/shared/shared_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Made before the world, which is told of it.
struct Programs {
  const TemporaryDirectory bin_;
};

class ThreeUsersTest : private Programs, public SharedServersTest {
 protected:
  ThreeUsersTest() : SharedServersTest({.server_program = bin_.path() + "/topicwall-server"}) {}

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can start processes of other users";
    // Wherever the build is, all may run what is here.
    fs::permissions(bin_.path(), fs::perms{0755});
    for (const char* program : {"topicwall-server", "topicwall-gate", "topicwall-vault",
                                "topicwall-store", "topicwall-admin"}) {
      fs::copy_file(WallWorld::Program(program), absl::StrCat(bin_.path(), "/", program));
    }
    world_.WriteFile(
        "wall.textproto",
        absl::StrCat(world_.ReadFile("wall.textproto"),
                     "processes { gate: \"nobody\" vault: \"daemon\" store: \"bin\" }\n"));
    const Finished done =
        RunToEnd({"/bin/sh", "-ec",
                  absl::StrCat("cd ", world_.Path(""),
                               "; chmod 0755 .; chown -R daemon: data corpus.key; chmod 0700 data; "
                               "chown -R daemon:nogroup tls; chmod 0750 tls; chmod 0640 tls/*; "
                               "chown -R root:bin postgresql; chmod 0750 postgresql; "
                               "chmod 0640 postgresql/*")});
    ASSERT_EQ(done.exit_code, 0) << done.output;
  }

  Finished AdminAsVault(const std::string& group, std::vector<std::string> arguments) {
    std::vector<std::string> command = {"/usr/bin/setpriv",
                                        "--reuid=daemon",
                                        "--regid=daemon",
                                        "--groups=" + group,
                                        "--",
                                        bin_.path() + "/topicwall-admin"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunToEnd(command);
  }
};

TEST_F(ThreeUsersTest, TheVaultsUserWorksOnTheDatabaseIfItIsInTheStoresGroup) {
  const std::string config = world_.Path("wall.textproto");
  const Finished checked = AdminAsVault("bin", {"check-config", "--config", config});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("separated"));
  const Finished outside = AdminAsVault("daemon", {"status", "--config", config});
  EXPECT_EQ(outside.exit_code, 1);
  EXPECT_THAT(outside.output, HasSubstr("pg_service.conf"));

  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  for (const std::string act : {"status", "verify-ledger"}) {
    const Finished beside = AdminAsVault("bin", {act, "--config", config});
    EXPECT_EQ(beside.exit_code, 0) << beside.output;
  }
  EXPECT_OK(WallWorld::Budget(*world_.StubOf("alice")));
}

}  // namespace
}  // namespace topicwall::testing
