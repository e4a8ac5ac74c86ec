// The contract's third part: what the custodian does beside restoring (ledger_thaw_test.cc).
#include "server/ledger/custodian_acts.h"

#include <gmock/gmock.h>

#include "tests/server/ledger/privacy_ledger_contract.h"

namespace topicwall::ledger {
namespace {

using testing::ChargeRequestFor;
using testing::EntriesSeenBy;
using ::testing::HasSubstr;
using testing::kLettersVersion;
using testing::kNotesVersion;
using testing::NotesBudget;
using testing::SealingKeyForTests;
using testing::SmallPlan;
using testing::StatusIs;

v1::DisjointBudget Disjoint(const std::string& budget_id, const std::string& reason) {
  v1::DisjointBudget disjoint;
  disjoint.set_budget_id(budget_id);
  disjoint.set_reason(reason);
  return disjoint;
}

TEST_P(PrivacyLedgerContract, AVersionOfACorpusHasOneBudget) {
  const std::string before = WholeState();
  EXPECT_THAT(custodian().OpenBudget(NotesBudget()), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(custodian().JoinBudget(budget_id(), "notes", kNotesVersion, 1),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(WholeState(), before);
}

TEST_P(PrivacyLedgerContract, ABudgetThatMakesNoSenseIsNotOpened) {
  OpenBudgetParams params = NotesBudget();
  params.corpus_version = kLettersVersion;
  params.privacy_unit = v1::PRIVACY_UNIT_UNSPECIFIED;
  EXPECT_THAT(custodian().OpenBudget(params),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("privacy_unit")));
  params = NotesBudget();
  params.corpus_version = "short";
  EXPECT_THAT(custodian().OpenBudget(params),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("corpus_version")));
  params = NotesBudget();
  params.corpus_version = kLettersVersion;
  std::get<accountant::FilterSpec>(params.policy).weights.pop_back();
  EXPECT_THAT(custodian().OpenBudget(params), StatusIs(absl::StatusCode::kInvalidArgument));
  params = testing::LettersBudget();
  std::get<accountant::InventorySpec>(params.policy).kinds.back().count = 4000;
  EXPECT_THAT(custodian().OpenBudget(params),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("come to epsilon")));
  params = NotesBudget();
  params.corpus_version = kLettersVersion;
  params.disjoint = {Disjoint(std::string(32, '0'), "another town")};
  EXPECT_THAT(custodian().OpenBudget(params), StatusIs(absl::StatusCode::kNotFound));
  params.disjoint = {Disjoint(budget_id(), "")};
  EXPECT_THAT(custodian().OpenBudget(params),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("why")));
  EXPECT_EQ(custodian().Corpora()->size(), 1);
}

// The sums that the chain of this corpus's budget tells, oldest first.
std::vector<v1::BudgetSum> SumsToldBy(PrivacyLedger& ledger, absl::string_view corpus_version) {
  std::vector<v1::BudgetSum> told;
  EXPECT_OK(
      ledger.ReadEvents(corpus_version, {"alice", false}, 0, [&](const v1::LedgerEntry& entry) {
        v1::LedgerEvent event;
        EXPECT_TRUE(event.ParseFromString(entry.event()));
        if (event.has_budgets_summed()) told.push_back(event.budgets_summed().sum());
        return absl::OkStatus();
      }));
  return told;
}

TEST_P(PrivacyLedgerContract, ANewBudgetIsToldToEveryOlderOneThatMayShare) {
  EXPECT_EQ(SumsToldBy(ledger(), kNotesVersion).size(), 0);
  OpenBudgetParams params = NotesBudget();
  params.corpus = "letters";
  params.corpus_version = kLettersVersion;
  ASSERT_OK_AND_ASSIGN(const auto letters, custodian().OpenBudget(params));
  for (const char* version : {kNotesVersion, kLettersVersion}) {
    const std::vector<v1::BudgetSum> told = SumsToldBy(ledger(), version);
    ASSERT_EQ(told.size(), 1) << version;
    EXPECT_DOUBLE_EQ(told[0].epsilon(), 4.88);
    EXPECT_DOUBLE_EQ(told[0].delta(), 2e-6);
    ASSERT_EQ(told[0].budgets_size(), 1);
    EXPECT_EQ(told[0].budgets(0).budget_id(),
              version == std::string(kNotesVersion) ? letters : budget_id());
    EXPECT_EQ(told[0].budgets(0).epsilon(), 2.44);
    EXPECT_EQ(ledger().StatusOfCorpus(version)->sum.SerializeAsString(),
              told[0].SerializeAsString());
  }
  EXPECT_EQ(BudgetSeenBy({"alice", false}).sum().budgets(0).budget_id(), letters);
  ASSERT_OK(custodian().JoinBudget(letters, "mail", "mail, version 01", 3000));
  EXPECT_EQ(SumsToldBy(ledger(), kNotesVersion).size(), 2) << "told again by every joining";
  Reopen();
  EXPECT_DOUBLE_EQ(ledger().StatusOfCorpus(kNotesVersion)->sum.epsilon(), 4.88);
}

TEST_P(PrivacyLedgerContract, BudgetsDeclaredDisjointHaveNoSum) {
  OpenBudgetParams params = NotesBudget();
  params.corpus = "letters";
  params.corpus_version = kLettersVersion;
  params.disjoint = {Disjoint(budget_id(), "another town")};
  ASSERT_OK(custodian().OpenBudget(params));
  params.corpus = "mail";
  params.corpus_version = "mail, version 01";
  params.disjoint = {};
  ASSERT_OK(custodian().OpenBudget(params));
  for (const char* version : {kNotesVersion, kLettersVersion}) {
    const std::vector<v1::BudgetSum> told = SumsToldBy(ledger(), version);
    ASSERT_EQ(told.size(), 1) << version;
    EXPECT_EQ(told[0].budgets_size(), 1) << "mail alone";
    EXPECT_DOUBLE_EQ(told[0].epsilon(), 4.88);
  }
  EXPECT_DOUBLE_EQ(SumsToldBy(ledger(), "mail, version 01").at(0).epsilon(), 7.32);
}

TEST_P(PrivacyLedgerContract, CorporaThatJoinSpendFromOneBudget) {
  ASSERT_OK(custodian().JoinBudget(budget_id(), "letters", kLettersVersion, 1500));
  v1::ReleaseSpec plan = SmallPlan(5);
  plan.set_corpus("letters");
  plan.set_corpus_version(kLettersVersion);
  Reserved("alice", 1, plan);
  EXPECT_GT(BudgetSeenBy({"ann", true}).epsilon_spent(), 0) << "of notes";
  EXPECT_EQ(ledger().StatusOfCorpus(kNotesVersion)->releases_reserved, 5) << "counted per budget";
  EXPECT_EQ(ledger().StatusOfCorpus(kLettersVersion)->releases_reserved, 5);
  EXPECT_EQ(ledger().StatusOfCorpus(kLettersVersion)->head,
            ledger().StatusOfCorpus(kNotesVersion)->head);
  Reopen();
  ASSERT_OK_AND_ASSIGN(auto corpora, custodian().Corpora());
  ASSERT_EQ(corpora.size(), 2);
  EXPECT_EQ(corpora.at(0).corpus, "notes");
  EXPECT_EQ(corpora.at(1).corpus, "letters");
  EXPECT_THAT(custodian().JoinBudget(std::string(32, '0'), "mail", "mail, version 01", 1),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(PrivacyLedgerContract, TheCustodianCancelsAnyPlanAndOnlyItsAnalystSeesWhich) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(5));
  ASSERT_OK_AND_ASSIGN(auto cancelled, custodian().CancelAnyPlan(plan.plan_id(), 5000));
  EXPECT_EQ(cancelled.state(), v1::PlanState::CANCELLED);
  EXPECT_EQ(BudgetSeenBy({"ann", true}).epsilon_spent(), 0);
  EXPECT_TRUE(EntriesSeenBy(ledger(), {"bob", false}).back().event().empty());
  EXPECT_FALSE(EntriesSeenBy(ledger(), {"alice", false}).back().event().empty());
  EXPECT_THAT(custodian().CancelAnyPlan(std::string(32, '0'), 1),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(PrivacyLedgerContract, AcknowledgingNothingIsNoEvent) {
  const std::string before = WholeState();
  EXPECT_OK(custodian().AcknowledgeOverruns(kNotesVersion, 1));
  EXPECT_EQ(WholeState(), before);
  EXPECT_THAT(custodian().AcknowledgeOverruns(kLettersVersion, 1),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(PrivacyLedgerContract, WhatIsNotFrozenIsNotThawed) {
  const std::string before = WholeState();
  const std::string head = ledger().StatusOfCorpus(kNotesVersion)->head;
  EXPECT_THAT(custodian().ThawByHead(head, {}, 1), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(custodian().ThawByForfeiting(budget_id(), 1),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  v1::LedgerExport events;
  for (const auto& entry : EntriesSeenBy(ledger(), {"ann", true})) *events.add_entries() = entry;
  EXPECT_THAT(custodian().ThawByEvents(events, {}, 1),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(WholeState(), before);
}

TEST_P(PrivacyLedgerContract, AnInterruptedReleaseSurvivesAChangeOfKeys) {
  const v1::PlanState plan = Reserved("alice", 1, SmallPlan(2));
  ASSERT_OK_AND_ASSIGN(auto first, ledger().Charge(ChargeRequestFor(plan, 1)));
  ASSERT_OK(custodian().ReplaceSealingKey(SealingKeyForTests(2)));
  ASSERT_OK_AND_ASSIGN(auto again, ledger().Charge(ChargeRequestFor(plan, 1)));
  EXPECT_EQ(std::get<ChargeReceipt>(again).release_key().ExposeBytes(),
            std::get<ChargeReceipt>(first).release_key().ExposeBytes());
}

}  // namespace
}  // namespace topicwall::ledger
