#include "client/audit/receipt_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/client/chain_builder.h"
#include "tests/client/receipt_press.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

class ReceiptAuditTest : public ::testing::Test {
 protected:
  // Of three entries, as a wall opens it.
  static ChainBuilder Begin(const ReceiptPress& press) {
    ChainBuilder chain(ChainBuilder().policy(), "budget", press.key());
    chain.TellSum(v1::BudgetSum());
    return chain;
  }
  static void Fill(ChainBuilder& chain) {
    chain.Reserve("alice", "plan", 20, 3);  // 4
    chain.Charge("alice", "plan", 1);       // 5
    chain.Publish("alice", "plan", 1);      // 6
    chain.Reserve("bob", "other", 20, 1);   // 7
    chain.Charge("alice", "plan", 2);       // 8
    chain.Cancel("alice", "plan", 1);       // 9
  }
  ReceiptAuditTest() : chain_(Begin(press_)) {
    Fill(chain_);
    file_.set_format_version(1);
    file_.set_signing_key(press_.key());
    Add(4, {5});
    Add(5, {5});
    Add(6, {5});
    Add(8, {7});
    Add(9, {6});
  }
  void Add(int64_t sequence, const std::vector<uint64_t>& spent) {
    *file_.add_receipts() = press_.Of(chain_.entries(), sequence, spent);
  }
  std::vector<std::string> FindingsAgainst(const std::vector<v1::LedgerEntry>& chain) {
    const auto audit = AuditReceipts(file_, {.chain = absl::MakeConstSpan(chain)});
    EXPECT_OK(audit);
    return audit.ok() ? audit->findings : std::vector<std::string>{"no audit"};
  }
  std::vector<std::string> Findings() {
    const auto audit = AuditReceipts(file_, {});
    EXPECT_OK(audit);
    return audit.ok() ? audit->findings : std::vector<std::string>{"no audit"};
  }

  // A receipt with a field that this program does not know.
  v1::SignedReceipt Newer(int64_t sequence) {
    v1::Receipt receipt;
    EXPECT_TRUE(receipt.ParseFromString(press_.Of(chain_.entries(), sequence).receipt()));
    receipt.GetReflection()->MutableUnknownFields(&receipt)->AddVarint(1000, 1);
    return press_.Sign(receipt);
  }

  ReceiptPress press_;
  ChainBuilder chain_;
  v1::ReceiptFile file_;
};

TEST_F(ReceiptAuditTest, ReceiptsOfAnHonestLedgerFitAloneAndInTheChain) {
  EXPECT_THAT(Findings(), IsEmpty());
  EXPECT_THAT(FindingsAgainst(chain_.entries()), IsEmpty());
  EXPECT_THAT(FindingsAgainst(chain_.SeenBy("alice")), IsEmpty());
  const auto audit = AuditReceipts(file_, {.chain = absl::MakeConstSpan(chain_.entries())});
  EXPECT_EQ(audit->last_sequence, 9);
  EXPECT_EQ(audit->last_head, chain_.entries().back().head());
  EXPECT_EQ(audit->chain_length, 9);
}

// Neither is it passed over, nor does it hide what others show.
TEST_F(ReceiptAuditTest, AReceiptThatSaysMoreThanIsKnownIsAFindingOfItsOwnKind) {
  *file_.add_receipts() = Newer(8);
  auto audit = AuditReceipts(file_, {});
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("receipt 6: the receipt says more")));
  EXPECT_EQ(audit->beyond, 1);
  std::vector<v1::LedgerEntry> older = chain_.entries();
  older.resize(5);
  audit = AuditReceipts(file_, {.chain = absl::MakeConstSpan(older)});
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("says more"), HasSubstr("older copy")));
  EXPECT_EQ(audit->beyond, 1);
}

TEST_F(ReceiptAuditTest, ALedgerPutBackToAnOlderCopyMissesAReceipt) {
  std::vector<v1::LedgerEntry> older = chain_.entries();
  older.resize(5);
  EXPECT_THAT(FindingsAgainst(older), ElementsAre(::testing::AllOf(
                                          HasSubstr("entry 6 (iteration 1 of plan plan published)"),
                                          HasSubstr("ends at entry 5"), HasSubstr("older copy"))));
}

// A wall shows all that there is; a file only what there was.
TEST_F(ReceiptAuditTest, AnExportThatIsOlderThanTheReceiptsAccusesNobody) {
  std::vector<v1::LedgerEntry> older = chain_.entries();
  older.resize(5);
  const auto audit = [&] {
    auto found =
        AuditReceipts(file_, {.chain = absl::MakeConstSpan(older), .export_path = "notes.events"});
    EXPECT_OK(found);
    return found.ok() ? *std::move(found) : ReceiptAudit();
  };
  EXPECT_THAT(audit().findings,
              ElementsAre(AllOf(HasSubstr("notes.events: the export ends at entry 5, before the "
                                          "receipt of entry 6 ("),
                                HasSubstr("export again with topicwall ledger "),
                                Not(HasSubstr("put back")))));
  EXPECT_THAT(VerdictOf(audit()),
              StatusIs(absl::StatusCode::kFailedPrecondition, Not(HasSubstr("custodian"))));
  // What it holds must fit all the same.
  ChainBuilder fork = Begin(press_);
  fork.Reserve("alice", "plan", 20, 3);
  fork.Charge("alice", "plan", 2);
  older = fork.entries();
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("forked")));
  EXPECT_THAT(VerdictOf(audit()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("custodian")));
}

TEST_F(ReceiptAuditTest, ALedgerThatWentOnFromAnOlderCopyIsAFork) {
  ChainBuilder fork = Begin(press_);
  fork.Reserve("alice", "plan", 20, 3);
  fork.Charge("alice", "plan", 2);
  for (int i = 0; i < 9; ++i) fork.Reserve("bob", absl::StrCat("b", i), 100, 1);
  EXPECT_THAT(FindingsAgainst(fork.entries()),
              ElementsAre(::testing::AllOf(HasSubstr("entry 5"), HasSubstr("another one"))));
}

TEST_F(ReceiptAuditTest, TwoReceiptsOfOneEntryThatDifferAreAForkWithoutAnyChain) {
  ChainBuilder fork = Begin(press_);
  fork.Reserve("alice", "plan", 20, 3);
  fork.Charge("alice", "plan", 2);
  *file_.add_receipts() = press_.Of(fork.entries(), 5);
  EXPECT_THAT(Findings(), ::testing::Contains(HasSubstr("forked")));
}

// The entry itself is the same in both histories; what differs is before it.
TEST_F(ReceiptAuditTest, TwoReceiptsOfOneEntryWithTwoHeadsAreAForkWithoutAnyChain) {
  ChainBuilder fork = Begin(press_);
  fork.Reserve("alice", "plan", 20, 3);
  fork.Charge("alice", "plan", 2);
  fork.Publish("alice", "plan", 1);
  v1::ReceiptFile file;
  file.set_signing_key(press_.key());
  *file.add_receipts() = press_.Of(chain_.entries(), 6);
  *file.add_receipts() = press_.Of(fork.entries(), 6);
  EXPECT_THAT(AuditReceipts(file, {})->findings, ElementsAre(HasSubstr("forked")));
}

TEST_F(ReceiptAuditTest, NeighboursThatAreNotLinkedAreOfTwoHistories) {
  ChainBuilder fork = Begin(press_);
  fork.Reserve("alice", "plan", 20, 3);
  fork.Charge("alice", "plan", 2);
  fork.Charge("alice", "plan", 1);  // 6, behind another 5
  v1::ReceiptFile file;
  file.set_signing_key(press_.key());
  *file.add_receipts() = press_.Of(chain_.entries(), 5);
  *file.add_receipts() = press_.Of(fork.entries(), 6);
  EXPECT_THAT(AuditReceipts(file, {})->findings, ElementsAre(HasSubstr("two histories")));
}

TEST_F(ReceiptAuditTest, AnIterationChargedForTwoRequestsIsFound) {
  for (const char* digest : {"one", "two"}) {
    v1::LedgerEvent event;
    event.mutable_iteration_charged()->set_plan_id("plan");
    event.mutable_iteration_charged()->set_iteration(3);
    event.mutable_iteration_charged()->set_request_digest(digest);
    chain_.Append(event);
    Add(static_cast<int64_t>(chain_.entries().size()), {6});
  }
  EXPECT_THAT(Findings(), ElementsAre(HasSubstr("another request")));
}

TEST_F(ReceiptAuditTest, SpendingThatFallsWithoutACancellationIsFound) {
  for (const std::vector<uint64_t>& less : {std::vector<uint64_t>{5, 8}, {4, 9}}) {
    v1::ReceiptFile file;
    file.set_signing_key(press_.key());
    *file.add_receipts() = press_.Of(chain_.entries(), 4, {5, 9});
    *file.add_receipts() = press_.Of(chain_.entries(), 5, less);
    EXPECT_THAT(AuditReceipts(file, {})->findings, ElementsAre(HasSubstr("less is spent")));
  }
  // Entries in between that nobody saw may have been cancellations; visible ones were none.
  v1::ReceiptFile apart;
  apart.set_signing_key(press_.key());
  *apart.add_receipts() = press_.Of(chain_.entries(), 6, {5, 9});
  *apart.add_receipts() = press_.Of(chain_.entries(), 8, {5, 8});
  EXPECT_THAT(AuditReceipts(apart, {})->findings, IsEmpty());
  EXPECT_THAT(AuditReceipts(apart, {.chain = absl::MakeConstSpan(chain_.entries())})->findings,
              ElementsAre(HasSubstr("less is spent")));
}

TEST_F(ReceiptAuditTest, AFlippedBitAnywhereInAReceiptIsFound) {
  const v1::SignedReceipt intact = file_.receipts(1);
  for (size_t bit = 0; bit < 8 * intact.receipt().size(); bit += 5) {
    std::string& bytes = *file_.mutable_receipts(1)->mutable_receipt();
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THAT(Findings(), ::testing::Contains(HasSubstr("receipt 2"))) << bit;
    *file_.mutable_receipts(1) = intact;
  }
}

TEST_F(ReceiptAuditTest, AnotherCustodiansKeyIsNotTaken) {
  const ReceiptPress stranger(2);
  EXPECT_THAT(AuditReceipts(file_, {.signing_key = stranger.key()}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ChainBuilder other = Begin(stranger);
  Fill(other);
  EXPECT_THAT(FindingsAgainst(other.entries()),
              ::testing::Contains(HasSubstr("another signing key")));
}

TEST_F(ReceiptAuditTest, AChainThatDoesNotVerifyIsAnError) {
  std::vector<v1::LedgerEntry> edited = chain_.entries();
  edited[4].set_salt(std::string(16, 'x'));
  EXPECT_THAT(AuditReceipts(file_, {.chain = absl::MakeConstSpan(edited)}),
              StatusIs(absl::StatusCode::kDataLoss));
}

// A model of which another corpus was asked something, as `prevalence --corpus` does. That corpus'
// budget comes first among its receipts.
class ReceiptsOfTwoBudgetsTest : public ReceiptAuditTest {
 protected:
  ReceiptsOfTwoBudgetsTest() {
    Ask(other_, "mail", 1);
    Ask(own_, "notes", 2);
  }
  void Ask(ChainBuilder& chain, const std::string& corpus, int version) {
    v1::LedgerEvent event;
    event.mutable_corpus_joined()->set_corpus(corpus);
    event.mutable_corpus_joined()->set_corpus_version(std::string(16, static_cast<char>(version)));
    chain.Append(event);
    event = ChainBuilder::Reserved("alice", absl::StrCat("plan of ", corpus), 20, 1);
    v1::ReleaseSpec& spec = *event.mutable_plan_reserved()->mutable_spec();
    spec.set_corpus(corpus);
    spec.set_corpus_version(std::string(16, static_cast<char>(version)));
    chain.Append(event);
    chain.Charge("alice", event.plan_reserved().plan_id(), 1);
    for (const int64_t sequence : {4, 5}) {
      *receipts_.add_receipts() = press_.Of(chain.entries(), sequence, {5});
    }
  }
  absl::StatusOr<ReceiptAudit> Against(absl::Span<const v1::LedgerEntry> chain) {
    return AuditReceipts(receipts_, {.signing_key = press_.key(), .chain = chain});
  }

  ChainBuilder other_{ChainBuilder::Vouchers(), "a", press_.key()};
  ChainBuilder own_{ChainBuilder::Vouchers(), "b", press_.key()};
  v1::ReceiptFile receipts_;
};

TEST_F(ReceiptsOfTwoBudgetsTest, ThoseOfTheOtherAreCountedAndNoFinding) {
  ASSERT_OK_AND_ASSIGN(const auto audit, Against(own_.entries()));
  EXPECT_THAT(audit.findings, IsEmpty());
  ASSERT_EQ(audit.elsewhere.size(), 1U);
  EXPECT_EQ(
      DescribeElsewhere(audit.elsewhere[0]),
      "2 receipts of budget a, of corpus mail: verify them with that corpus' ledger. If its "
      "budget is another one, this one was forgotten: its ledger was put back, or begun anew");
  EXPECT_EQ(audit.last_head, own_.entries().back().head());
  // And from the other corpus' side.
  ASSERT_OK_AND_ASSIGN(const auto of_mail, Against(other_.entries()));
  EXPECT_THAT(of_mail.findings, IsEmpty());
  EXPECT_EQ(of_mail.elsewhere[0].budget_id, "b");
  EXPECT_EQ(of_mail.last_head, other_.entries().back().head());
}

TEST_F(ReceiptsOfTwoBudgetsTest, ALedgerThatWasPutBackIsFoundAllTheSame) {
  for (ChainBuilder* chain : {&own_, &other_}) {
    ASSERT_OK_AND_ASSIGN(const auto audit, Against(absl::MakeConstSpan(chain->entries()).first(4)));
    EXPECT_THAT(audit.findings, ElementsAre(HasSubstr("entry 5 (iteration 1 of plan ")));
    EXPECT_THAT(audit.findings, ElementsAre(HasSubstr("is missing")));
  }
}

// Less is spent in the other budget between two receipts: a cancellation in this chain's entries of
// those numbers says nothing of it, and neither does none.
TEST_F(ReceiptsOfTwoBudgetsTest, TheOthersAreNotJudgedByThisChain) {
  for (int i = 7; i <= 9; ++i) other_.Charge("alice", "plan of mail", i);
  for (int i = 7; i <= 9; ++i) own_.Charge("alice", "plan of notes", i);
  *receipts_.add_receipts() = press_.Of(other_.entries(), 8, {4});
  EXPECT_THAT(Against(own_.entries())->findings, IsEmpty());
}

TEST_F(ReceiptsOfTwoBudgetsTest, WithoutAnyOfTheChainNothingIsVerified) {
  const ChainBuilder third(ChainBuilder::Vouchers(), "c");
  EXPECT_THAT(
      Against(third.SeenBy("alice"))->findings,
      ::testing::Contains(AllOf(HasSubstr("none of the receipts is of the chain's budget, c"),
                                HasSubstr("of another corpus, or has forgotten a (of "
                                          "corpus mail)"))));
}

// Of a corpus that was replaced, whose new version has a budget of its own.
TEST_F(ReceiptsOfTwoBudgetsTest, ReceiptsOfAnEarlierBudgetThatTheChainCountsAccuseNobody) {
  ChainBuilder later(ChainBuilder::Vouchers(), "c", press_.key());
  later.TellSum(later.SumWith(2.44, 1e-6, "b"));
  later.TellSum(v1::BudgetSum());  // what was counted once is known
  receipts_.mutable_receipts()->DeleteSubrange(0, 2);
  ASSERT_OK_AND_ASSIGN(const auto audit, Against(later.SeenBy("alice")));
  EXPECT_THAT(audit.findings, IsEmpty());
  ASSERT_EQ(audit.elsewhere.size(), 1U);
  EXPECT_TRUE(audit.elsewhere[0].is_known);
  EXPECT_EQ(DescribeElsewhere(audit.elsewhere[0]),
            "2 receipts of budget b, of corpus notes: verify them with that corpus' ledger, or, if "
            "it has another budget by now, with an export of this one (--verify RECEIPTS --events "
            "FILE), which the ledger shown knows");
  // Neither verified nor accused.
  EXPECT_EQ(audit.last_sequence, 0);
  EXPECT_TRUE(audit.is_all_elsewhere);
  EXPECT_THAT(VerdictOf(audit),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("not verified"), HasSubstr("--events FILE"),
                             Not(HasSubstr("ask the custodian")))));
  // Their own ledger's export verifies them.
  ASSERT_OK_AND_ASSIGN(const auto own, Against(own_.entries()));
  EXPECT_OK(VerdictOf(own));
}

// What the receipts say of each other, who signed the chain, and budgets that it knows not are
// findings all the same.
TEST_F(ReceiptsOfTwoBudgetsTest, AChainThatCountsAnEarlierBudgetExcusesNothingElse) {
  ChainBuilder later(ChainBuilder::Vouchers(), "c", press_.key());
  later.TellSum(later.SumWith(2.44, 1e-6, "b"));
  ASSERT_OK_AND_ASSIGN(const auto audit, Against(later.entries()));
  EXPECT_THAT(audit.findings,
              ElementsAre(AllOf(HasSubstr("none of the receipts is of the chain's budget, c"),
                                HasSubstr("has forgotten a (of corpus mail)"))));
  receipts_.mutable_receipts()->DeleteSubrange(0, 2);
  ChainBuilder strangers(ChainBuilder::Vouchers(), "c", ReceiptPress(2).key());
  strangers.TellSum(strangers.SumWith(2.44, 1e-6, "b"));
  EXPECT_THAT(Against(strangers.entries())->findings,
              ElementsAre(HasSubstr("another signing key")));
  // The same documents have no second budget, counted or not.
  v1::LedgerEvent joined;
  joined.mutable_corpus_joined()->set_corpus("notes");
  joined.mutable_corpus_joined()->set_corpus_version(std::string(16, 2));
  later.Append(joined);
  EXPECT_THAT(Against(later.entries())->findings, ElementsAre(HasSubstr("begun anew")));
}

TEST_F(ReceiptsOfTwoBudgetsTest, ACorpusOfTheChainHasNoSecondBudget) {
  ChainBuilder second(ChainBuilder::Vouchers(), "z");
  Ask(second, "notes", 2);
  EXPECT_THAT(Against(own_.entries())->findings,
              ElementsAre(AllOf(HasSubstr("is of budget z"), HasSubstr("begun anew"))));
  // Of a later version of that name it is another corpus.
  ChainBuilder later(ChainBuilder::Vouchers(), "y");
  receipts_.mutable_receipts()->DeleteSubrange(4, 2);
  Ask(later, "notes", 3);
  EXPECT_THAT(Against(own_.entries())->findings, IsEmpty());
}

TEST_F(ReceiptAuditTest, AFileWithoutReceiptsProvesNothing) {
  EXPECT_THAT(AuditReceipts(v1::ReceiptFile(), {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::client
