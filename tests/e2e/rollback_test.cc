// A ledger put back to an older copy, by hand, under real servers: the analyst's and the auditor's
// program finds it by what it noted, and goes no further.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/ledger.pb.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RollbackTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  Finished Alice(std::vector<std::string> arguments) {
    return world_.Analyst("alice", std::move(arguments));
  }
  Finished Ann(std::vector<std::string> arguments) {
    return world_.Analyst("ann", std::move(arguments));
  }
  // A plan of alice's, without her program.
  void Reserve(char number) {
    auto alice = world_.StubOf("alice");
    ASSERT_OK(WallWorld::Reserve(*alice, world_.Plan(20, 1), std::string(16, number)));
  }
  void Restart(const std::function<void()>& meanwhile) {
    world_.StopServer();
    meanwhile();
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  }
  // An older copy is kept, one more plan is reserved and noted, the copy is put back.
  void NoteAndPutBack() {
    Reserve('a');
    Restart([this] { world_.CopyFolder("data", "older"); });
    Reserve('b');
    ASSERT_EQ(Alice({"watch", "notes"}).exit_code, 0);
    ASSERT_EQ(Ann({"watch", "notes", "--events", world_.Path("kept")}).exit_code, 0);
    Restart([this] { world_.CopyFolder("older", "data"); });
  }
  std::vector<std::string> Fit(const std::string& model) {
    return Words(
        absl::StrCat("fit notes --topics 3 --algorithm paper --iterations 1 --yes "
                     "--noise-multiplier 10 --model ",
                     world_.Path(model)));
  }

  WallWorld world_;
};

TEST_F(RollbackTest, EveryCommandThatAsksAWallRefusesAndSpendsNothing) {
  std::filesystem::create_directory(world_.Path("kept"));
  NoteAndPutBack();
  const double spent = WallWorld::Budget(*world_.StubOf("alice"))->epsilon_spent();
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"watch"},
           {"describe", "notes"},
           {"corpora"},
           {"budget", "notes"},
           {"ledger", "notes"},
           {"plans", "notes"},
           {"plans"},
           {"price", "notes", "--topics", "3", "--noise-multiplier", "10"},
           {"plan", "notes", "--epsilon-alone", "1"},
           Fit("a.model")}) {
    const Finished refused = Alice(command);
    EXPECT_EQ(refused.exit_code, 1) << command[0] << ": " << refused.output;
    EXPECT_THAT(refused.output, AllOf(HasSubstr("does not go on"), HasSubstr("Noted: entry "),
                                      HasSubstr("ends at entry ")))
        << command[0];
  }
  EXPECT_EQ(WallWorld::Budget(*world_.StubOf("alice"))->epsilon_spent(), spent);
  // The old copy goes on: it is another history, and refused as well.
  Reserve('c');
  Reserve('d');
  EXPECT_THAT(Alice({"budget", "notes"}).output, HasSubstr("another entry "));
  // Whoever never noted anything sees nothing: so notes are worth keeping.
  EXPECT_EQ(world_.Analyst("bob", {"budget", "notes"}).exit_code, 0);

  // Once the custodian has explained it.
  const Finished accepted = Alice({"watch", "notes", "--accept"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.output;
  EXPECT_THAT(accepted.output, HasSubstr("accepted in place of entry "));
  EXPECT_EQ(Alice({"budget", "notes"}).exit_code, 0);
  const Finished fitted = Alice(Fit("a.model"));
  EXPECT_EQ(fitted.exit_code, 0) << fitted.output;
}

TEST_F(RollbackTest, TheAuditorsExportIsNeverOverwrittenByAShorterLedger) {
  std::filesystem::create_directory(world_.Path("kept"));
  const std::string events = world_.Path("notes.events");
  Reserve('a');
  ASSERT_EQ(Ann({"ledger", "notes", "--events", events}).exit_code, 0);
  Restart([this] { world_.CopyFolder("data", "older"); });
  Reserve('b');
  ASSERT_EQ(Ann({"ledger", "notes", "--events", events}).exit_code, 0);
  const std::string kept = world_.ReadFile("notes.events");
  Restart([this] { world_.CopyFolder("older", "data"); });
  // As somebody who has the file and no notes.
  std::filesystem::remove(world_.Path("config/topicwall/profiles/heads-ann.pb"));
  const Finished refused = Ann({"ledger", "notes", "--events", events});
  EXPECT_EQ(refused.exit_code, 1) << refused.output;
  EXPECT_THAT(refused.output, AllOf(HasSubstr("put back to an older copy"), HasSubstr("proof")));
  EXPECT_EQ(world_.ReadFile("notes.events"), kept);
  v1::LedgerExport exported;
  ASSERT_TRUE(exported.ParseFromString(kept));
  EXPECT_GE(exported.entries_size(), 4);
}

TEST_F(RollbackTest, WatchSaysALineForEachCorpusAndKnowsThreeOutcomes) {
  std::filesystem::create_directory(world_.Path("kept"));
  Finished watched = Ann({"watch"});
  EXPECT_EQ(watched.exit_code, 2) << "nothing was noted yet";
  watched = Ann({"watch", "notes", "--events", world_.Path("kept")});
  EXPECT_EQ(watched.exit_code, 0) << watched.output;
  EXPECT_THAT(watched.output, AllOf(HasSubstr("notes: entry "), HasSubstr(", budget ")));
  Reserve('a');
  watched = Ann({"watch", "--events", world_.Path("kept"), "--json"});
  EXPECT_EQ(watched.exit_code, 0) << watched.output;
  EXPECT_THAT(watched.output, HasSubstr("\"continues\":true"));
  int exports = 0;
  for (const auto& file : std::filesystem::directory_iterator(world_.Path("kept"))) {
    exports += file.path().extension() == ".events" ? 1 : 0;
  }
  EXPECT_EQ(exports, 1);
  watched = Ann({"watch", "--events", world_.Path("nowhere")});
  EXPECT_EQ(watched.exit_code, 1) << watched.output;
  EXPECT_THAT(watched.output, AllOf(HasSubstr("mkdir -p "), Not(HasSubstr("BROKEN"))));
  // Where the profile stands nothing can be noted: no ledger's fault, and no other try is better.
  const std::string lock = world_.Path("config/topicwall/profiles/heads-ann.pb.lock");
  std::filesystem::remove(lock);
  std::filesystem::create_directory(lock);
  Reserve('b');
  watched = Ann({"watch"});
  EXPECT_EQ(watched.exit_code, 4) << watched.output;
  EXPECT_THAT(watched.output, AllOf(Not(HasSubstr("BROKEN")), HasSubstr("that can be written to")));
  const Finished budget = Ann({"budget", "notes"});
  EXPECT_EQ(budget.exit_code, 1) << budget.output;
  EXPECT_THAT(budget.output,
              AllOf(HasSubstr("that can be written to"), Not(HasSubstr("try again"))));
  std::filesystem::remove(lock);
  world_.StopServer();
  watched = RunToEnd({WallWorld::Program("topicwall"), "watch"},
                     {{"XDG_CONFIG_HOME", world_.Path("config")}, {"TOPICWALL_PROFILE", "ann"}});
  EXPECT_EQ(watched.exit_code, 4) << watched.output;
  EXPECT_THAT(watched.output, Not(HasSubstr("BROKEN")));
}

TEST_F(RollbackTest, ARestoreIsToldWithWhatItLost) {
  Reserve('a');
  world_.StopServer();
  const std::string config = world_.Path("wall.textproto");
  const Finished backup =
      world_.Admin({"backup", "--config", config, "--output", world_.Path("backup")});
  ASSERT_EQ(backup.exit_code, 0) << backup.output;
  ASSERT_TRUE(world_.StartServer());
  Reserve('b');
  ASSERT_EQ(Alice({"watch", "notes"}).exit_code, 0);
  world_.StopServer();
  std::filesystem::create_directory(world_.Path("lost"));
  for (const std::string name : {"ledger.db", "ledger.db-wal", "ledger.db-shm"}) {
    std::error_code none;
    std::filesystem::rename(world_.Path("data/" + name), world_.Path("lost/" + name), none);
  }
  const Finished restored =
      world_.Admin({"restore", "--config", config, "--input", world_.Path("backup")});
  ASSERT_EQ(restored.exit_code, 0) << restored.output;
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  const Finished refused = Alice({"budget", "notes"});
  EXPECT_EQ(refused.exit_code, 1) << refused.output;
  EXPECT_THAT(refused.output, AllOf(HasSubstr("a backup was restored at entry "),
                                    HasSubstr("which you had seen, may be missing")));
}

}  // namespace
}  // namespace topicwall::testing
