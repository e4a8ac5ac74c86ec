#include "server/admin/commands/command_open_budget.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/hex.h"
#include "proto/ledger.pb.h"
#include "server/admin/custody.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

class OpenBudgetTest : public ::testing::Test {
 protected:
  OpenBudgetFlags FlagsFor(const std::string& corpus) const {
    return {.config = world_.config(),
            .corpus = corpus,
            .budget = accountant::PrivacyParams{.epsilon = 1, .delta = 2e-6},
            .vouchers = {},
            .join = ""};
  }
  OpenBudgetFlags JoinFlags(const std::string& corpus, const std::string& other) const {
    OpenBudgetFlags flags = FlagsFor(corpus);
    flags.budget = std::nullopt;
    flags.join = other;
    return flags;
  }
  // Yes to being beside other budgets.
  OpenBudgetFlags YesFlags(const std::string& corpus) const {
    OpenBudgetFlags flags = FlagsFor(corpus);
    flags.yes = true;
    return flags;
  }
  OpenBudgetFlags DisjointFlags(const std::string& corpus, const std::string& other) const {
    OpenBudgetFlags flags = FlagsFor(corpus);
    flags.disjoint = {{.corpus = other, .reason = "another town"}};
    return flags;
  }
  v1::BudgetSum SumOf(const std::string& corpus) const {
    const auto corpus_status = world_.StatusOfCorpus(corpus);
    EXPECT_OK(corpus_status);
    return corpus_status.ok() ? corpus_status->sum : v1::BudgetSum();
  }

  // ann and bob's notes have a budget of ε = 2.44, δ = 1e-6; the letters are ingested.
  void WithNotesOpen(const std::vector<std::string>& owners_of_letters) {
    ASSERT_OK(world_.IngestAndOpen("notes", {"ann", "bob"}));
    ASSERT_OK(world_.Ingest("letters", owners_of_letters));
  }

  std::string BudgetOf(const std::string& corpus) const {
    const auto corpus_status = world_.StatusOfCorpus(corpus);
    EXPECT_OK(corpus_status);
    return corpus_status.ok() ? corpus_status->budget_id : "";
  }

  std::string BudgetedVersion(const std::string& corpus) const {
    const auto corpus_status = world_.StatusOfCorpus(corpus);
    EXPECT_OK(corpus_status);
    return corpus_status.ok() ? base::Hex(corpus_status->corpus_version) : "";
  }

  v1::BudgetOpened OpeningOf(const std::string& corpus) const {
    const auto corpus_status = world_.StatusOfCorpus(corpus);
    EXPECT_OK(corpus_status);
    v1::LedgerEvent event;
    const auto first = [&event](const v1::LedgerEntry& entry) {
      if (entry.sequence() == 1) event.ParseFromString(entry.event());
      return absl::OkStatus();
    };
    EXPECT_OK(world_.Ledger()->ReadEvents(corpus_status->corpus_version,
                                          {.principal = "", .is_auditor = true}, 1, first));
    return event.budget_opened();
  }

  const CustodianWorld world_;
};

// Notes of ann and bob, and letters of one owner, each with a budget of its own.
struct OpenBudgetTestWorld {
  explicit OpenBudgetTestWorld(const std::string& owner_of_letters) {
    EXPECT_OK(world.Ingest("notes", {"ann", "bob"}));
    EXPECT_OK(world.Open("notes"));
    EXPECT_OK(world.Ingest("letters", {owner_of_letters}));
    auto outcome = OpenBudget({.config = world.config(),
                               .corpus = "letters",
                               .budget = accountant::PrivacyParams{.epsilon = 1, .delta = 2e-6},
                               .vouchers = {},
                               .join = "",
                               .yes = true});
    EXPECT_OK(outcome);
    if (outcome.ok()) opened = *std::move(outcome);
  }
  const CustodianWorld world;
  Outcome opened;
};

TEST_F(OpenBudgetTest, TheFirstCreatesTheLedgerForTheOwnerAlone) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto outcome, world_.Open("notes"));
  EXPECT_THAT(outcome.text, HasSubstr("(2.4400, 1e-06)-differentially private"));
  EXPECT_THAT(outcome.text, HasSubstr("all documents of one owner"));
  EXPECT_EQ(world_.Mode("data/ledger.db"), 0600);
  EXPECT_EQ(world_.Mode("data/ledger.id"), 0600);
  const v1::BudgetOpened opened = OpeningOf("notes");
  EXPECT_EQ(opened.custodian_id(), "library");
  EXPECT_EQ(opened.filter().epsilon(), 2.44);
  EXPECT_EQ(opened.disjoint_size(), 0);
}

TEST_F(OpenBudgetTest, OfAnotherCorpusHasTheSameLedger) {
  WithNotesOpen({"cy"});
  ASSERT_OK(OpenBudget(YesFlags("letters")));
  EXPECT_NE(BudgetOf("letters"), BudgetOf("notes"));
}

// On a disk that was not mounted it would be the second ledger of the same documents.
TEST_F(OpenBudgetTest, ThatItsLedgerIsANewOneIsSaid) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto first, world_.Open("notes"));
  EXPECT_THAT(first.text, HasSubstr("Its ledger, in " + world_.Path("data") + ", is a new one"));
  EXPECT_THAT(first.json.Text(), HasSubstr(R"("new_ledger":true)"));
  ASSERT_OK(world_.Ingest("letters", {"bob"}));
  ASSERT_OK_AND_ASSIGN(const auto second, OpenBudget(YesFlags("letters")));
  EXPECT_THAT(second.text, Not(HasSubstr("is a new one")));
  EXPECT_THAT(second.json.Text(), HasSubstr(R"("new_ledger":false)"));
}

TEST_F(OpenBudgetTest, IsOnceAndForEver) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  for (const OpenBudgetFlags& again :
       {FlagsFor("notes"), YesFlags("notes"), JoinFlags("notes", "notes")}) {
    EXPECT_THAT(OpenBudget(again),
                StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("never changes")));
  }
}

TEST_F(OpenBudgetTest, ComesAfterIngestion) {
  EXPECT_THAT(OpenBudget(FlagsFor("notes")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("topicwall-admin ingest")));
  EXPECT_THAT(OpenBudget(FlagsFor("other")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("other")));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
}

TEST_F(OpenBudgetTest, VouchersAreRecordedInTheOrderInWhichTheyAreDrawn) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  OpenBudgetFlags flags = FlagsFor("notes");
  flags.vouchers = {{20, 1, 2}, {40, 1, 3}, {20, 1, 1}};
  const auto outcome = OpenBudget(flags);
  ASSERT_OK(outcome);
  EXPECT_THAT(outcome->text, HasSubstr("(1.0000, 2e-06)-differentially private"));
  EXPECT_THAT(outcome->text, HasSubstr("noise multiplier 20, sampling rate 1: 3 of 3 left"));
  EXPECT_THAT(outcome->json.Text(), HasSubstr(R"("policy":"inventory")"));
  const v1::BudgetOpened opened = OpeningOf("notes");
  EXPECT_FALSE(opened.has_filter());
  ASSERT_EQ(opened.inventory().kinds_size(), 2);
  EXPECT_EQ(opened.inventory().epsilon(), 1);
  EXPECT_EQ(opened.inventory().kinds(0).noise_multiplier(), 40);
  EXPECT_EQ(opened.inventory().kinds(1).count(), 3);
  const auto joined = OpenBudget(JoinFlags("notes", "notes"));
  EXPECT_THAT(joined, StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(OpenBudgetTest, VouchersBeyondTheBudgetAreRefusedWithWhatWouldFitAndNoLedgerIsMade) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  OpenBudgetFlags flags = FlagsFor("notes");
  flags.vouchers = {{20, 1, 1000}, {40, 1, 3}};
  const auto refused = OpenBudget(flags);
  EXPECT_THAT(refused,
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("come to epsilon"), HasSubstr("of the first kind"))));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
  // What it says fits does, and one more does not.
  const std::string message(refused.status().message());
  const size_t number = message.find("With ") + 5;
  const int64_t most = std::stoll(message.substr(number));
  ASSERT_GT(most, 0);
  flags.vouchers[0].count = most + 1;
  EXPECT_THAT(OpenBudget(flags), StatusIs(absl::StatusCode::kInvalidArgument));
  flags.vouchers[0].count = most;
  EXPECT_OK(OpenBudget(flags));
  flags.vouchers = {{20, 1, 1}, {1, 1, 100}};
  EXPECT_THAT(OpenBudget(flags), StatusIs(absl::StatusCode::kInvalidArgument,
                                          HasSubstr("Even without the first kind")));
}

TEST_F(OpenBudgetTest, ABudgetThatNoFilterEnforcesLeavesNoLedger) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  OpenBudgetFlags flags = FlagsFor("notes");
  for (const accountant::PrivacyParams& bad :
       {accountant::PrivacyParams{.epsilon = 0, .delta = 1e-6},
        accountant::PrivacyParams{.epsilon = -1, .delta = 1e-6},
        accountant::PrivacyParams{.epsilon = 1, .delta = 0},
        accountant::PrivacyParams{.epsilon = 1, .delta = 1}}) {
    flags.budget = bad;
    EXPECT_THAT(OpenBudget(flags), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
  EXPECT_FALSE(world_.Exists("data/budgets-opened"));
}

TEST_F(OpenBudgetTest, WaitsForNobodyWhoHoldsTheDirectory) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world_.config()));
  ASSERT_OK_AND_ASSIGN(const auto lock, Lock(custody.config));
  EXPECT_THAT(OpenBudget(FlagsFor("notes")), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
}

TEST_F(OpenBudgetTest, NeverMakesAFreshLedgerOverALostOne) {
  WithNotesOpen({"cy"});
  const auto expect_refused = [this] {
    for (const OpenBudgetFlags& flags : {FlagsFor("notes"), FlagsFor("letters"),
                                         YesFlags("letters"), JoinFlags("letters", "notes")}) {
      EXPECT_THAT(OpenBudget(flags), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("restore")));
    }
  };
  std::filesystem::rename(world_.Path("data/ledger.id"), world_.Path("ledger.id"));
  expect_refused();
  std::filesystem::rename(world_.Path("data/ledger.db"), world_.Path("ledger.db"));
  expect_refused();  // neither of them
  std::filesystem::rename(world_.Path("ledger.id"), world_.Path("data/ledger.id"));
  expect_refused();
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
  std::filesystem::rename(world_.Path("ledger.db"), world_.Path("data/ledger.db"));
  EXPECT_OK(OpenBudget(YesFlags("letters")));
}

// Whether units are shared or not: the question, and what is told, are the same.
TEST_F(OpenBudgetTest, ABudgetBesideAnotherIsAskedAbout) {
  WithNotesOpen({"cy"});
  EXPECT_THAT(OpenBudget(FlagsFor("letters")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("notes"), HasSubstr("--join"), HasSubstr("--disjoint"))));
  EXPECT_THAT(world_.StatusOfCorpus("letters"), StatusIs(absl::StatusCode::kNotFound));
  std::istringstream no("n\n");
  std::ostringstream asked;
  OpenBudgetFlags flags = FlagsFor("letters");
  flags.dialogue = {.answers = &no, .questions = &asked};
  EXPECT_THAT(OpenBudget(flags), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(asked.str(), HasSubstr("epsilons and deltas add up"));
  EXPECT_THAT(world_.StatusOfCorpus("letters"), StatusIs(absl::StatusCode::kNotFound));
  std::istringstream yes("y\n");
  flags.dialogue.answers = &yes;
  EXPECT_OK(OpenBudget(flags));
}

TEST_F(OpenBudgetTest, ABudgetOutOfProportionIsAskedAbout) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  for (const accountant::PrivacyParams& unusual :
       {accountant::PrivacyParams{.epsilon = 1e3, .delta = 1e-6},
        accountant::PrivacyParams{.epsilon = 1, .delta = 0.5}}) {
    OpenBudgetFlags flags = FlagsFor("notes");
    flags.budget = unusual;
    EXPECT_THAT(OpenBudget(flags),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--yes")));
    EXPECT_FALSE(world_.Exists("data/ledger.db"));
  }
  OpenBudgetFlags flags = YesFlags("notes");
  flags.budget = {.epsilon = 11, .delta = 1e-6};
  EXPECT_OK(OpenBudget(flags));
}

TEST_F(OpenBudgetTest, ADeclarationIsRecordedAndAFalseOneRefused) {
  WithNotesOpen({"bob", "cy"});
  EXPECT_THAT(OpenBudget(DisjointFlags("letters", "notes")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("shares privacy units")));
  EXPECT_THAT(world_.StatusOfCorpus("letters"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(world_.Ingest("cards", {"cy"}));
  ASSERT_OK(OpenBudget(DisjointFlags("cards", "notes")));
  ASSERT_EQ(OpeningOf("cards").disjoint_size(), 1);
  EXPECT_EQ(OpeningOf("cards").disjoint(0).budget_id(), BudgetOf("notes"));
  EXPECT_EQ(OpeningOf("cards").disjoint(0).reason(), "another town");
  EXPECT_EQ(SumOf("cards").budgets_size(), 0);
  EXPECT_EQ(SumOf("notes").budgets_size(), 0);
  // The letters would make it false for whoever is in both.
  EXPECT_THAT(OpenBudget(JoinFlags("letters", "cards")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("shares privacy units")));
}

TEST_F(OpenBudgetTest, JoiningSpendsFromTheOtherBudget) {
  WithNotesOpen({"bob", "cy"});
  ASSERT_OK_AND_ASSIGN(const auto outcome, OpenBudget(JoinFlags("letters", "notes")));
  EXPECT_EQ(BudgetOf("letters"), BudgetOf("notes"));
  EXPECT_THAT(outcome.text, HasSubstr("(2.4400, 1e-06)-differentially private"));
}

TEST_F(OpenBudgetTest, JoiningIsOpenToDisjointCorporaToo) {
  WithNotesOpen({"cy"});
  ASSERT_OK(OpenBudget(JoinFlags("letters", "notes")));
  EXPECT_EQ(BudgetOf("letters"), BudgetOf("notes"));
}

TEST_F(OpenBudgetTest, JoiningWantsABudgetThatIsThere) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  EXPECT_THAT(OpenBudget(JoinFlags("notes", "letters")), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_FALSE(world_.Exists("data/ledger.db"));
  ASSERT_OK(world_.Open("notes"));
  ASSERT_OK(world_.Ingest("letters", {"cy"}));
  EXPECT_THAT(OpenBudget(JoinFlags("letters", "cards")), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(OpenBudgetTest, TheSumIsToldToEveryReaderOfBothWhetherUnitsAreSharedOrNot) {
  for (const std::string owner : {"bob", "dora"}) {
    const OpenBudgetTestWorld other(owner);
    for (const char* corpus : {"notes", "letters"}) {
      ASSERT_OK_AND_ASSIGN(const auto corpus_status, other.world.StatusOfCorpus(corpus));
      ASSERT_EQ(corpus_status.sum.budgets_size(), 1) << owner << ", " << corpus;
      EXPECT_DOUBLE_EQ(corpus_status.sum.epsilon(), 2.44 + 1);
      EXPECT_DOUBLE_EQ(corpus_status.sum.delta(), 1e-6 + 2e-6);
    }
    EXPECT_THAT(other.opened.text, HasSubstr("(3.4400, 3e-06)"));
  }
}

TEST_F(OpenBudgetTest, ASumCountsEveryBudgetOnce) {
  WithNotesOpen({"bob", "cy"});
  ASSERT_OK(OpenBudget(JoinFlags("letters", "notes")));
  ASSERT_OK(world_.Ingest("cards", {"ann", "cy"}));  // one of the notes, one of the letters
  ASSERT_OK(OpenBudget(YesFlags("cards")));
  EXPECT_EQ(SumOf("cards").budgets_size(), 1);
  EXPECT_DOUBLE_EQ(SumOf("cards").epsilon(), 2.44 + 1);
}

TEST_F(OpenBudgetTest, ACorpusThatJoinsOneOfTwoIsInTheSumOfBoth) {
  WithNotesOpen({"cy"});
  ASSERT_OK(OpenBudget(YesFlags("letters")));
  ASSERT_OK(world_.Ingest("cards", {"ann", "cy"}));
  ASSERT_OK(OpenBudget(JoinFlags("cards", "notes")));
  EXPECT_DOUBLE_EQ(SumOf("cards").epsilon(), 2.44 + 1);
}

TEST_F(OpenBudgetTest, WhatCannotBeComparedRestsOnTheCustodiansWord) {
  WithNotesOpen({"bob"});
  std::filesystem::remove(world_.CorpusPath("notes"));
  OpenBudgetFlags flags = DisjointFlags("letters", BudgetedVersion("notes"));
  std::istringstream no("n\n");
  std::ostringstream asked;
  flags.dialogue = {.answers = &no, .questions = &asked};
  EXPECT_THAT(OpenBudget(flags), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(asked.str(), HasSubstr("rests on your word"));
  EXPECT_THAT(world_.StatusOfCorpus("letters"), StatusIs(absl::StatusCode::kNotFound));
  flags.yes = true;
  ASSERT_OK_AND_ASSIGN(const auto outcome, OpenBudget(flags));
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_THAT(outcome.warnings[0], HasSubstr("rests on your word"));
}

TEST_F(OpenBudgetTest, AJoinThatNobodyCanCompareWithWhatWasDeclaredIsAskedAbout) {
  WithNotesOpen({"cy"});
  ASSERT_OK(OpenBudget(DisjointFlags("letters", "notes")));
  std::filesystem::remove(world_.CorpusPath("notes"));
  ASSERT_OK(world_.Ingest("cards", {"dora"}));
  OpenBudgetFlags flags = JoinFlags("cards", "letters");
  EXPECT_THAT(OpenBudget(flags),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("rests on your word")));
  EXPECT_THAT(world_.StatusOfCorpus("cards"), StatusIs(absl::StatusCode::kNotFound));
  flags.yes = true;
  EXPECT_OK(OpenBudget(flags));
}

// The same people, of whom the key has no earlier version to compare with any more.
TEST_F(OpenBudgetTest, AnEarlierVersionOfTheSameCorpusIsNotDisjointWhateverIsSaid) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  const std::string version = BudgetedVersion("notes");
  IngestFlags again = world_.FlagsFor("notes", world_.Path("notes.jsonl"));
  again.replace = true;
  again.yes = true;
  ASSERT_OK(IngestCorpus(again, nullptr));
  OpenBudgetFlags flags = DisjointFlags("notes", version);
  flags.yes = true;
  EXPECT_THAT(OpenBudget(flags),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("earlier version")));
  EXPECT_EQ(SumOf("notes").budgets_size(), 0) << "nothing was opened";
}

TEST_F(OpenBudgetTest, IngestingAgainGivesNoFreshBudget) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  IngestFlags flags = world_.FlagsFor("notes", world_.Path("notes.jsonl"));
  flags.replace = true;
  flags.yes = true;
  ASSERT_OK(IngestCorpus(flags, nullptr));
  EXPECT_THAT(OpenBudget(FlagsFor("notes")), StatusIs(absl::StatusCode::kFailedPrecondition));
  const std::string before = BudgetOf("notes");
  ASSERT_OK(OpenBudget(JoinFlags("notes", "notes")));
  EXPECT_EQ(BudgetOf("notes"), before);
}

TEST_F(OpenBudgetTest, BudgetsOfDifferentPrivacyUnitsAreToldAndCannotBeJoined) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  IngestFlags flags = world_.FlagsFor("cards", world_.WriteDocuments({"cy"}, "cards"));
  flags.documents.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  ASSERT_OK(IngestCorpus(flags, nullptr));
  EXPECT_THAT(OpenBudget(FlagsFor("cards")), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(OpenBudget(JoinFlags("cards", "notes")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--privacy-unit owner")));
  ASSERT_OK_AND_ASSIGN(const auto outcome, OpenBudget(YesFlags("cards")));
  EXPECT_THAT(outcome.text, HasSubstr("one privacy unit of each"));
  EXPECT_EQ(SumOf("notes").budgets_size(), 1);
}

}  // namespace
}  // namespace topicwall::admin
