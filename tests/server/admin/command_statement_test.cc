#include "server/admin/command_statement.h"

#include <gmock/gmock.h>

#include <string>

#include "proto/signed_statement.h"
#include "server/admin/command_rekey.h"
#include "tests/server/admin/custodian_world.h"
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
  const auto standing = world_.Standing("notes");
  ASSERT_OK(standing);
  const auto opened = proto::OpenStatement(Statement(), standing->signing_key);
  ASSERT_OK(opened);
  EXPECT_THAT(opened->text,
              AllOf(HasSubstr("\ncorpus: notes\n"), HasSubstr("\nepsilon: 2.44\n"),
                    HasSubstr("\ndelta: 1e-06\n"),
                    HasSubstr("\nprivacy unit: all documents of one owner\nowners: protected"),
                    HasSubstr("\none unit replaced by another: epsilon 4.88,"),
                    HasSubstr("\nattacker's best guess at even odds: 0.")));
  EXPECT_THAT(opened->text,
              AllOf(HasSubstr("\nodometer epsilon: "), HasSubstr("\ntiming: "),
                    HasSubstr("\noverruns: 0 "), HasSubstr("\nbudgets to add: none"),
                    HasSubstr("\nnot protected: people mentioned"), HasSubstr("\nversion: "),
                    HasSubstr("\nchain entries: 2\nchain head: " + Hex(standing->head))));
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
  const auto old_key = MakeStatement({.config = world_.config(), .corpus = "notes", .out = ""});
  ASSERT_OK(old_key);  // the identity signs, and it has not changed
  EXPECT_EQ(old_key->text, after);
}

TEST_F(StatementTest, GoesIntoANewFileAndNeverOverAnother) {
  const std::string path = world_.Path("notes.statement");
  const auto outcome = MakeStatement({.config = world_.config(), .corpus = "notes", .out = path});
  ASSERT_OK(outcome);
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
