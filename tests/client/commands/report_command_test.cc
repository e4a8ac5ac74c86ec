// `topicwall report` as a script runs it: written, verified, altered, found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/audit/ledger_export.h"
#include "client/evaluate/paid_plan.h"
#include "client/evaluate/prevalence_file.h"
#include "client/report/facts/ledger_facts.h"
#include "client/report/facts/rounded_numbers.h"
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

  // From here on the wall is asked by an auditor, who sees all of it.
  void AskAsAnAuditor() {
    wall_.reader = "";
    wall_.budget = nullptr;
  }
  v1::Report Told() {
    auto report = ReportInPage(testing::ReadWholeFile(Path("a.html")));
    EXPECT_OK(report);
    return report.ok() ? *std::move(report) : v1::Report();
  }
  // The page drawn anew from an altered report: nothing in itself betrays it.
  Finished VerifyForged(v1::Report report, const std::function<void(v1::ReportedLedger&)>& forge) {
    forge(*report.mutable_ledger());
    testing::WriteWholeFile(Path("a.html"), RenderPage(report));
    return Verify();
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

// What the wall told alice of everybody, an auditor adds up.
TEST_F(ReportBesideOthersTest, AnAuditorVerifiesTheReportOfAnAnalystWhoSawAPart) {
  wall_.chain.Charge(kAlice, "plan-9-of-the-topics", 1);
  wall_.chain.Charge("bob", "his", 1);
  ASSERT_EQ(Write().exit_code, 0);
  AskAsAnAuditor();
  const Finished verified = Verify();
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, Not(HasSubstr("not compared")));
  wall_.Reserve("bob", "his third", 100, 2);
  const Finished later = Verify();
  EXPECT_EQ(later.exit_code, 0) << later.output << later.errors;
  EXPECT_THAT(later.output, Not(HasSubstr("what everybody had taken")));
  ASSERT_OK(ExtendExport(Path("all.events"), "notes", wall_.chain.entries()));
  const std::vector<std::string> by_export = {
      "--verify", Path("a.html"), "--model", Path("notes.model"), "--events", Path("all.events")};
  EXPECT_EQ(Report(by_export).exit_code, 0);
  // And what she wrote from her own export, which tells the least that it can be.
  ASSERT_OK(ExtendExport(Path("seen.events"), "notes", wall_.chain.SeenBy(kAlice)));
  ASSERT_EQ(
      Report({Path("notes.model"), "--events", Path("seen.events"), "--output", Path("a.html")})
          .exit_code,
      0);
  EXPECT_EQ(Verify().exit_code, 0);
  EXPECT_EQ(Report(by_export).exit_code, 0);
}

TEST_F(ReportBesideOthersTest, OfAReportOfAPartAnAuditorFindsEveryNumberThatIsAltered) {
  wall_.chain.Charge("bob", "his", 1);
  ASSERT_EQ(Write().exit_code, 0);
  const v1::Report honest = Told();
  AskAsAnAuditor();
  const auto expect_found = [&](const std::function<void(v1::ReportedLedger&)>& forge) {
    const Finished verified = VerifyForged(honest, forge);
    EXPECT_EQ(verified.exit_code, 1) << verified.output;
    EXPECT_THAT(verified.output, HasSubstr(": ledger."));
  };
  expect_found([](v1::ReportedLedger& told) { told.set_spent_by_all(told.spent()); });
  expect_found([](v1::ReportedLedger& told) { told.clear_spent_by_all(); });
  expect_found([](v1::ReportedLedger& told) { told.set_spent(0); });
  expect_found([](v1::ReportedLedger& told) { told.set_unseen_entries(2); });
  expect_found([](v1::ReportedLedger& told) { told.set_unseen_entries(0); });
  expect_found([](v1::ReportedLedger& told) { told.set_unseen_entries(-1); });
  expect_found([](v1::ReportedLedger& told) { told.set_head(std::string(64, '0')); });
  expect_found([](v1::ReportedLedger& told) { told.set_epsilon(4); });
  expect_found([](v1::ReportedLedger& told) { told.set_overruns(1); });
  expect_found([](v1::ReportedLedger& told) { told.set_knows_timing(true); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans()->RemoveLast(); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(1)->set_spent_before(0); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(1)->set_charged(4); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(1)->set_iterations(1); });
  expect_found([](v1::ReportedLedger& told) {
    for (auto& plan : *told.mutable_plans()) plan.set_principal("bob");
  });
}

// Whose view is told decides what is compared: none may be told but one that there is. Each of
// these sheets holds in itself, of the entries that it says it saw.
TEST_F(ReportBesideOthersTest, NoReportBecomesTrueByClaimingToHaveSeenAPart) {
  wall_.Reserve("carol", "hers", 100, 2);
  AskAsAnAuditor();
  ASSERT_EQ(Write().exit_code, 0);
  const v1::Report honest = Told();
  EXPECT_EQ(honest.ledger().unseen_entries(), 0);
  std::vector<std::string> of_report;
  for (const v1::ReportedPlan& plan : honest.ledger().plans()) {
    if (plan.is_of_report()) of_report.push_back(plan.plan_id());
  }
  const auto verify_seen_by = [&](const std::set<std::string>& readers) {
    std::vector<v1::LedgerEntry> seen = wall_.chain.entries();
    for (v1::LedgerEntry& entry : seen) {
      v1::LedgerEvent event;
      EXPECT_TRUE(event.ParseFromString(entry.event()));
      if (!event.principal().empty() && readers.count(event.principal()) == 0) {
        entry.clear_event();
        entry.clear_salt();
      }
    }
    v1::Report sheet;
    EXPECT_OK(AddLedgerFacts({.entries = seen, .plans = of_report}, sheet));
    RoundNumbers(sheet);
    return VerifyForged(honest, [&](v1::ReportedLedger& told) { told = sheet.ledger(); });
  };
  EXPECT_EQ(verify_seen_by({kAlice}).exit_code, 0);
  EXPECT_EQ(verify_seen_by({kAlice, "bob", "carol"}).exit_code, 0);
  // Two of three are no analyst's view; carol's is without the plans that the numbers are from.
  for (const std::set<std::string>& readers :
       std::vector<std::set<std::string>>{{kAlice, "carol"}, {"carol"}, {}}) {
    const Finished verified = verify_seen_by(readers);
    EXPECT_EQ(verified.exit_code, 1) << verified.output;
    EXPECT_THAT(verified.output, HasSubstr(": ledger."));
  }
}

// The other way round: what others took is sealed to alice, which is no difference, and is told.
TEST_F(ReportBesideOthersTest, AnAnalystVerifiesOfAnAuditorsReportWhatItSees) {
  wall_.chain.Charge("bob", "his", 1);
  AskAsAnAuditor();
  ASSERT_EQ(Write().exit_code, 0);
  wall_.reader = kAlice;
  wall_.budget = [this] { return wall_.chain.BudgetSeenBy(kAlice); };
  const Finished verified = Verify();
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output,
              AllOf(HasSubstr("not compared: sealed to you: what 3 entries say, by which the "
                              "report tells 2 plans of others"),
                    Not(HasSubstr("--corpus NAME")), Not(HasSubstr("has grown"))));
  const Finished json = Report(
      {"--verify", Path("a.html"), "--model", Path("notes.model"), "--corpus", "notes", "--json"});
  EXPECT_THAT(json.output, HasSubstr("\"not_compared\":[\"sealed to you: what 3 entries"));
  ASSERT_OK(ExtendExport(Path("seen.events"), "notes", wall_.chain.SeenBy(kAlice)));
  const Finished by_export = Report({"--verify", Path("a.html"), "--model", Path("notes.model"),
                                     "--events", Path("seen.events")});
  EXPECT_EQ(by_export.exit_code, 0) << by_export.output << by_export.errors;
  EXPECT_THAT(by_export.output, HasSubstr("sealed to you: what was taken by everybody"));
  wall_.Reserve("bob", "his third", 100, 2);
  const Finished later = Verify();
  EXPECT_EQ(later.exit_code, 0) << later.output << later.errors;
  EXPECT_THAT(later.output, HasSubstr("what everybody had taken in all: the ledger has grown"));
}

// What is sealed excuses nothing that is seen.
TEST_F(ReportBesideOthersTest, OfAnAuditorsReportAnAnalystFindsWhatItsOwnEntriesContradict) {
  AskAsAnAuditor();
  ASSERT_EQ(Write().exit_code, 0);
  const v1::Report honest = Told();
  wall_.reader = kAlice;
  wall_.budget = [this] { return wall_.chain.BudgetSeenBy(kAlice); };
  ASSERT_OK(ExtendExport(Path("seen.events"), "notes", wall_.chain.SeenBy(kAlice)));
  const auto expect_found = [&](const std::function<void(v1::ReportedLedger&)>& forge) {
    const Finished asked = VerifyForged(honest, forge);
    const Finished by_export = Report({"--verify", Path("a.html"), "--model", Path("notes.model"),
                                       "--events", Path("seen.events")});
    for (const Finished& verified : {asked, by_export}) {
      EXPECT_EQ(verified.exit_code, 1) << verified.output;
      EXPECT_THAT(verified.output, HasSubstr(": ledger."));
    }
  };
  ASSERT_EQ(honest.ledger().plans_size(), 6);
  expect_found([](v1::ReportedLedger& told) { told.set_spent(0.01); });
  expect_found([](v1::ReportedLedger& told) { told.set_spent_by_all(told.spent()); });
  expect_found([](v1::ReportedLedger& told) { told.set_head(std::string(64, '0')); });
  expect_found([](v1::ReportedLedger& told) { told.set_delta(1e-9); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(1)->set_charged(4); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(2)->set_spent_after(0); });
  // Somebody else's plan where alice's stands, at no place, as one of her own or of the report's.
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(0)->set_sequence(4); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(0)->set_sequence(99); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(0)->set_principal(kAlice); });
  expect_found([](v1::ReportedLedger& told) { told.mutable_plans(0)->set_is_of_report(true); });
  // As if nobody else had taken anything.
  expect_found([](v1::ReportedLedger& told) {
    told.mutable_plans()->RemoveLast();
    told.mutable_plans()->erase(told.mutable_plans()->begin());
  });
  // More than the wall tells at this moment is a difference, if it is asked.
  const Finished more = VerifyForged(honest, [](v1::ReportedLedger& told) { told.set_spent(7); });
  EXPECT_EQ(more.exit_code, 1) << more.output;
  EXPECT_THAT(more.output, HasSubstr("ledger.spent: 7 -> "));
}

}  // namespace
}  // namespace topicwall::client
