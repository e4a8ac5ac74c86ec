#include "server/admin/commands/command_restore.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "server/admin/commands/command_backup.h"
#include "server/admin/commands/command_open_budget.h"
#include "server/admin/custody.h"
#include "server/corpus/corpus_store.h"
#include "server/sealing/custodian_key.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

// A backup was made of "notes" with one charged iteration of three.
class RestoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
    plan_ = world_.ReserveAndChargeOne("notes", 3);
    ASSERT_OK(MakeBackup({.config = world_.config(), .output = world_.Path("backup")}));
  }
  absl::StatusOr<Outcome> Restore() const {
    return RestoreBackup({.config = world_.config(), .input = world_.Path("backup")});
  }
  void LoseData() const {
    std::filesystem::remove_all(world_.Path("data"));
    std::filesystem::create_directory(world_.Path("data"));
  }
  void LoseLedger() const {
    for (const char* name : {"data/ledger.db", "data/ledger.db-wal", "data/ledger.db-shm"}) {
      std::filesystem::remove(world_.Path(name));
    }
  }

  const CustodianWorld world_;
  std::string plan_;
};

TEST_F(RestoreTest, BringsEverythingBackFrozen) {
  ASSERT_OK_AND_ASSIGN(const auto before, world_.StatusOfCorpus("notes"));
  LoseData();
  ASSERT_OK_AND_ASSIGN(const auto outcome, Restore());
  EXPECT_THAT(outcome.text, HasSubstr("topicwall-admin thaw"));
  ASSERT_OK_AND_ASSIGN(const auto after, world_.StatusOfCorpus("notes"));
  EXPECT_EQ(after.state, v1::CORPUS_STATE_FROZEN);
  EXPECT_EQ(after.budget_id, before.budget_id);
  EXPECT_EQ(after.EpsilonSpent(), before.EpsilonSpent());
  EXPECT_EQ(world_.Mode("data/ledger.db"), 0600);
  EXPECT_EQ(world_.Mode("data/notes.corpus"), 0600);
  ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world_.config()));
  ASSERT_OK_AND_ASSIGN(const auto store,
                       corpus::CorpusStore::Open(world_.CorpusPath("notes"), custody.key));
  EXPECT_OK(store->VerifyAll());
}

// The letters' budget was opened after the backup, and spent.
TEST_F(RestoreTest, ABudgetThatTheBackupMayHaveMissedIsNotOpenedByAYes) {
  ASSERT_OK(world_.IngestAndOpen("letters", {"bob"}));
  world_.ReserveAndChargeOne("letters", 3);
  LoseLedger();
  EXPECT_THAT(Restore()->text, HasSubstr("opened after the backup"));
  EXPECT_THAT(world_.Run("status --config wall.textproto").output,
              HasSubstr("letters: no budget that the backup knew"));
  OpenBudgetFlags join;
  join.config = world_.config();
  join.corpus = "letters";
  join.join = "notes";
  join.yes = true;
  for (const absl::Status& refused : {world_.Open("letters").status(), OpenBudget(join).status()}) {
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                                  AllOf(HasSubstr("--not-opened-before"), HasSubstr("receipts"))));
  }
  const Finished opened = world_.Run(
      "open-budget --config wall.textproto --corpus letters --epsilon 1 --delta 1e-6 --yes "
      "--not-opened-before");
  EXPECT_EQ(opened.exit_code, 0) << opened.errors;
  EXPECT_THAT(opened.output, HasSubstr("restored from a backup before")) << "as analysts read it";
  EXPECT_THAT(world_.Run("statement --config wall.textproto --corpus letters").output,
              HasSubstr("restored: The ledger was restored from a backup before"));
  ASSERT_OK_AND_ASSIGN(const auto letters, world_.StatusOfCorpus("letters"));
  EXPECT_TRUE(world_.Ledger()->StateOf(letters.corpus_version)->opening().after_restore());
}

// The disk has room for the ledger, and none for what readers share.
TEST_F(RestoreTest, ALedgerThatIsRestoredAndCannotBeReadBackIsNoFailure) {
  LoseData();
  std::filesystem::create_symlink("/nowhere", world_.Path("data/ledger.db-shm"));
  const Finished restored = world_.Run("restore --config wall.textproto --input backup");
  EXPECT_EQ(restored.exit_code, 0) << restored.errors;
  EXPECT_THAT(restored.output, AllOf(HasSubstr("Frozen: notes"), HasSubstr("thaw --head")));
  EXPECT_THAT(restored.errors,
              AllOf(HasSubstr("the ledger is restored and frozen; it could not be"),
                    HasSubstr("verify-ledger"), Not(HasSubstr("nothing was changed"))));
  std::filesystem::remove(world_.Path("data/ledger.db-shm"));
  EXPECT_EQ(world_.StatusOfCorpus("notes")->state, v1::CORPUS_STATE_FROZEN);
}

TEST_F(RestoreTest, AFrozenBudgetSetsNothingAside) {
  LoseData();
  ASSERT_OK(Restore());
  v1::ReleaseSpec plan = testing::SmallPlan(1);
  plan.set_corpus_version(world_.StatusOfCorpus("notes")->corpus_version);
  EXPECT_THAT(world_.Ledger()->Reserve(testing::ReserveRequestFor("bob", 1, plan)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

// What was charged since the backup, nobody knows.
TEST_F(RestoreTest, OfAFrozenBudgetNoOdometerIsSigned) {
  const std::string statement = "statement --config wall.textproto --corpus notes";
  EXPECT_THAT(world_.Run(statement).output, HasSubstr("valid at every moment at once"));
  LoseData();
  ASSERT_OK(Restore());
  EXPECT_THAT(world_.Run(statement).output,
              AllOf(HasSubstr("odometer epsilon: not known: "),
                    HasSubstr("restored: The ledger was restored from a backup and is not thawed"),
                    Not(HasSubstr("at every moment"))));
}

TEST_F(RestoreTest, ALiveLedgerIsNeverReplaced) {
  const std::string before = world_.Read("data/ledger.db");
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("move it away")));
  EXPECT_EQ(world_.Read("data/ledger.db"), before);
}

TEST_F(RestoreTest, NeedsTheDirectoryToItself) {
  const auto server = world_.Ledger();
  EXPECT_THAT(Restore(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process holds")));
}

TEST_F(RestoreTest, ADamagedCorpusIsReplacedAndAWholeOneStays) {
  LoseLedger();
  world_.Write("data/notes.corpus", "damaged");
  ASSERT_OK_AND_ASSIGN(const auto outcome, Restore());
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"corpora_installed\":1"));
  EXPECT_EQ(world_.Read("data/notes.corpus"), world_.Read("backup/notes.corpus"));
  LoseLedger();
  ASSERT_OK_AND_ASSIGN(const auto again, Restore());
  EXPECT_THAT(again.json.Text(), HasSubstr("\"corpora_installed\":0"));
}

TEST_F(RestoreTest, ALaterVersionOfACorpusIsNotThrownAway) {
  IngestFlags flags = world_.FlagsFor("notes", world_.Path("notes.jsonl"));
  flags.replace = true;
  flags.yes = true;
  ASSERT_OK(IngestCorpus(flags, nullptr));
  LoseLedger();
  const std::string later = world_.Read("data/notes.corpus");
  EXPECT_THAT(Restore(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("Move it away")));
  EXPECT_EQ(world_.Read("data/notes.corpus"), later);
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
}

// Whoever may ask of the notes would read the letters.
TEST_F(RestoreTest, ACorpusUnderTheNameOfAnotherInstallsNothing) {
  std::filesystem::rename(world_.Path("backup/notes.corpus"), world_.Path("backup/letters.corpus"));
  LoseData();
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                  AllOf(HasSubstr("letters"), HasSubstr("notes"))));
  EXPECT_FALSE(world_.Exists("data/letters.corpus"));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
}

TEST_F(RestoreTest, AFolderThatIsNoBackupInstallsNothing) {
  LoseData();
  std::filesystem::remove(world_.Path("backup/ledger.db"));
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
  std::filesystem::remove_all(world_.Path("backup"));
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(RestoreTest, ABackupOfANewerVersionInstallsNothingAndIsLeftToTheProgramThatWroteIt) {
  LoseData();
  {
    ASSERT_OK_AND_ASSIGN(auto backup,
                         store::SqliteConnection::Open(world_.Path("backup/ledger.db"),
                                                       store::SqliteConnection::Mode::kReadWrite));
    ASSERT_OK(backup.RunScript("PRAGMA user_version = 2"));
  }
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                  AllOf(HasSubstr(world_.Path("backup")),
                                        HasSubstr("restore it with the program that wrote it"),
                                        Not(HasSubstr("restore nothing")))));
  EXPECT_FALSE(world_.Exists("data/notes.corpus"));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
}

TEST_F(RestoreTest, UnderAnotherKeyInstallsNothing) {
  LoseData();
  std::filesystem::remove(world_.Path("corpus.key"));
  ASSERT_OK_AND_ASSIGN(const auto other, sealing::CustodianKey::Generate());
  ASSERT_OK(other.WriteNew(world_.Path("corpus.key")));
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(world_.Exists("data/notes.corpus"));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
}

TEST_F(RestoreTest, ARestoredDirectoryThatLosesItsLedgerAgainGetsNoFreshOne) {
  LoseData();
  ASSERT_OK(Restore());
  LoseLedger();
  std::filesystem::remove(world_.Path("data/ledger.id"));
  EXPECT_THAT(world_.Open("notes"), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace topicwall::admin
