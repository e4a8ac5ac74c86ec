#include "server/admin/commands/command_status.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "absl/time/clock.h"
#include "base/hex.h"
#include "proto/told_numbers.h"
#include "server/admin/commands/command_backup.h"
#include "server/admin/commands/command_open_budget.h"
#include "server/admin/commands/command_restore.h"
#include "server/admin/custody.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

TEST(Status, BeforeEverythingSaysWhatComesNext) {
  const CustodianWorld world;
  const auto outcome = ShowStatus({.config = world.config()});
  ASSERT_OK(outcome);
  EXPECT_THAT(outcome->text,
              AllOf(HasSubstr("No ledger yet"), HasSubstr("notes: not ingested yet")));
  ASSERT_OK(world.Ingest("notes", {"ann"}));
  const auto ingested = ShowStatus({.config = world.config()});
  ASSERT_OK(ingested);
  EXPECT_THAT(ingested->json.Text(), HasSubstr(R"("corpus":"notes","state":"no_budget")"));
}

// The advice to open a budget would lead to a second one for the same documents.
TEST(Status, AFolderThatIsEmptyOrGoneIsNotTakenForOneThatNeverHadABudget) {
  const CustodianWorld world;
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text, Not(HasSubstr("no budget was ever opened")));
  EXPECT_THAT(outcome.warnings, Contains(AllOf(HasSubstr("its disk is not mounted"),
                                               HasSubstr("topicwall-admin restore"))));
  std::filesystem::remove_all(world.Path("data"));
  for (const char* command : {"status", "verify-ledger", "statement --corpus notes"}) {
    const Finished gone = world.Run(std::string(command) + " --config wall.textproto");
    EXPECT_EQ(gone.exit_code, 1) << command;
    EXPECT_THAT(gone.errors, AllOf(HasSubstr("data_directory is not there"),
                                   HasSubstr("Mount its disk"), Not(HasSubstr("open-budget"))));
  }
}

// As on a disk that is full, or mounted read-only, of a server that does not run.
TEST(Status, WhereNothingCanBeWrittenAllThatOnlyReadsStillDoes) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  std::filesystem::create_symlink("/nowhere", world.Path("data/ledger.db-shm"));
  for (const char* command :
       {"status", "verify-ledger", "statement --corpus notes", "backup --output backup"}) {
    const Finished read = world.Run(std::string(command) + " --config wall.textproto");
    EXPECT_EQ(read.exit_code, 0) << command << ": " << read.errors;
  }
  EXPECT_TRUE(world.Exists("backup/ledger.db"));
}

TEST(Status, ShowsBudgetsAndThePlansThatHoldThem) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  const std::string plan = world.ReserveAndChargeOne("notes", 3);
  ASSERT_OK_AND_ASSIGN(const auto corpus_status, world.StatusOfCorpus("notes"));
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text,
              HasSubstr("notes: open, epsilon " + proto::EpsilonText(corpus_status.EpsilonSpent()) +
                        " of 2.4400"));
  EXPECT_THAT(outcome.text, HasSubstr("of 2.4400 at delta 1e-06, 3 of 100 releases, 0 overruns"));
  EXPECT_THAT(outcome.text, HasSubstr("head " + base::Hex(corpus_status.head)));
  EXPECT_THAT(outcome.text,
              HasSubstr("plan " + plan + " of alice: active, 1 of 3 iterations charged"));
  EXPECT_THAT(outcome.json.Text(), HasSubstr(plan));
  EXPECT_THAT(outcome.text, HasSubstr("releases under way: 1\n"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("gone or was replaced")));
}

// What a wrong clock wrote dates all that comes after it, for good.
TEST(Status, ALedgerWhoseLastEventIsToComeIsAWarning) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  const std::string plan = world.ReserveAndChargeOne("notes", 3);
  const auto is_ahead = HasSubstr("the ledger's last event is dated ");
  EXPECT_THAT(ShowStatus({.config = world.config()})->warnings, Not(Contains(is_ahead)));
  const absl::Time next_year = absl::Now() + absl::Hours(365 * 24);
  ASSERT_OK(world.Ledger()->CancelAnyPlan(plan, absl::ToUnixMillis(next_year)));
  EXPECT_THAT(ShowStatus({.config = world.config()})->warnings,
              Contains(AllOf(is_ahead, HasSubstr("A wrong clock"))));
}

TEST(Status, PlansThatAreOverAreCountedAndNotListed) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  const std::string finished = world.ReserveAndChargeOne("notes", 1);
  const std::string cancelled = world.ReserveAndChargeOne("notes", 2);
  ASSERT_OK(world.Ledger()->CancelAnyPlan(cancelled, 5000));
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text, Not(HasSubstr(finished)));
  EXPECT_THAT(outcome.text, Not(HasSubstr(cancelled)));
  EXPECT_THAT(outcome.text, HasSubstr("plans that are over: 1 done, 1 cancelled, 0 expired"));
}

// All plans of a restored ledger are paused; one that was finished has nothing to wait for.
TEST(Status, AFinishedPlanOfARestoredLedgerIsDoneAndNotPaused) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto corpus_status, world.StatusOfCorpus("notes"));
  {
    v1::ReleaseSpec plan = testing::SmallPlan(1);
    plan.set_corpus("notes");
    plan.set_corpus_version(corpus_status.corpus_version);
    const auto ledger = world.Ledger();
    ASSERT_OK_AND_ASSIGN(const auto reserved,
                         ledger->Reserve(testing::ReserveRequestFor("alice", 1, plan)));
    testing::Release(*ledger, reserved, 1);
  }
  ASSERT_OK(MakeBackup({.config = world.config(), .output = world.Path("backup")}));
  std::filesystem::remove_all(world.Path("data"));
  std::filesystem::create_directory(world.Path("data"));
  ASSERT_OK(RestoreBackup({.config = world.config(), .input = world.Path("backup")}));
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("plans that are over: 1 done, 0 cancelled"),
                                  Not(HasSubstr("paused"))));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"plans_done\":1"));
}

TEST(Status, SaysWhyACorpusIsPaused) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  v1::ReleaseSpec plan = testing::SmallPlan(3);
  plan.set_corpus("notes");
  plan.set_corpus_version(world.StatusOfCorpus("notes")->corpus_version);
  {
    const auto ledger = world.Ledger();
    ASSERT_OK_AND_ASSIGN(const auto reserved,
                         ledger->Reserve(testing::ReserveRequestFor("alice", 1, plan)));
    ASSERT_OK_AND_ASSIGN(const auto charged,
                         ledger->Charge(testing::ChargeRequestFor(reserved, 1)));
    ASSERT_OK(ledger->Void({.plan_id = reserved.plan_id(),
                            .iteration = 1,
                            .charge_id = std::get<ledger::ChargeReceipt>(charged).charge_id(),
                            .ground = v1::ReleaseVoided::UNREADABLE_DATA,
                            .at_ms = 70000}));
  }
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("Units could not be read"), Not(HasSubstr("missed their instant"))));
}

TEST(Status, ACorpusWhoseFileIsGoneIsNotCalledOpen) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  std::filesystem::remove(world.CorpusPath("notes"));
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("notes: gone, "), Not(HasSubstr("notes: open"))));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"state\":\"gone\""));
}

TEST(Status, ShowsWhatEachAnalystMaySpendAndDid) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  world.ReserveAndChargeOne("notes", 3);
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(
      outcome.text,
      ContainsRegex("analyst alice: epsilon [0-9.]+ alone, of [0-9.]+, 3 of [0-9]+ releases"));
  EXPECT_THAT(outcome.text, ContainsRegex("Disk: [0-9]+ MiB free"));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"epsilon_cap\":"));
}

// As the wall counts: the limit is one of the budget.
TEST(Status, ReleasesOfAllCorporaThatSpendFromABudgetAreCountedTogether) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  ASSERT_OK(world.Ingest("letters", {"ann"}));
  ASSERT_OK(OpenBudget({.config = world.config(),
                        .corpus = "letters",
                        .budget = std::nullopt,
                        .vouchers = {},
                        .join = "notes",
                        .yes = true}));
  world.ReserveAndChargeOne("notes", 3);
  world.ReserveAndChargeOne("letters", 2);
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text,
              AllOf(ContainsRegex("analyst alice: [^\n]*, 5 of 100 releases"),
                    ContainsRegex("analyst alice: [^\n]*, 5 of 0 releases, no access"),
                    Not(HasSubstr("3 of 100 releases"))));
}

TEST(Status, WorksBesideAServerAndWithoutItsKey) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  const auto server = world.Ledger();
  std::filesystem::remove(world.Path("corpus.key"));
  EXPECT_OK(ShowStatus({.config = world.config()}));
  ASSERT_OK_AND_ASSIGN(const auto verified, VerifyLedger({.config = world.config()}));
  EXPECT_THAT(verified.warnings, ElementsAre(HasSubstr("was not asked")));
}

TEST(Status, AReplacedCorpusIsShownWithItsBudgetAndTheNewOneWithout) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  IngestFlags flags = world.FlagsFor("notes", world.Path("notes.jsonl"));
  flags.replace = true;
  flags.yes = true;
  ASSERT_OK(IngestCorpus(flags, nullptr));
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("gone or was replaced"), HasSubstr("notes: no budget yet")));
}

TEST(Status, ADamagedCorpusFileDoesNotHideTheRest) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  world.Write("data/letters.corpus", "rubbish");
  ASSERT_OK_AND_ASSIGN(const auto outcome, ShowStatus({.config = world.config()}));
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("notes: open"), HasSubstr("cannot be unsealed")));
}

TEST(VerifyLedger, PrintsTheHeads) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto corpus_status, world.StatusOfCorpus("notes"));
  ASSERT_OK_AND_ASSIGN(const auto outcome, VerifyLedger({.config = world.config()}));
  EXPECT_THAT(outcome.text, HasSubstr(base::Hex(corpus_status.head)));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"verified\":true"));
}

TEST(VerifyLedger, WithoutALedgerThereIsNothingToVerify) {
  const CustodianWorld world;
  EXPECT_THAT(VerifyLedger({.config = world.config()}), StatusIs(absl::StatusCode::kNotFound));
}

TEST(VerifyLedger, FindsAnEditedLedger) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  world.Ledger().reset();  // leaves everything in the one file
  std::string bytes = world.Read("data/ledger.db");
  const size_t name = bytes.find("library");  // in the first event
  ASSERT_NE(name, std::string::npos);
  bytes[name] = 'L';
  world.Write("data/ledger.db", bytes);
  EXPECT_THAT(VerifyLedger({.config = world.config()}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ShowStatus({.config = world.config()}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("restore")));
}

}  // namespace
}  // namespace topicwall::admin
