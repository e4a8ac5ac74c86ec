#include "server/ledger/receipt_table.h"

#include <gtest/gtest.h>

#include "server/ledger/spent_vector.h"
#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

using testing::StatusIs;

v1::LedgerEvent Charged(int iteration) {
  v1::LedgerEvent event;
  event.set_budget_id(BareLedger::kBudgetId);
  event.set_sequence(1);
  event.mutable_iteration_charged()->set_plan_id("plan");
  event.mutable_iteration_charged()->set_iteration(iteration);
  return event;
}

class ReceiptTableTest : public ::testing::Test {
 protected:
  ReceiptTableTest() {
    EXPECT_OK(bare_.connection().Run("INSERT INTO event VALUES (?, 1, x'', x'', x'', x'')",
                                     BareLedger::kBudgetId));
  }
  BareLedger bare_;
};

TEST_F(ReceiptTableTest, WhatWasInsertedIsFoundByItsActAlone) {
  ASSERT_OK(InsertReceipt(bare_.connection(), Charged(2), {1, 2}));
  const auto row =
      FindReceipt(bare_.connection(),
                  {.plan_id = "plan", .act = v1::LedgerEvent::kIterationCharged, .iteration = 2});
  ASSERT_OK(row);
  EXPECT_EQ(row->sequence, 1);
  EXPECT_EQ(row->spent, BytesOfCost({1, 2}));
  for (const ReceiptSubjectKey& other : {
           ReceiptSubjectKey{"plan", v1::LedgerEvent::kIterationCharged, 1},
           ReceiptSubjectKey{"plan", v1::LedgerEvent::kReleasePublished, 2},
           ReceiptSubjectKey{"other", v1::LedgerEvent::kIterationCharged, 2},
       }) {
    EXPECT_THAT(FindReceipt(bare_.connection(), other), StatusIs(absl::StatusCode::kNotFound));
  }
}

TEST_F(ReceiptTableTest, NoActHasTwoReceipts) {
  ASSERT_OK(InsertReceipt(bare_.connection(), Charged(2), {1, 2}));
  EXPECT_FALSE(InsertReceipt(bare_.connection(), Charged(2), {1, 2}).ok());
}

TEST_F(ReceiptTableTest, ARowThatSaysAnythingElseDoesNotCheck) {
  ASSERT_OK(InsertReceipt(bare_.connection(), Charged(2), {1, 2}));
  EXPECT_OK(CheckReceipt(bare_.connection(), Charged(2), {1, 2}));
  EXPECT_THAT(CheckReceipt(bare_.connection(), Charged(2), {1, 3}),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(CheckReceipt(bare_.connection(), Charged(3), {1, 2}),
              StatusIs(absl::StatusCode::kDataLoss));
  v1::LedgerEvent moved = Charged(2);
  moved.set_sequence(7);
  EXPECT_THAT(CheckReceipt(bare_.connection(), moved, {1, 2}),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(ReceiptTableTest, TheCustodiansActsHaveNoReceipts) {
  v1::LedgerEvent event;
  event.mutable_corpus_joined()->set_corpus("notes");
  EXPECT_OK(InsertReceipt(bare_.connection(), event, {1}));
  EXPECT_OK(CheckReceipt(bare_.connection(), event, {2}));
}

}  // namespace
}  // namespace topicwall::ledger
