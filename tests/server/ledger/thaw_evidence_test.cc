// On chains and receipts of a real ledger; what a thaw makes of it is in ledger_thaw_test.cc.
#include "server/ledger/thaw_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using ::testing::HasSubstr;
using testing::LedgerForTests;
using testing::StatusIs;

class ThawEvidenceTest : public ::testing::Test {
 protected:
  ThawEvidenceTest() {
    for (const char* who : {"alice", "bob"}) {
      EXPECT_OK(wall_->Reserve(testing::ReserveRequestFor(who, 1, testing::SmallPlan(2))));
    }
    events_ = testing::ExportOf(*wall_);
    budget_.budget_id = wall_.budget_id();
    budget_.signing_key = testing::LedgerKeysForTests().signing.public_key();
  }

  absl::StatusOr<bool> Shown(const ThawEvidence& evidence, int64_t length) {
    const auto head_at = [&](int64_t sequence) -> absl::StatusOr<std::string> {
      return events_.entries(static_cast<int>(sequence - 1)).head();
    };
    return AllHaveShown(
        budget_, {.length = length, .head_at = head_at, .principals = {"alice", "bob"}}, evidence);
  }

  LedgerForTests wall_;
  v1::LedgerExport events_;
  BudgetRow budget_{};
};

TEST_F(ThawEvidenceTest, AChainThatHoldsEverybodysReceiptIsBacked) {
  const auto all = Shown(testing::ReceiptsOf(*wall_, {"alice", "bob"}), events_.entries_size());
  ASSERT_OK(all);
  EXPECT_TRUE(*all);
}

TEST_F(ThawEvidenceTest, OneWhoShowsNothingIsNamedOrForfeitedFor) {
  ThawEvidence alice = testing::ReceiptsOf(*wall_, {"alice"});
  EXPECT_THAT(Shown(alice, events_.entries_size()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("bob")));
  alice.forfeit_unseen = true;
  const auto all = Shown(alice, events_.entries_size());
  ASSERT_OK(all);
  EXPECT_FALSE(*all);
}

TEST_F(ThawEvidenceTest, AReceiptBeyondTheChainOrBesideItIsRefusedWhateverIsForfeited) {
  ThawEvidence evidence = testing::ReceiptsOf(*wall_, {"alice", "bob"});
  evidence.forfeit_unseen = true;
  EXPECT_THAT(Shown(evidence, events_.entries_size() - 1),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("newer than")));
  events_.mutable_entries(events_.entries_size() - 1)->set_head(std::string(32, 'x'));
  EXPECT_THAT(Shown(evidence, events_.entries_size()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another history")));
}

TEST_F(ThawEvidenceTest, AReceiptUnderAnotherKeyIsNone) {
  budget_.signing_key = std::string(32, 'k');
  EXPECT_THAT(Shown(testing::ReceiptsOf(*wall_, {"alice"}), events_.entries_size()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("another key")));
}

}  // namespace
}  // namespace topicwall::ledger
