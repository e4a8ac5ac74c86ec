#include "accountant/ledger/plan_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/budget_refusal.h"
#include "proto/release_spec.h"
#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

class PlanAdmissionTest : public ::testing::Test {
 protected:
  PlanAdmissionTest() { fold_.Open("b", "notes"); }

  Limit RefusedBy(const ReserveAct& act) {
    const Accounts accounts = AccountsOf(fold_.budget("b"), act.purse.principal);
    const auto verdict = JudgePlan({.plan = act.plan, .purse = act.purse, .accounts = accounts});
    EXPECT_OK(verdict);
    return verdict->refused_by;
  }
  absl::Status RefusalOfAct(const ReserveAct& act) {
    const Accounts accounts = AccountsOf(fold_.budget("b"), act.purse.principal);
    return RefusalOf({.plan = act.plan, .purse = act.purse, .accounts = accounts}, RefusedBy(act));
  }

  FoldForTests fold_;
};

TEST_F(PlanAdmissionTest, AsManyFitAsIsSaidAndNotOneMore) {
  ASSERT_OK(fold_.Do(ReserveOf("bob", "p", "notes", 7)));
  ReserveAct act = ReserveOf("alice", "q", "notes", 1);
  const Accounts accounts = AccountsOf(fold_.budget("b"), act.purse.principal);
  ASSERT_OK_AND_ASSIGN(
      const auto most,
      MostIterations({.plan = act.plan, .purse = act.purse, .accounts = accounts}));
  ASSERT_GT(most, 1);
  act.plan.set_iterations(static_cast<int>(most));
  EXPECT_EQ(RefusedBy(act), Limit::kNone);
  act.plan.set_iterations(static_cast<int>(most + 1));
  EXPECT_EQ(RefusedBy(act), Limit::kCorpusBudget);
  const auto numbers = proto::BudgetExhaustedOf(RefusalOfAct(act));
  ASSERT_TRUE(numbers.has_value());
  EXPECT_EQ(numbers->most_iterations(), most);
  EXPECT_EQ(numbers->limit(), "corpus");
  EXPECT_GT(numbers->epsilon_spent(), 0);
}

// A share that was lowered in the configuration leaves nothing, and no debt.
TEST_F(PlanAdmissionTest, NoMoreFitThanAreLeftOfTheOwnShare) {
  ASSERT_OK(fold_.Do(ReserveOf("alice", "p", "notes", 3)));
  ReserveAct act = ReserveOf("alice", "q", "notes", 1);
  const Accounts accounts = AccountsOf(fold_.budget("b"), "alice");
  for (const auto& [share, left] : {std::pair(5, 2), {3, 0}, {2, 0}}) {
    act.purse.own_max_releases = share;
    ASSERT_OK_AND_ASSIGN(
        const auto most,
        MostIterations({.plan = act.plan, .purse = act.purse, .accounts = accounts}));
    EXPECT_EQ(most, left) << "of " << share;
  }
}

TEST_F(PlanAdmissionTest, TheFirstLimitInOrderIsNamed) {
  ReserveAct act = ReserveOf("alice", "q", "notes", 5);
  act.purse.max_releases = 4;
  act.purse.own_max_releases = 3;
  EXPECT_EQ(RefusedBy(act), Limit::kMaxReleases);
  EXPECT_THAT(RefusalOfAct(act), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("4")));
  act.purse.epsilon_cap = 0.01;
  EXPECT_EQ(RefusedBy(act), Limit::kAnalystCap);
  EXPECT_THAT(RefusalOfAct(act),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("analyst")));
  act.plan.mutable_gaussian()->set_noise_multiplier(1);
  EXPECT_EQ(RefusedBy(act), Limit::kCorpusBudget);
  act = ReserveOf("alice", "q", "notes", 4);
  act.purse.own_max_releases = 3;
  EXPECT_EQ(RefusedBy(act), Limit::kOwnMaxReleases);
  EXPECT_THAT(RefusalOfAct(act), StatusIs(absl::StatusCode::kFailedPrecondition,
                                          HasSubstr("your share of max_releases; 3 are left")));
}

TEST_F(PlanAdmissionTest, OpenPlansAreLimitedUntilTheyAreChargedOrCancelled) {
  Purse purse = ReserveOf("alice", "", "notes", 1).purse;
  purse.max_open_plans = 1;
  EXPECT_OK(RequireRoomForPlan(fold_.budget("b"), purse, 2000));
  ASSERT_OK(fold_.Do(ReserveOf("alice", "p", "notes", 1)));
  EXPECT_THAT(RequireRoomForPlan(fold_.budget("b"), purse, 2000),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("max_open_plans = 1")));
  purse.principal = "bob";
  EXPECT_OK(RequireRoomForPlan(fold_.budget("b"), purse, 2000)) << "of one's own plans alone";
  purse.principal = "alice";
  ASSERT_OK(fold_.Do(ChargeOf("alice", "p", 1)));
  EXPECT_OK(RequireRoomForPlan(fold_.budget("b"), purse, 2000));
}

TEST_F(PlanAdmissionTest, PlansCancelledUnusedAreLimitedForSomeDays) {
  const Purse purse = ReserveOf("alice", "", "notes", 1).purse;
  for (int i = 0; i < kMaxUnusedPlans; ++i) {
    EXPECT_OK(RequireRoomForPlan(fold_.budget("b"), purse, 2000));
    ASSERT_OK(fold_.Do(ReserveOf("alice", absl::StrCat(i), "notes", 1)));
    ASSERT_OK(fold_.Do(CancelAct{.plan_id = absl::StrCat(i), .now_ms = 2000, .principal = {}}));
  }
  EXPECT_THAT(RequireRoomForPlan(fold_.budget("b"), purse, 2000),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("cancelled unused")));
  EXPECT_OK(RequireRoomForPlan(fold_.budget("b"), purse, 2000 + 7 * kMsPerDay));
}

TEST_F(PlanAdmissionTest, AnIncompletePlanHasNoPrice) {
  for (const auto& spoil : std::vector<void (*)(v1::ReleaseSpec&)>{
           [](auto& plan) { plan.set_iterations(0); },
           [](auto& plan) { plan.set_iterations(kMaxPlanIterations + 1); },
           [](auto& plan) { plan.set_max_tokens(0); }, [](auto& plan) { plan.clear_model(); },
           [](auto& plan) { plan.set_options(std::string(proto::kMaxOptionBytes + 1, 'o')); },
           [](auto& plan) { plan.clear_mechanism(); },
           [](auto& plan) { plan.set_weights_sha256(std::string(32, 'w')); },
           [](auto& plan) { plan.set_weights("abc"); },
           [](auto& plan) { plan.set_held_out_share(1); },
           [](auto& plan) { plan.set_held_out_only(true); },
           [](auto& plan) { plan.set_sampling_rate(0); }}) {
    v1::ReleaseSpec plan = ReserveOf("alice", "p", "notes", 3).plan;
    EXPECT_OK(AskedEvent(plan));
    spoil(plan);
    EXPECT_THAT(AskedEvent(plan), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace topicwall::accountant::ledger
