#include "server/ledger/policy_record.h"

#include <gtest/gtest.h>

#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::StatusIs;

TEST(PolicyRecordTest, AFilterIsRecordedToTheLastBit) {
  const auto spec = std::get<accountant::FilterSpec>(testing::NotesBudget().policy);
  const v1::PolicyRecord record = RecordOf(testing::NotesBudget().policy);
  auto policy = PolicyOfBytes(record.SerializeAsString());
  ASSERT_OK(policy);
  const auto back = std::get<accountant::FilterSpec>(policy->spec());
  EXPECT_EQ(back.budget.epsilon, spec.budget.epsilon);
  EXPECT_EQ(back.budget.delta, spec.budget.delta);
  EXPECT_EQ(back.orders, spec.orders);
  EXPECT_EQ(back.weights, spec.weights);
  EXPECT_EQ(back.fixed_point_bits, spec.fixed_point_bits);
}

TEST(PolicyRecordTest, AGaussianWitnessIsRecordedAndARecordWithoutIsThePolicyOfBefore) {
  const auto spec = std::get<accountant::FilterSpec>(testing::FullBatchNotesBudget().policy);
  ASSERT_GT(spec.gaussian_weight, 0);
  const v1::PolicyRecord record = RecordOf(testing::FullBatchNotesBudget().policy);
  EXPECT_EQ(record.filter().gaussian_weight(), spec.gaussian_weight);
  auto policy = PolicyOfBytes(record.SerializeAsString());
  ASSERT_OK(policy);
  EXPECT_EQ(std::get<accountant::FilterSpec>(policy->spec()).gaussian_weight, spec.gaussian_weight);
  EXPECT_EQ(policy->NothingSpent().size(), spec.orders.size() + 1);

  // Written before the field was there: read, and written again, byte for byte.
  const std::string before = RecordOf(testing::NotesBudget().policy).SerializeAsString();
  v1::PolicyRecord old;
  ASSERT_TRUE(old.ParseFromString(before));
  EXPECT_EQ(old.filter().gaussian_weight(), 0);
  policy = PolicyOfBytes(before);
  ASSERT_OK(policy);
  EXPECT_EQ(policy->NothingSpent().size(), old.filter().orders_size());
  EXPECT_EQ(RecordOf(policy->spec()).SerializeAsString(), before);
}

TEST(PolicyRecordTest, AnInventoryIsRecordedInItsOrder) {
  const v1::PolicyRecord record = RecordOf(testing::LettersBudget().policy);
  EXPECT_FALSE(record.has_filter());
  ASSERT_EQ(record.inventory().kinds_size(), 2);
  EXPECT_EQ(record.inventory().epsilon(), 2.44);
  EXPECT_EQ(record.inventory().delta(), 1e-6);
  EXPECT_EQ(record.inventory().kinds(0).noise_multiplier(), 40);
  EXPECT_EQ(record.inventory().kinds(0).count(), 6);
  EXPECT_EQ(record.inventory().kinds(1).sampling_rate(), 1);
  auto policy = PolicyOf(record);
  ASSERT_OK(policy);
  ASSERT_NE(policy->inventory(), nullptr);
  EXPECT_EQ(policy->inventory()->spec().kinds[1].noise_multiplier, 20);
  EXPECT_EQ(RecordOf(policy->spec()).SerializeAsString(), record.SerializeAsString());
}

TEST(PolicyRecordTest, EventsAndAnswersCarryTheOneThatWasOpened) {
  for (const auto& params : {testing::NotesBudget(), testing::LettersBudget()}) {
    const v1::PolicyRecord record = RecordOf(params.policy);
    v1::BudgetOpened act;
    SetPolicy(record, &act);
    EXPECT_EQ(RecordOf(act).SerializeAsString(), record.SerializeAsString());
    v1::BudgetStatus status;
    SetPolicy(record, &status);
    EXPECT_EQ(status.has_filter(), record.has_filter());
    EXPECT_EQ(status.has_inventory(), record.has_inventory());
  }
}

TEST(PolicyRecordTest, WhatIsNoPolicyIsRefused) {
  EXPECT_THAT(PolicyOf(v1::PolicyRecord()), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(PolicyOfBytes(""), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(PolicyOfBytes("\xff"), StatusIs(absl::StatusCode::kDataLoss));
  v1::PolicyRecord record = RecordOf(testing::LettersBudget().policy);
  record.mutable_inventory()->mutable_kinds()->SwapElements(0, 1);
  EXPECT_THAT(PolicyOf(record), StatusIs(absl::StatusCode::kInvalidArgument)) << "out of order";
  EXPECT_THAT(PolicyOfBytes(record.SerializeAsString()), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(PolicyRecordTest, APlansEventIsPricedByAllItsStatistics) {
  v1::PlanReserved act;
  act.set_sampling_rate(0.25);
  act.set_noise_multiplier(30);
  act.set_iterations(7);
  auto plan = EventOf(act);
  ASSERT_OK(plan);
  EXPECT_EQ(plan->count, 7);
  EXPECT_EQ(plan->release.sampling_rate(), 0.25);
  EXPECT_EQ(plan->release.noise_multiplier(), 30);
  act.set_histogram_noise_multiplier(40);
  EXPECT_NEAR(EventOf(act)->release.noise_multiplier(), 24, 1e-12);
  act.set_sampling_rate(0);
  EXPECT_THAT(EventOf(act), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::ledger
