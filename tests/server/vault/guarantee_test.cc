#include "server/vault/guarantee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topicwall::server {
namespace guarantee_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

v1::BudgetSum Sum(int others) {
  v1::BudgetSum sum;
  for (int i = 0; i < others; ++i) sum.add_budgets()->set_epsilon(1);
  sum.set_epsilon(1 + others);
  sum.set_delta(1e-6);
  return sum;
}

TEST(GuaranteeTest, ABudgetThatStandsAloneHasNoSum) {
  EXPECT_EQ(SumSentence(Sum(0)), "");
  EXPECT_THAT(SumSentence(Sum(1)), HasSubstr("1 other budget of"));
  EXPECT_THAT(SumSentence(Sum(2)), HasSubstr("together is (3.0000, 1e-06)"));
}

// A pair of δ = 1 or more holds of anything.
TEST(GuaranteeTest, WhereTheDeltasAddUpToOneNoGuaranteeIsTold) {
  v1::BudgetSum sum = Sum(2);
  sum.set_delta(1.01);
  EXPECT_THAT(SumSentence(sum),
              AllOf(HasSubstr("there is no guarantee over them together (delta would be 1)."),
                    Not(HasSubstr("3.0000"))));
}

TEST(GuaranteeTest, ARestoredLedgerSaysOnWhatItRests) {
  ledger::Restoration restoration{.thawed_at_ms = 86400000, .thaw = {}};
  restoration.thaw.set_ground(v1::BudgetThawed::HEAD_CONFIRMED);
  EXPECT_THAT(RestorationSentence(restoration), HasSubstr("1970-01-02; it is complete if what"));
  restoration.thaw.set_head("\x0a\x0b");
  restoration.thaw.set_head_sequence(12);
  EXPECT_THAT(RestorationSentence(restoration),
              HasSubstr("if entry 12 (head 0a0b) was the newest"));
  restoration.thaw.set_forfeited_unseen(true);
  EXPECT_THAT(RestorationSentence(restoration), HasSubstr("counts as spent"));
}

// On whatever ground it was thawed: what it opened since the backup the ledger may not know.
TEST(GuaranteeTest, ARestoredLedgerSaysThatItsSumMayMissBudgets) {
  ledger::Restoration restoration{.thawed_at_ms = 86400000, .thaw = {}};
  for (const auto ground : {v1::BudgetThawed::HEAD_CONFIRMED, v1::BudgetThawed::EVENTS_APPENDED,
                            v1::BudgetThawed::FORFEITED}) {
    restoration.thaw.set_ground(ground);
    EXPECT_THAT(RestorationSentence(restoration),
                HasSubstr("opened between that backup and the loss may be missing from the sum"));
  }
}

TEST(GuaranteeTest, ABudgetThatIsFrozenSaysWhatIsNotCounted) {
  ledger::CorpusStatus corpus_status{};
  corpus_status.state = v1::CORPUS_STATE_OPEN;
  EXPECT_THAT(RestorationSentences(corpus_status), IsEmpty());
  corpus_status.state = v1::CORPUS_STATE_FROZEN;
  EXPECT_THAT(RestorationSentences(corpus_status),
              ElementsAre(HasSubstr("not thawed: what was charged after that backup is not")));
}

TEST(GuaranteeTest, AllOfItIsSaidAtOnce) {
  ledger::CorpusStatus corpus_status{};
  corpus_status.policy = *accountant::AdmissionPolicy::Create(
      *accountant::BudgetFilter::DefaultSpec({.epsilon = 1, .delta = 1e-6}));
  corpus_status.sum = Sum(1);
  corpus_status.restorations.push_back({.thawed_at_ms = 0, .thaw = {}});
  const std::string text = GuaranteeOf(v1::PRIVACY_UNIT_OWNER, corpus_status);
  EXPECT_THAT(text, HasSubstr("all documents of one owner"));
  EXPECT_THAT(text, HasSubstr("(2.0000, 1e-06)"));
  EXPECT_THAT(text, HasSubstr("restored"));
  EXPECT_THAT(text, Not(HasSubstr("before this budget")));
  corpus_status.after_restore = true;
  EXPECT_THAT(GuaranteeOf(v1::PRIVACY_UNIT_OWNER, corpus_status),
              HasSubstr("restored from a backup before this budget was opened"));
}

}  // namespace guarantee_test
}  // namespace topicwall::server
