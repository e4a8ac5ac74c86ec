#include "server/admin/commands/command_statement.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "base/hex.h"
#include "proto/signed_statement.h"
#include "server/admin/commands/command_open_budget.h"
#include "server/admin/commands/command_rekey.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

class StatementTest : public ::testing::Test {
 protected:
  StatementTest() {
    EXPECT_OK(world_.Ingest("notes", {"ann", "bob"}));
    EXPECT_OK(world_.Open("notes"));
  }
  std::string Statement() {
    const auto outcome = MakeStatement({.config = world_.config(), .corpus = "notes", .out = ""});
    EXPECT_OK(outcome);
    return outcome.ok() ? outcome->text : "";
  }
  const CustodianWorld world_;
};

TEST_F(StatementTest, SaysWhatIsPromisedAndWhatIsNot) {
  ASSERT_OK_AND_ASSIGN(const auto corpus_status, world_.StatusOfCorpus("notes"));
  ASSERT_OK_AND_ASSIGN(const auto opened,
                       proto::OpenStatement(Statement(), corpus_status.signing_key));
  EXPECT_THAT(opened.text,
              AllOf(HasSubstr("\ncorpus: notes\n"), HasSubstr("\nepsilon: 2.44\n"),
                    HasSubstr("\ndelta: 1e-06\n"),
                    HasSubstr("\nprivacy unit: all documents of one owner\nowners: protected"),
                    HasSubstr("\none unit replaced by another: epsilon 4.88,"),
                    HasSubstr("\nattacker's best guess at even odds: 0.")));
  EXPECT_THAT(opened.text,
              AllOf(HasSubstr("\nodometer epsilon: "), HasSubstr("\ntiming: "),
                    HasSubstr("\noverruns: 0 "), HasSubstr("\nbudgets to add: none"),
                    HasSubstr("\nprocesses: gate and vault not separated"),
                    HasSubstr("\nnot protected: people mentioned"), HasSubstr("\nversion: "),
                    HasSubstr("\nchain entries: 2\nchain head: " + base::Hex(corpus_status.head))));
}

// The older budget's statement said that no other was known, while its people were in both.
TEST_F(StatementTest, TheOlderBudgetsStatementTellsTheNewerOnesSum) {
  ASSERT_OK(world_.Ingest("letters", {"carl"}));  // shares no unit: what is told is the same
  ASSERT_OK(world_.Open("letters"));
  ASSERT_OK_AND_ASSIGN(
      const auto opened,
      proto::OpenStatement(Statement(), world_.StatusOfCorpus("notes")->signing_key));
  EXPECT_THAT(
      opened.text,
      AllOf(HasSubstr("\nbudgets to add: " + world_.StatusOfCorpus("letters")->budget_id),
            HasSubstr("\nepsilon with them: 4.88\n"), HasSubstr("\ndelta with them: 2e-06\n"),
            HasSubstr("\nwith them, attacker's best guess at even odds: 0.9"),
            HasSubstr("\nwith them, group of 2 units: epsilon 9.76, delta "),
            // e^43.92·2e-6 is above 1: an ε beside that would look like a promise.
            HasSubstr("\nwith them, group of 10 units: no promise (delta would be 1)\n")));
  EXPECT_THAT(opened.text, Not(HasSubstr("budgets to add: none")));
}

TEST_F(StatementTest, ADeclaredBudgetOfOtherPeopleIsNamedWithItsReason) {
  ASSERT_OK(world_.Ingest("letters", {"carl"}));
  ASSERT_OK(OpenBudget({.config = world_.config(),
                        .corpus = "letters",
                        .budget = accountant::PrivacyParams{.epsilon = 1, .delta = 1e-6},
                        .vouchers = {},
                        .join = "",
                        .disjoint = {{.corpus = "notes", .reason = "another town"}}}));
  ASSERT_OK_AND_ASSIGN(const auto letters,
                       MakeStatement({.config = world_.config(), .corpus = "letters", .out = ""}));
  EXPECT_THAT(letters.text, AllOf(HasSubstr("\nbudgets to add: none"),
                                  HasSubstr("as the custodian declares: another town\n")));
  EXPECT_THAT(Statement(), HasSubstr("\nbudgets to add: none"));
}

// It was today's configuration that was signed, whatever releases had been charged under.
TEST_F(StatementTest, TimingIsThatOfTheBudgetsLife) {
  EXPECT_THAT(Statement(), HasSubstr("\nfree processors: not recorded\n"));
  const std::string plan_id = world_.ReserveAndChargeOne("notes", 2);
  // Charged at a minute, while the configuration now says an hour.
  EXPECT_THAT(Statement(), AllOf(HasSubstr("\ntiming: protected: releases are readable at "
                                           "multiples of 60000 to 3600000 ms"),
                                 HasSubstr("\nrestarts: 0 "), HasSubstr("\nvoided: 0 "),
                                 HasSubstr("\nfree processors: at least 1 ")));
  {
    const auto ledger = world_.Ledger();
    ASSERT_OK_AND_ASSIGN(auto plan, ledger->GetPlan("alice", plan_id));
    ledger::ChargeRequest unprotected = testing::ChargeRequestFor(plan, 2);
    unprotected.protection = testing::ProtectionOf(0);
    ASSERT_OK(ledger->Charge(unprotected));
  }
  EXPECT_THAT(Statement(), HasSubstr("\ntiming: not protected for 1 of 2 charged releases"));
}

// The meter of what is spent is shown by `status`, and is no guarantee.
TEST_F(StatementTest, NothingThatIsOnlyInformationIsSigned) {
  world_.ReserveAndChargeOne("notes", 2);
  const std::string statement = Statement();
  EXPECT_THAT(statement, Not(HasSubstr("spent:")));
  EXPECT_THAT(statement, Not(HasSubstr("information")));
  EXPECT_THAT(statement, Not(HasSubstr("pld")));
}

TEST_F(StatementTest, TheSameHeadHasTheSameBytesAndARekeyKeepsThem) {
  const std::string before = Statement();
  EXPECT_EQ(Statement(), before);
  world_.ReserveAndChargeOne("notes", 1);
  const std::string after = Statement();
  EXPECT_NE(after, before);
  ASSERT_OK(Rekey({.config = world_.config(), .output = world_.Path("new.key")}));
  EXPECT_THAT(MakeStatement({.config = world_.config(), .corpus = "notes", .out = ""}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("key_file")))
      << "as the server itself until the new key is in its place";
  std::filesystem::rename(world_.Path("new.key"), world_.Path("corpus.key"));
  EXPECT_EQ(Statement(), after);  // the identity signs, and it has not changed
}

TEST_F(StatementTest, GoesIntoANewFileAndNeverOverAnother) {
  const std::string path = world_.Path("notes.statement");
  ASSERT_OK(MakeStatement({.config = world_.config(), .corpus = "notes", .out = path}));
  EXPECT_EQ(world_.Read("notes.statement"), Statement());
  EXPECT_THAT(MakeStatement({.config = world_.config(), .corpus = "notes", .out = path}),
              StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(StatementTest, ACorpusWithoutABudgetPromisesNothing) {
  ASSERT_OK(world_.Ingest("letters", {"carl"}));
  EXPECT_THAT(MakeStatement({.config = world_.config(), .corpus = "letters", .out = ""}),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(StatementTest, TheProgramWritesItBesideARunningServer) {
  const auto server = world_.Ledger();
  const Finished finished = world_.Run("statement --config wall.textproto --corpus notes");
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_OK(proto::OpenStatement(finished.output, ""));
}

}  // namespace
}  // namespace topicwall::admin
