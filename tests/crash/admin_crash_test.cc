// SIGKILL in the middle of the custodian's commands: each can be given again, and the ledger is
// what it was before or what it is afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int kKilled = 128 + SIGKILL;

class AdminCrashTest : public ::testing::Test {
 protected:
  Finished Admin(const std::string& command, std::vector<std::string> more,
                 const std::string& kill_at = "") {
    more.insert(more.begin(), {WallWorld::Program("topicwall-admin-killable"), command, "--config",
                               world_.Path("wall.textproto")});
    return RunToEnd(more,
                    kill_at.empty() ? Environment{} : Environment{{"TOPICWALL_KILL_AT", kill_at}});
  }
  void Start() {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    alice_ = world_.StubOf("alice");
  }
  void ReleaseOnce() {
    Start();
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         WallWorld::Reserve(*alice_, world_.Plan(4, 2), std::string(16, 'r')));
    plan_id_ = plan.plan_id();
    const std::vector<float> topics = WallWorld::LogTopics();
    ASSERT_OK(WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 1, topics), topics));
    ASSERT_OK_AND_ASSIGN(const auto budget, WallWorld::Budget(*alice_));
    spent_ = budget.epsilon_spent();
  }
  // A released iteration, then a backup, then the ledger is lost.
  void LoseTheLedger() {
    ReleaseOnce();
    ASSERT_EQ(Admin("backup", {"--output", world_.Path("backup")}).exit_code, 0);
    world_.KillServer();
    for (const char* name : {"ledger.db", "ledger.db-wal", "ledger.db-shm"}) {
      fs::remove(world_.Path("data/") + name);
    }
  }

  WallWorld world_{{.release_interval_ms = 300, .documents = 60}};
  std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  std::string plan_id_;
  double spent_ = 0;
};

TEST_F(AdminCrashTest, AnOpeningThatWasKilledIsFinishedByTheSameCommandAndOpensOneBudget) {
  const std::vector<std::string> open = {"--corpus", "notes", "--epsilon", "3", "--delta", "1e-6"};
  const std::string config = world_.ReadFile("wall.textproto");
  for (const std::string point :
       {"inside-create", "before-open-budget-commit", "after-open-budget-commit"}) {
    SCOPED_TRACE(point);
    fs::create_directory(world_.Path(point));
    fs::copy_file(world_.Path("data/notes.corpus"), world_.Path(point + "/notes.corpus"));
    world_.WriteFile(
        "wall.textproto",
        absl::StrReplaceAll(config, {{"directory: \"data\"", "directory: \"" + point + "\""}}));
    EXPECT_EQ(Admin("open-budget", open, point).exit_code, kKilled);
    const Finished again = Admin("open-budget", open);
    if (point == "after-open-budget-commit") {
      EXPECT_EQ(again.exit_code, 1);
      EXPECT_THAT(again.output, HasSubstr("already"));
    } else {
      EXPECT_EQ(again.exit_code, 0) << again.output;
    }
    Start();
    ASSERT_OK_AND_ASSIGN(const auto budget, WallWorld::Budget(*alice_));
    EXPECT_EQ(budget.epsilon_total(), 3);
    EXPECT_EQ(budget.events(), 2) << "opened once";
    world_.KillServer();
  }
}

TEST_F(AdminCrashTest, ABackupThatWasKilledLeavesTheServerAloneAndIsMadeAgain) {
  ReleaseOnce();
  int number = 0;
  for (const char* point : {"inside-copy", "before-copy-rename", "after-copy-rename"}) {
    SCOPED_TRACE(point);
    const std::string folder = world_.Path("backup" + std::to_string(++number));
    EXPECT_EQ(Admin("backup", {"--output", folder}, point).exit_code, kKilled);
    const auto budget = WallWorld::Budget(*alice_);
    ASSERT_OK(budget) << "the server goes on";
    EXPECT_EQ(budget->epsilon_spent(), spent_);
    EXPECT_FALSE(fs::exists(folder)) << "half a backup has the name of a whole one";
    EXPECT_THAT(Admin("backup", {"--output", folder}).output, HasSubstr("interrupted"));
    fs::remove_all(folder + ".unfinished");
    EXPECT_EQ(Admin("backup", {"--output", folder}).exit_code, 0);
  }
}

TEST_F(AdminCrashTest, ARestoreThatWasKilledIsGivenAgainAndTheLedgerIsFrozen) {
  LoseTheLedger();
  for (const char* point : {"inside-copy", "before-copy-rename", "after-copy-rename"}) {
    SCOPED_TRACE(point);
    EXPECT_EQ(Admin("restore", {"--input", world_.Path("backup")}, point).exit_code, kKilled);
    if (!fs::exists(world_.Path("data/ledger.db"))) {
      EXPECT_FALSE(world_.StartServer()) << "there is no ledger yet";
    }
  }
  // The last kill was after the rename: it is installed.
  Start();
  EXPECT_OK(WallWorld::GetRelease(*alice_, plan_id_, 1));
  EXPECT_THAT(WallWorld::Reserve(*alice_, world_.Plan(4, 1), std::string(16, 'f')),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("frozen")));
}

TEST_F(AdminCrashTest, AThawThatWasKilledIsDoneOrNotDone) {
  LoseTheLedger();
  ASSERT_EQ(Admin("restore", {"--input", world_.Path("backup")}).exit_code, 0);
  const std::vector<std::string> forfeit = {"--forfeit", "--corpus", "notes"};
  EXPECT_EQ(Admin("thaw", forfeit, "before-thaw-commit").exit_code, kKilled);
  EXPECT_THAT(Admin("status", {}).output, HasSubstr("frozen"));
  EXPECT_EQ(Admin("thaw", forfeit, "after-thaw-commit").exit_code, kKilled);
  EXPECT_EQ(Admin("thaw", forfeit).exit_code, 1) << "it is thawed already";
  Start();
  ASSERT_OK_AND_ASSIGN(const auto budget, WallWorld::Budget(*alice_));
  EXPECT_EQ(budget.epsilon_left(), 0);
  EXPECT_OK(WallWorld::GetRelease(*alice_, plan_id_, 1));
}

}  // namespace
}  // namespace topicwall::testing
