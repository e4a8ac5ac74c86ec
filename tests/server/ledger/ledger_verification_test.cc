// Which edits are noticed: sqlite_ledger_test.cc. Here: that nothing sound is refused.
#include "server/ledger/ledger_verification.h"

#include <gtest/gtest.h>

#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_picture.h"
#include "server/ledger/sqlite_transaction.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::LedgerForTests;
using testing::ReserveRequestFor;
using testing::SmallPlan;
using testing::StatusIs;

SqliteConnection Open(const LedgerForTests& wall) {
  return *SqliteConnection::Open(DatabasePath(wall.directory()),
                                 SqliteConnection::Mode::kReadWrite);
}

TEST(LedgerVerificationTest, ALongChainVerifiesInSeveralReads) {
  LedgerForTests wall;
  auto plan = wall->Reserve(ReserveRequestFor("alice", 1, SmallPlan(600, 1000)));
  ASSERT_OK(plan);
  wall.Close();
  {
    // Charged by hand: six hundred durable transactions would only exercise the disk.
    SqliteConnection connection = Open(wall);
    auto transaction = WriteTransaction::Begin(connection);
    ASSERT_OK(transaction);
    for (int iteration = 1; iteration <= 600; ++iteration) {
      ASSERT_OK(InsertCharge(connection, {.charge_id = 0,
                                          .plan_id = plan->plan_id(),
                                          .iteration = iteration,
                                          .request_digest = "digest",
                                          .charged_at_ms = 5,
                                          .state = ChargeState::kLost,
                                          .recomputations = 0,
                                          .sealed_release_key = "",
                                          .header_sha256 = "",
                                          .release_sha256 = "",
                                          .readable_at_ms = 0,
                                          .intervals_waited = 0}));
      v1::LedgerEvent event;
      event.set_time_ms(5);
      event.set_principal("alice");
      event.mutable_iteration_charged()->set_plan_id(plan->plan_id());
      event.mutable_iteration_charged()->set_iteration(iteration);
      event.mutable_iteration_charged()->set_request_digest("digest");
      ASSERT_OK(AppendEvent(connection, wall.budget_id(), event));
    }
    ASSERT_OK(transaction->Commit());
    EXPECT_OK(VerifyBudgets(connection));
    EXPECT_OK(VerifyWholeFile(connection));
  }
  wall.Reopen();
  EXPECT_EQ(testing::EntriesSeenBy(*wall, {"ann", true}).size(), 603);
}

TEST(LedgerVerificationTest, RowsThatHangOnNoBudgetAreNoticed) {
  LedgerForTests wall;
  wall.Close();
  SqliteConnection connection = Open(wall);
  ASSERT_OK(connection.RunScript("PRAGMA foreign_keys = OFF"));
  ASSERT_OK(connection.RunScript("INSERT INTO release_chunk VALUES (99, 0, x'')"));
  EXPECT_THAT(VerifyBudgets(connection), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(LedgerVerificationTest, PicturesDifferInEveryPart) {
  BudgetPicture picture;
  picture.plans["p"] = {.corpus_version = "v", .principal = "alice", .plan_sha256 = "s"};
  BudgetPicture other = picture;
  EXPECT_EQ(picture, other);
  other.plans["p"].charges[1].published = true;
  EXPECT_FALSE(picture == other);
  other = picture;
  other.analyst_spent["alice"] = {1};
  EXPECT_FALSE(picture == other);
}

}  // namespace
}  // namespace topicwall::ledger
