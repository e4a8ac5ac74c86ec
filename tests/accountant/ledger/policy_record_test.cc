#include "accountant/ledger/policy_record.h"

#include <gtest/gtest.h>

#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using testing::StatusIs;

TEST(PolicyRecord, BothPoliciesComeBackAsTheyWereRecorded) {
  for (const PolicySpec& spec : {PolicySpec(NotesFilter()), PolicySpec(SixVouchers())}) {
    v1::BudgetOpened act;
    SetPolicy(spec, &act);
    ASSERT_OK_AND_ASSIGN(const auto policy, PolicyOf(act));
    v1::BudgetOpened again;
    SetPolicy(policy.spec(), &again);
    EXPECT_EQ(again.SerializeAsString(), act.SerializeAsString());
    EXPECT_EQ(PromiseOf(act).epsilon, 2.44);
    EXPECT_EQ(PromiseOf(act).delta, 1e-6);
  }
}

TEST(PolicyRecord, AnOpeningWithoutAPolicyIsNone) {
  EXPECT_THAT(PolicyOf(v1::BudgetOpened()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(PolicyRecord, APlansMechanismCountsBothNoises) {
  v1::PlanReserved act;
  act.mutable_spec()->set_sampling_rate(0.5);
  act.mutable_spec()->mutable_gaussian()->set_noise_multiplier(20);
  act.mutable_spec()->set_iterations(3);
  ASSERT_OK_AND_ASSIGN(const auto without, EventOf(act.spec()));
  EXPECT_EQ(without.count, 3);
  EXPECT_EQ(without.release.noise_multiplier(), 20);
  act.mutable_spec()->mutable_gaussian()->set_histogram_noise_multiplier(20);
  ASSERT_OK_AND_ASSIGN(const auto with, EventOf(act.spec()));
  EXPECT_LT(with.release.noise_multiplier(), 20);
  act.mutable_spec()->set_sampling_rate(2);
  EXPECT_THAT(EventOf(act.spec()), StatusIs(absl::StatusCode::kInvalidArgument));
  act.mutable_spec()->set_sampling_rate(1);
  act.mutable_spec()->clear_mechanism();
  EXPECT_THAT(EventOf(act.spec()), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::accountant::ledger
