// `topicwall report` as a script runs it: written, verified, altered, found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/audit/ledger_export.h"
#include "client/evaluate/paid_plan.h"
#include "client/evaluate/prevalence_file.h"
#include "client/report/page/page.h"
#include "client/wall/mock_custodian.h"
#include "tests/client/chain_wall.h"
#include "tests/client/program.h"
#include "tests/client/report/made_up_report.h"
#include "tests/client/seen_wall.h"
#include "tests/client/wall_service_double.h"
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
    return Run(arguments);
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
TEST_F(ReportCommandTest, AModelThatSaysItCostSomethingElseThanItsPlansIsNotReported) {
  model_.set_delta(1e-12);
  WriteFolder("notes.model", model_);
  const Finished written = RunReport(
      {Path("notes.model"), "--events", Path("notes.events"), "--output", Path("other.html")});
  EXPECT_EQ(written.exit_code, 1);
  EXPECT_THAT(written.errors, HasSubstr("alone at delta 1e-12; by the ledger its plans cost"));
  EXPECT_EQ(VerifyReport().exit_code, 1);
}

TEST_F(ReportCommandTest, ALongerLedgerVerifiesItStill) {
  chain_.Reserve("spiffe://topicwall/analyst/alice", "a plan of later", 200, 1);
  ASSERT_OK(ExtendExport(Path("notes.events"), "notes", chain_.entries()));
  EXPECT_EQ(VerifyReport().exit_code, 0);
}

// Of the topics' prevalence that is paid for after the report, the report says nothing, truly.
TEST_F(ReportCommandTest, WhatIsPaidForBesideTheModelLaterLeavesAnHonestReportVerified) {
  auto later = PaidFile<v1::PrevalenceFile>(10, model_);
  ASSERT_OK_AND_ASSIGN(const auto paid, ReadPrevalence(Path("notes.model/prevalence-year.pb")));
  later.MergeFrom(*paid);
  later.mutable_plan()->set_plan_id("plan-11-of-later");
  ASSERT_OK(WritePaid(later, Path("notes.model/prevalence-all.pb")));
  chain_.Reserve("spiffe://topicwall/analyst/alice", "plan-11-of-later", NoiseOf(10), 4);
  ASSERT_OK(ExtendExport(Path("notes.events"), "notes", chain_.entries()));
  const Finished verified = VerifyReport();
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output,
              AllOf(HasSubstr("says what its sources say"),
                    HasSubstr("not compared: what was paid for since it was written, by 1 of")));
  std::string html = testing::ReadWholeFile(Path("notes.html"));
  const size_t place = html.find("\"documents\":");
  ASSERT_NE(place, std::string::npos);
  html[place + 12] = html[place + 12] == '1' ? '2' : '1';
  testing::WriteWholeFile(Path("notes.html"), html);
  const Finished forged = VerifyReport();
  EXPECT_EQ(forged.exit_code, 1);
  EXPECT_THAT(forged.output, HasSubstr("prevalences[0].groups[0].documents: "));
}

// Left out of a page whose ledger has its plan, it is missed.
TEST_F(ReportCommandTest, WhatWasPaidForBeforeAndIsNotToldIsADifference) {
  std::string hidden = Path("notes.model/prevalence-year.pb");
  std::filesystem::rename(hidden, Path("hidden.pb"));
  const Finished written =
      RunReport({Path("notes.model"), "--events", Path("notes.events"), "--compare",
                 Path("mail.model"), "--output", Path("notes.html")});
  ASSERT_EQ(written.exit_code, 0) << written.errors;
  std::filesystem::rename(Path("hidden.pb"), hidden);
  const Finished verified = VerifyReport();
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.output, HasSubstr("added: prevalences[0]"));
}

TEST_F(ReportCommandTest, WhatWasNotComparedIsTold) {
  const Finished verified =
      RunReport({"--verify", Path("notes.html"), "--model", Path("notes.model")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, AllOf(HasSubstr("not compared: the ledger's numbers"),
                                     HasSubstr("not compared: the other model's numbers")));
}

// A page without a sheet says what the plans cost all the same.
TEST_F(ReportCommandTest, OfAPageWithoutASheetALedgerThatIsGivenIsHeldAgainstTheFiles) {
  ASSERT_EQ(RunReport({Path("notes.model"), "--output", Path("bare.html")}).exit_code, 0);
  const auto verify = [this] {
    return RunReport({"--verify", Path("bare.html"), "--model", Path("notes.model"), "--events",
                      Path("notes.events")});
  };
  const Finished verified = verify();
  EXPECT_EQ(verified.exit_code, 0) << verified.errors;
  EXPECT_THAT(verified.output, HasSubstr("not compared: the ledger's numbers: the page has none"));
  model_.set_delta(1e-12);
  WriteFolder("notes.model", model_);
  ASSERT_EQ(RunReport({Path("notes.model"), "--output", Path("bare.html")}).exit_code, 0);
  const Finished other = verify();
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.errors, HasSubstr("alone at delta 1e-12; by the ledger its plans cost"));
}

TEST_F(ReportCommandTest, AMockBesideTheModelIsCalledOne) {
  v1::ModelFile mock = MadeUpModel(2, 10);
  mock.set_corpus("mail");
  mock.set_custodian_id(kMockCustodian);
  WriteFolder("mock.model", mock);
  const Finished written = RunReport(
      {Path("notes.model"), "--compare", Path("mock.model"), "--output", Path("beside.html")});
  EXPECT_EQ(written.exit_code, 0) << written.errors;
  EXPECT_THAT(written.errors, HasSubstr("MOCK: of documents that do not exist"));
  const std::string html = testing::ReadWholeFile(Path("beside.html"));
  EXPECT_THAT(html, HasSubstr("of mail (MOCK: of documents that do not exist)"));
  EXPECT_THAT(html, Not(HasSubstr("MOCK: 3 topics")));
}

TEST_F(ReportCommandTest, AWrongCommandLineIsExitTwo) {
  EXPECT_EQ(RunReport({}).exit_code, 2);
  EXPECT_EQ(RunReport({Path("notes.model")}).exit_code, 2);
  EXPECT_EQ(RunReport({Path("notes.model"), "--output", Path("a.html"), "--corpus", "notes",
                       "--events", Path("notes.events")})
                .exit_code,
            2);
}

// From exports of a budget that has a key, one of which a forger edited: who is protected is told
// otherwise in its first event, and all hashes are computed anew.
class ReportOfAnExportTest : public MadeUpReport {
 protected:
  void SetUp() override {
    chain_ = ChainBuilder(chain_.policy(), "budget", press_.key());
    MadeUpReport::SetUp();
    WriteExport("notes.events", chain_, &chain_, press_);
  }
  ChainBuilder Forged(const std::string& key) {
    ChainBuilder forged(chain_.policy(), "budget", key, v1::PRIVACY_UNIT_OWNER);
    for (size_t i = 2; i < chain_.entries().size(); ++i) {
      v1::LedgerEvent event;
      EXPECT_TRUE(event.ParseFromString(chain_.entries()[i].event()));
      forged.Append(event);
    }
    return forged;
  }
  // With the end of `of` signed; null: unsigned.
  void WriteExport(const std::string& name, ChainBuilder& chain, ChainBuilder* of,
                   const ReceiptPress& press) {
    v1::LedgerExport kept;
    kept.set_corpus("notes");
    kept.mutable_entries()->Assign(chain.entries().begin(), chain.entries().end());
    if (of != nullptr) *kept.mutable_signed_head() = SignedHeadOf(press, of->entries().back());
    testing::WriteWholeFile(Path(name), kept.SerializeAsString());
  }
  // A profile that pins the custodian's key.
  std::string Pinned() {
    testing::WriteWholeFile(Path("ann.textproto"),
                            absl::StrCat("server: \"wall.example:443\"\ncustodian_key: \"",
                                         absl::BytesToHexString(press_.key()), "\"\n"));
    return Path("ann.textproto");
  }
  void NoteKey() {
    v1::ReceiptFile file;
    file.set_format_version(1);
    file.set_signing_key(press_.key());
    testing::WriteWholeFile(Path("notes.model/receipts.pb"), file.SerializeAsString());
  }
  Finished Write(const std::string& events, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"report", Path("notes.model"), "--events", Path(events), "--output",
                               Path("notes.html")});
    return Run(more);
  }
  Finished Verify(const std::string& events) {
    return Run({"report", "--verify", Path("notes.html"), "--model", Path("notes.model"),
                "--events", Path(events)});
  }

  const ReceiptPress press_, stranger_{2};
};

TEST_F(ReportOfAnExportTest, OneWhoseSignedHeadIsOfAnotherChainIsRefusedToWriteAndToVerify) {
  ASSERT_EQ(Write("notes.events").exit_code, 0);
  EXPECT_EQ(Verify("notes.events").exit_code, 0);
  ChainBuilder forged = Forged(press_.key());
  WriteExport("forged.events", forged, &chain_, press_);
  for (const Finished& refused : {Write("forged.events"), Verify("forged.events")}) {
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("the file is at fault: "),
                                      HasSubstr("forged.events: "), HasSubstr("or edited")));
  }
}

TEST_F(ReportOfAnExportTest, AForgersOwnKeyIsToldAndRefusedWhereTheCustodiansIsKnown) {
  ChainBuilder forged = Forged(stranger_.key());
  WriteExport("forged.events", forged, &forged, stranger_);
  const Finished unknown = Write("forged.events");
  EXPECT_EQ(unknown.exit_code, 0) << unknown.errors;
  EXPECT_THAT(unknown.errors, HasSubstr(absl::BytesToHexString(stranger_.key())));
  const Finished pinned = Write("forged.events", {"--profile", Pinned()});
  EXPECT_EQ(pinned.exit_code, 1);
  EXPECT_THAT(pinned.errors, HasSubstr("the custodian's key must be"));
  NoteKey();
  const Finished noted = Write("forged.events");
  EXPECT_EQ(noted.exit_code, 1);
  EXPECT_THAT(noted.errors, HasSubstr("the custodian's key must be"));
  const Finished honest = Write("notes.events", {"--profile", Pinned()});
  EXPECT_EQ(honest.exit_code, 0) << honest.errors;
  EXPECT_THAT(honest.errors, Not(HasSubstr("is signed with")));
}

TEST_F(ReportOfAnExportTest, OfOneWithoutASignedHeadItIsSaidThatNobodyVouchesForIt) {
  WriteExport("notes.events", chain_, nullptr, press_);
  for (const Finished& done : {Write("notes.events"), Verify("notes.events")}) {
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    EXPECT_THAT(done.errors, HasSubstr("nobody vouches for "));
  }
}

// What stands there decides which plans are left out.
TEST_F(ReportOfAnExportTest, TheChainIsVerifiedBehindTheReportsEndToo) {
  ASSERT_EQ(Write("notes.events").exit_code, 0);
  chain_.Reserve("spiffe://topicwall/analyst/alice", "a plan of later", 200, 1);
  WriteExport("notes.events", chain_, &chain_, press_);
  EXPECT_EQ(Verify("notes.events").exit_code, 0);
  v1::LedgerEvent edited = ChainBuilder::Reserved("", "plan-10-of-the-years", 200, 1);
  chain_.entries().back().set_event(edited.SerializeAsString());
  WriteExport("notes.events", chain_, &chain_, press_);
  const Finished refused = Verify("notes.events");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("the file is at fault: "));
}

// Of a corpus that bob asks more of than alice, whose report it is.
class ReportBesideOthersTest : public MadeUpReport {
 protected:
  static constexpr char kAlice[] = "alice";

  ReportBesideOthersTest()
      : MadeUpReport(*accountant::AdmissionPolicy::Create(
            *accountant::BudgetFilter::DefaultSpec({.epsilon = 8, .delta = 1e-6}))) {}

  void SetUp() override {
    MadeUpReport::SetUp();
    wall_.Open(chain_.policy());
    wall_.Reserve("bob", "his", 12, 8);
    wall_.Reserve(kAlice, "plan-8-of-the-words", NoiseOf(8), 4);
    wall_.Reserve(kAlice, "plan-9-of-the-topics", NoiseOf(9), 4);
    wall_.Reserve(kAlice, "plan-7-of-the-perplexity", NoiseOf(7), 4);
    wall_.Reserve(kAlice, "plan-10-of-the-years", NoiseOf(10), 4);
    wall_.Reserve("bob", "his other", 20, 8);
    wall_.reader = kAlice;
    wall_.budget = [this] { return wall_.chain.BudgetSeenBy(kAlice); };
    testing::WriteWholeFile(Path("alice.textproto"), service_.profile());
  }
  Finished Report(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "report");
    arguments.insert(arguments.end(), {"--profile", Path("alice.textproto")});
    return Run(arguments);
  }
  Finished Write() {
    return Report({Path("notes.model"), "--corpus", "notes", "--output", Path("a.html")});
  }
  Finished Verify() {
    return Report(
        {"--verify", Path("a.html"), "--model", Path("notes.model"), "--corpus", "notes"});
  }

  SeenWall wall_;
  WallServiceDouble service_{wall_, folder_.path()};
};

TEST_F(ReportBesideOthersTest, WhatWasTakenIsWhatTheBudgetTells) {
  const Finished written = Write();
  ASSERT_EQ(written.exit_code, 0) << written.errors;
  ASSERT_OK_AND_ASSIGN(const auto report, ReportInPage(testing::ReadWholeFile(Path("a.html"))));
  EXPECT_NEAR(report.ledger().spent_by_all(), wall_.chain.Budget().epsilon_spent(), 1e-5);
  EXPECT_GT(report.ledger().spent_by_all(), 2 * report.ledger().spent());
  const Finished verified = Verify();
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, Not(HasSubstr("not compared")));
}

// What everybody had spent then, nobody says any more.
TEST_F(ReportBesideOthersTest, OfALedgerThatHasGrownAllButTheTotalIsVerified) {
  ASSERT_EQ(Write().exit_code, 0);
  wall_.Reserve("bob", "his third", 100, 2);
  const Finished verified = Verify();
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, HasSubstr("not compared: what everybody had taken in all"));
}

TEST_F(ReportBesideOthersTest, FromAnExportItIsTheLeastThatItCanBe) {
  ASSERT_OK(ExtendExport(Path("seen.events"), "notes", wall_.chain.SeenBy(kAlice)));
  ASSERT_EQ(Write().exit_code, 0);
  const Finished verified = Report({"--verify", Path("a.html"), "--model", Path("notes.model"),
                                    "--events", Path("seen.events")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, HasSubstr("not compared: what was taken by everybody"));
  ASSERT_EQ(
      Report({Path("notes.model"), "--events", Path("seen.events"), "--output", Path("a.html")})
          .exit_code,
      0);
  EXPECT_THAT(testing::ReadWholeFile(Path("a.html")), HasSubstr("<dd>at least "));
  EXPECT_EQ(Verify().exit_code, 0);
}

}  // namespace
}  // namespace topicwall::client
