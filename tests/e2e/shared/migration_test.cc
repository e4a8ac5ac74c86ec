// Where migrate-ledger may be stopped, and what may lie in its way: there is never a second ledger
// to be spent from, and the same command comes to its end or says what is to be done first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/shared/shared_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace migration_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::vector<std::string> kToDatabase = {"migrate-ledger", "--to", "postgresql"};
const std::vector<std::string> kHome = {"migrate-ledger", "--to", "file"};

// Another program's session on a file, opened to be read.
class FileReader {
 public:
  explicit FileReader(const std::string& uri) {
    EXPECT_EQ(
        sqlite3_open_v2(uri.c_str(), &database_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr),
        SQLITE_OK);
  }
  ~FileReader() { sqlite3_close(database_); }
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  void Begin() {
    EXPECT_EQ(sqlite3_exec(database_, "BEGIN", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  int IsBackup() {
    sqlite3_stmt* asked = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database_, "SELECT is_backup FROM ledger", -1, &asked, nullptr),
              SQLITE_OK);
    EXPECT_EQ(sqlite3_step(asked), SQLITE_ROW);
    const int is_backup = sqlite3_column_int(asked, 0);
    sqlite3_finalize(asked);
    return is_backup;
  }

 private:
  sqlite3* database_ = nullptr;
};

class MigrationTest : public SharedServersTest {
 protected:
  void ExpectDone(const std::vector<std::string>& command) {
    const Finished done = Admin(command);
    EXPECT_EQ(done.exit_code, 0) << done.output;
  }
  void ExpectRefused(const Finished& refused, const std::string& says) {
    EXPECT_EQ(refused.exit_code, 1) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr(says));
  }
  // In the folder of the second server, whose configuration has `ledger` or not.
  Finished AdminOfSecond(std::vector<std::string> arguments, bool has_ledger = true) {
    const std::string shared = world_.ReadFile("second/wall.textproto");
    world_.WriteFile("second/alone.textproto", shared.substr(0, shared.find("ledger {")));
    arguments.insert(
        arguments.end(),
        {"--config", world_.Path(has_ledger ? "second/wall.textproto" : "second/alone.textproto")});
    return world_.Admin(arguments);
  }
  void ComeHome() {
    ExpectDone(kHome);
    fs::remove(world_.Path("data/ledger.db.moved"));
  }
  // A schema that was put away gets its name back.
  void BringSchemaBack() {
    database_.Run(Connection(),
                  "DO $$ BEGIN EXECUTE 'ALTER SCHEMA ' || (SELECT nspname FROM pg_namespace WHERE "
                  "nspname LIKE 'topicwall_moved_%') || ' RENAME TO topicwall'; END $$");
  }
  // An act that the file of before the migration does not know.
  void GoOn() {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    ASSERT_OK(WallWorld::Reserve(*world_.StubOf("alice"), world_.Plan(20, 1), RequestId(0, 1)));
    world_.StopServer();
  }
};

TEST_F(MigrationTest, ADatabaseThatWentBackDoesNotComeHome) {
  GoOn();
  database_.Run(
      Connection(),
      "DELETE FROM topicwall.plan; DELETE FROM topicwall.event USING topicwall.chain AS c "
      "WHERE event.budget_id = c.budget_id AND event.sequence = c.length; "
      "UPDATE topicwall.chain SET length = length - 1, head = (SELECT head FROM "
      "topicwall.event e WHERE e.budget_id = chain.budget_id AND e.sequence = "
      "chain.length - 1)");
  ExpectRefused(Admin(kHome), "it went back");
  EXPECT_FALSE(fs::exists(world_.Path("data/ledger.db")));
  EXPECT_TRUE(fs::exists(world_.Path("data/ledger.id")));
}

// The ledger is still in the first server's file.
TEST_F(MigrationTest, ACopyThatWasNotFinishedComesHomeNowhere) {
  const SecondServer second(world_);
  database_.Run(Connection(), "UPDATE topicwall.ledger SET is_backup = 1");
  for (const Finished& refused : {AdminOfSecond(kHome), AdminOfSecond({"status"}), Admin(kHome)}) {
    ExpectRefused(refused, "migrate-ledger --to postgresql");
    EXPECT_THAT(refused.output, ::testing::Not(HasSubstr("restore")));
  }
  EXPECT_FALSE(fs::exists(world_.Path("second/data/ledger.db")));
}

// Whoever reads keeps what is written in the log beside the file, which by itself would be a ledger
// in use.
TEST_F(MigrationTest, BesideAReaderTheFileKeepsItsNameUntilItIsMarked) {
  ComeHome();
  {
    FileReader reader(world_.Path("data/ledger.db"));
    reader.Begin();
    EXPECT_EQ(reader.IsBackup(), 0);
    ExpectRefused(Admin(kToDatabase), "somebody reads");
    EXPECT_TRUE(fs::exists(world_.Path("data/ledger.db")));
  }
  ExpectDone(kToDatabase);
  FileReader alone(absl::StrCat("file:", world_.Path("data/ledger.db.moved"), "?immutable=1"));
  EXPECT_EQ(alone.IsBackup(), 1);
  GoOn();
}

TEST_F(MigrationTest, ALedgerThatComesHomeToASecondServerIsMissedThere) {
  const SecondServer second(world_);
  const Finished home = AdminOfSecond(kHome);
  ASSERT_EQ(home.exit_code, 0) << home.output;
  const Finished status = AdminOfSecond({"status"}, /*has_ledger=*/false);
  EXPECT_EQ(status.exit_code, 0) << status.output;
  for (const char* name : {"ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.id"}) {
    fs::remove(world_.Path(absl::StrCat("second/data/", name)));
  }
  ExpectRefused(AdminOfSecond({"open-budget", "--corpus", "notes", "--epsilon", "10", "--delta",
                               "1e-6", "--yes"},
                              /*has_ledger=*/false),
                "budgets were opened");
}

TEST_F(MigrationTest, ACopyThatWasNotFinishedIsToBeDroppedWhileTheFileIsInUse) {
  ComeHome();
  BringSchemaBack();
  ExpectRefused(Admin(kToDatabase), "use it, or another one");
  database_.Run(Connection(), "UPDATE topicwall.ledger SET is_backup = 1");
  ExpectRefused(Admin(kToDatabase), "DROP SCHEMA topicwall CASCADE");
  database_.Run(Connection(), "DROP SCHEMA topicwall CASCADE");
  ExpectDone(kToDatabase);
  GoOn();
}

TEST_F(MigrationTest, WhatWasDoneAndNotAnsweredIsDoneAgain) {
  for (const bool goes_on : {false, true}) {
    if (goes_on) GoOn();
    fs::rename(world_.Path("data/ledger.db.moved"), world_.Path("data/ledger.db"));
    ExpectDone(kToDatabase);
    EXPECT_TRUE(fs::exists(world_.Path("data/ledger.db.moved")));
    EXPECT_FALSE(fs::exists(world_.Path("data/ledger.db")));
  }
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  EXPECT_OK(WallWorld::Budget(*world_.StubOf("alice")));
}

// Killed anywhere on its way home.
TEST_F(MigrationTest, ACopyThatWasNotFinishedAtHomeIsBegunAgain) {
  GoOn();
  fs::copy(world_.Path("data/ledger.db.moved"), world_.Path("data/ledger.db.new"));
  EXPECT_EQ(Admin({"status"}).exit_code, 0) << "the ledger is in the database";
  ExpectDone(kHome);
  EXPECT_FALSE(fs::exists(world_.Path("data/ledger.db.new")));
  // After the database's was put away, and before the copy had its name.
  for (const char* name : {"ledger.db", "ledger.db-wal", "ledger.db-shm"}) {
    fs::remove(world_.Path(absl::StrCat("data/", name)));
  }
  ExpectRefused(Admin(kHome), "RENAME TO topicwall");
  BringSchemaBack();
  ExpectDone(kHome);
  const std::string shared = world_.ReadFile("wall.textproto");
  world_.WriteFile("wall.textproto", shared.substr(0, shared.find("ledger {")));
  GoOn();
}

}  // namespace migration_test
}  // namespace topicwall::testing
