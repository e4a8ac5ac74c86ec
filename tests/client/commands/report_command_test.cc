// `topicwall report` as a script runs it: written, verified, altered, found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/audit/ledger_export.h"
#include "tests/client/program.h"
#include "tests/client/report/made_up_report.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportCommandTest : public MadeUpReport {
 protected:
  void SetUp() override {
    MadeUpReport::SetUp();
    ASSERT_OK(ExtendExport(Path("notes.events"), "notes", chain_.entries()));
    written_ = RunReport({Path("notes.model"), "--events", Path("notes.events"), "--compare",
                          Path("mail.model"), "--output", Path("notes.html")});
  }
  Finished RunReport(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "report");
    return RunProgram(arguments, Path("."));
  }
  Finished VerifyReport() {
    return RunReport({"--verify", Path("notes.html"), "--model", Path("notes.model"), "--events",
                      Path("notes.events"), "--compare", Path("mail.model")});
  }

  Finished written_;
};

TEST_F(ReportCommandTest, WhatWasWrittenIsVerified) {
  EXPECT_EQ(written_.exit_code, 0) << written_.errors;
  EXPECT_THAT(written_.output, HasSubstr("notes.html: 3 topics, with the privacy sheet"));
  const Finished verified = VerifyReport();
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output,
              AllOf(HasSubstr("says what its sources say"), Not(HasSubstr("not compared"))));
}

TEST_F(ReportCommandTest, AnAlteredNumberIsAnErrorThatSaysWhere) {
  std::string html = testing::ReadWholeFile(Path("notes.html"));
  const size_t place = html.find("\"spent_after\":");
  ASSERT_NE(place, std::string::npos);
  html[place + 14] = html[place + 14] == '1' ? '2' : '1';
  testing::WriteWholeFile(Path("notes.html"), html);
  const Finished verified = VerifyReport();
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.output, HasSubstr("ledger.plans[0].spent_after: "));
  EXPECT_THAT(verified.errors, HasSubstr("says something else than its sources"));
}

// A report is of a moment, and the chain goes on.
TEST_F(ReportCommandTest, ALongerLedgerVerifiesItStill) {
  chain_.Reserve("spiffe://topicwall/analyst/alice", "a plan of later", 200, 1);
  ASSERT_OK(ExtendExport(Path("notes.events"), "notes", chain_.entries()));
  EXPECT_EQ(VerifyReport().exit_code, 0);
}

TEST_F(ReportCommandTest, WhatWasNotComparedIsTold) {
  const Finished verified =
      RunReport({"--verify", Path("notes.html"), "--model", Path("notes.model")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, AllOf(HasSubstr("not compared: the ledger's numbers"),
                                     HasSubstr("not compared: the other model's numbers")));
}

TEST_F(ReportCommandTest, AWrongCommandLineIsExitTwo) {
  EXPECT_EQ(RunReport({}).exit_code, 2);
  EXPECT_EQ(RunReport({Path("notes.model")}).exit_code, 2);
  EXPECT_EQ(RunReport({Path("notes.model"), "--output", Path("a.html"), "--corpus", "notes",
                       "--events", Path("notes.events")})
                .exit_code,
            2);
}

}  // namespace
}  // namespace topicwall::client
