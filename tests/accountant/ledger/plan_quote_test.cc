#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/plan_admission.h"
#include "proto/budget_refusal.h"
#include "proto/told_numbers.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using ::testing::HasSubstr;
using testing::PurseOf;
using testing::SmallEvaluation;
using testing::SmallPlan;
using testing::StatusIs;

Accounts Untouched(const topicwall::ledger::OpenBudgetParams& budget = testing::NotesBudget()) {
  AdmissionPolicy policy = *AdmissionPolicy::Create(budget.policy);
  const CostVector nothing = policy.NothingSpent();
  return {.policy = std::move(policy),
          .spent = nothing,
          .analyst_spent = nothing,
          .releases_reserved = 0};
}

TEST(PlanQuote, AnAdmittedPlanCostsWhatIsQuoted) {
  for (const topicwall::ledger::OpenBudgetParams& budget :
       {testing::NotesBudget(), testing::LettersBudget()}) {
    const Accounts accounts = Untouched(budget);
    ASSERT_OK_AND_ASSIGN(
        auto verdict,
        JudgePlan({.plan = SmallPlan(3), .purse = PurseOf("alice"), .accounts = accounts}));
    EXPECT_EQ(verdict.refused_by, Limit::kNone);
    const auto expected = accounts.policy.SpentAfter(accounts.spent, verdict.set_aside);
    EXPECT_EQ(accounts.policy.EpsilonUpperBound(expected),
              QuotePlan({.plan = SmallPlan(3), .purse = PurseOf("alice"), .accounts = accounts})
                  ->epsilon_with_plan());
    EXPECT_EQ(verdict.witness_order > 1, accounts.policy.filter() != nullptr);
  }
}

TEST(PlanQuote, AFullBudgetRefusesInTheCorpusNameAndAFullCapInTheAnalysts) {
  for (const topicwall::ledger::OpenBudgetParams& budget :
       {testing::NotesBudget(), testing::LettersBudget()}) {
    Accounts full = Untouched(budget);
    full.spent = full.policy.EverythingSpent();
    const v1::ReleaseSpec plan = SmallPlan(1);
    const Purse alice = PurseOf("alice");
    const PlanRequest request{.plan = plan, .purse = alice, .accounts = full};
    auto verdict = JudgePlan(request);
    ASSERT_OK(verdict);
    EXPECT_EQ(verdict->refused_by, Limit::kCorpusBudget);
    auto detail = proto::BudgetExhaustedOf(RefusalOf(request, verdict->refused_by));
    ASSERT_TRUE(detail.has_value());
    EXPECT_EQ(detail->limit(), "corpus");
    EXPECT_EQ(detail->epsilon_left(), 0);
    EXPECT_EQ(detail->epsilon_spent(), full.policy.budget().epsilon) << "all of it, and no more";
    EXPECT_EQ(detail->vouchers(), full.policy.inventory() != nullptr);
    EXPECT_TRUE(std::isinf(QuotePlan(request)->epsilon_with_plan()));

    Purse nothing = PurseOf("alice");
    nothing.epsilon_cap = 0;
    const Accounts untouched = Untouched(budget);
    const PlanRequest capped{.plan = plan, .purse = nothing, .accounts = untouched};
    verdict = JudgePlan(capped);
    ASSERT_OK(verdict);
    EXPECT_EQ(verdict->refused_by, Limit::kAnalystCap);
    detail = proto::BudgetExhaustedOf(RefusalOf(capped, verdict->refused_by));
    ASSERT_TRUE(detail.has_value());
    EXPECT_EQ(detail->limit(), "analyst");
    EXPECT_FALSE(detail->vouchers());
    EXPECT_EQ(*MostIterations(capped), 0);
  }
}

TEST(PlanQuote, ARefusalAsksForNoLessAndLeavesNoMoreThanIsSo) {
  Accounts accounts = Untouched(testing::NotesBudget());
  const v1::ReleaseSpec small = SmallPlan(1, 40);
  const Purse alice = PurseOf("alice");
  ASSERT_OK_AND_ASSIGN(const Verdict verdict,
                       JudgePlan({.plan = small, .purse = alice, .accounts = accounts}));
  accounts.spent = accounts.policy.SpentAfter(accounts.spent, verdict.set_aside);
  const v1::ReleaseSpec large = SmallPlan(9, 1);
  const PlanRequest request{.plan = large, .purse = alice, .accounts = accounts};
  const absl::Status refused = RefusalOf(request, Limit::kCorpusBudget);
  const auto detail = proto::BudgetExhaustedOf(refused);
  ASSERT_TRUE(detail.has_value());
  EXPECT_THAT(
      refused.message(),
      HasSubstr(absl::StrCat("asks for epsilon ", proto::EpsilonText(detail->epsilon_asked()),
                             ", and ", proto::LeftText(detail->epsilon_left()), " of ",
                             proto::EpsilonText(detail->epsilon_total()), " is left")));
}

TEST(PlanQuote, ACapOnVouchersIsDecidedByWhatWasWeighedOfJustThese) {
  Accounts accounts = Untouched(testing::LettersBudget());
  const v1::ReleaseSpec plan = SmallPlan(2);
  Purse alice = PurseOf("alice");
  alice.epsilon_cap = 2;
  const PlanRequest request{.plan = plan, .purse = alice, .accounts = accounts};
  EXPECT_EQ(JudgeByCounting(request, std::nullopt)->refused_by, Limit::kCapNotWeighed);
  ASSERT_OK_AND_ASSIGN(auto weighed, WeighCap(request));
  EXPECT_TRUE(weighed.holds);
  EXPECT_EQ(weighed.own_after, JudgePlan(request)->set_aside.cost);
  EXPECT_EQ(JudgeByCounting(request, weighed)->refused_by, Limit::kNone);
  weighed.holds = false;
  EXPECT_EQ(JudgeByCounting(request, weighed)->refused_by, Limit::kAnalystCap);
  accounts.analyst_spent.back() = 1;
  weighed.holds = true;
  EXPECT_EQ(JudgeByCounting(request, weighed)->refused_by, Limit::kCapNotWeighed);
  // What needs no composition needs no weighing.
  for (const double cap : {0.0, 2.44, 1000.0}) {
    alice.epsilon_cap = cap;
    EXPECT_NE(JudgeByCounting(request, std::nullopt)->refused_by, Limit::kCapNotWeighed) << cap;
  }
}

TEST(PlanQuote, AnAnswerComposesNothingTwiceAndEndsWhereNobodyWaits) {
  const Accounts accounts = Untouched(testing::LettersBudget());
  const v1::ReleaseSpec plan = SmallPlan(2, 40);
  Purse alice = PurseOf("alice");
  alice.epsilon_cap = 2;
  int wanted = 100;
  const PlanRequest request{.plan = plan,
                            .purse = alice,
                            .accounts = accounts,
                            .meter = std::make_shared<EpsilonMeter>([&wanted] {
                              return --wanted >= 0 ? absl::OkStatus()
                                                   : absl::CancelledError("gone");
                            })};
  ASSERT_OK_AND_ASSIGN(const auto quote, QuotePlan(request));
  EXPECT_GE(wanted, 100 - 12) << "the plan, alone and on top of nothing, is one composition";
  const int left = wanted;
  EXPECT_EQ(QuotePlan(request)->most_iterations(), quote.most_iterations());
  EXPECT_EQ(wanted, left);
  for (int compositions = 0; compositions < 100 - left; ++compositions) {
    int count = compositions;
    const PlanRequest gone{.plan = plan,
                           .purse = alice,
                           .accounts = accounts,
                           .meter = std::make_shared<EpsilonMeter>([&count] {
                             return --count >= 0 ? absl::OkStatus() : absl::CancelledError("gone");
                           })};
    EXPECT_THAT(QuotePlan(gone), StatusIs(absl::StatusCode::kCancelled)) << compositions;
  }
}

TEST(PlanQuote, AnEvaluationCostsWhatAnyReleaseOfItsNoiseCosts) {
  for (const topicwall::ledger::OpenBudgetParams& budget :
       {testing::NotesBudget(), testing::LettersBudget()}) {
    const Accounts accounts = Untouched(budget);
    ASSERT_OK_AND_ASSIGN(
        const auto training,
        JudgePlan({.plan = SmallPlan(3), .purse = PurseOf("alice"), .accounts = accounts}));
    ASSERT_OK_AND_ASSIGN(
        const auto evaluation,
        JudgePlan({.plan = SmallEvaluation(3), .purse = PurseOf("alice"), .accounts = accounts}));
    EXPECT_EQ(evaluation.refused_by, Limit::kNone);
    EXPECT_EQ(evaluation.set_aside.cost, training.set_aside.cost);
  }
}

TEST(PlanQuote, AnEvaluationWithoutItsUnitsIsNoPlan) {
  const auto with = [](auto change) {
    v1::ReleaseSpec plan = SmallEvaluation(1);
    change(plan);
    return AskedEvent(plan);
  };
  EXPECT_OK(with([](auto&) {}));
  for (const auto& refused : {with([](auto& p) { p.clear_held_out_share(); }),
                              with([](auto& p) { p.set_held_out_share(1.5); }),
                              with([](auto& p) { p.clear_model(); }), with([](auto& p) {
                                p.set_held_out_only(false);
                                p.set_held_out_share(1);
                              })}) {
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(PlanQuote, ACapAboveTheBudgetIsTheBudget) {
  for (const topicwall::ledger::OpenBudgetParams& budget :
       {testing::NotesBudget(), testing::LettersBudget()}) {
    Purse generous = PurseOf("alice");
    generous.epsilon_cap = 1000;
    const Accounts accounts = Untouched(budget);
    const v1::ReleaseSpec plan = SmallPlan(1);
    const Purse alice = PurseOf("alice");
    ASSERT_OK_AND_ASSIGN(auto with_cap,
                         MostIterations({.plan = plan, .purse = generous, .accounts = accounts}));
    ASSERT_OK_AND_ASSIGN(auto without,
                         MostIterations({.plan = plan, .purse = alice, .accounts = accounts}));
    EXPECT_EQ(with_cap, without);
    EXPECT_GT(with_cap, 0);
  }
}

TEST(PlanQuote, ReleasesLeftNeverGoBelowZero) {
  Accounts accounts = Untouched();
  accounts.releases_reserved = 12;
  Purse purse = PurseOf("alice");
  purse.max_releases = 10;  // lowered by the custodian meanwhile
  const v1::ReleaseSpec plan = SmallPlan(1);
  const PlanRequest request{.plan = plan, .purse = purse, .accounts = accounts};
  ASSERT_OK_AND_ASSIGN(auto verdict, JudgePlan(request));
  EXPECT_EQ(verdict.refused_by, Limit::kMaxReleases);
  const absl::Status refusal = RefusalOf(request, verdict.refused_by);
  EXPECT_THAT(refusal,
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("0 are left")));
  EXPECT_FALSE(proto::BudgetExhaustedOf(refusal).has_value());
  EXPECT_FALSE(QuotePlan(request)->fits());
  EXPECT_EQ(*MostIterations(request), 0);
}

TEST(PlanQuote, ExtremePlansArePricedWithoutWrapping) {
  Purse alice = PurseOf("alice");
  alice.max_releases = kMaxPlanIterations;
  for (const topicwall::ledger::OpenBudgetParams& budget :
       {testing::NotesBudget(), testing::LettersBudget()}) {
    const Accounts accounts = Untouched(budget);
    const auto quote = [&](double sigma) {
      const v1::ReleaseSpec plan = SmallPlan(1000000, sigma);
      return QuotePlan({.plan = plan, .purse = alice, .accounts = accounts});
    };
    ASSERT_OK_AND_ASSIGN(auto faint, quote(1048576));
    EXPECT_GT(faint.epsilon_alone(), 0);
    ASSERT_OK_AND_ASSIGN(auto loud, quote(0.015625));
    EXPECT_FALSE(loud.fits());
    EXPECT_EQ(loud.most_iterations(), 0);
    for (const double sigma : {1e-300, 1e308, std::numeric_limits<double>::denorm_min()}) {
      auto extreme = quote(sigma);
      if (!extreme.ok()) {
        EXPECT_THAT(extreme, StatusIs(absl::StatusCode::kInvalidArgument));
      } else {
        EXPECT_GT(extreme->epsilon_alone(), 0);
      }
    }
  }
}

TEST(PlanQuote, AQuoteSaysWhatReservingWouldMakeOfIt) {
  for (const topicwall::ledger::OpenBudgetParams& budget :
       {testing::NotesBudget(), testing::LettersBudget()}) {
    Accounts accounts = Untouched(budget);
    const v1::ReleaseSpec plan = SmallPlan(2, 40);
    const Purse alice = PurseOf("alice");
    const PlanRequest request{.plan = plan, .purse = alice, .accounts = accounts};
    ASSERT_OK_AND_ASSIGN(const auto quote, QuotePlan(request));
    EXPECT_TRUE(quote.fits());
    EXPECT_EQ(quote.epsilon_alone(), quote.epsilon_with_plan()) << "nothing else is spent";
    EXPECT_EQ(quote.epsilon_total(), accounts.policy.budget().epsilon);
    EXPECT_EQ(quote.delta(), accounts.policy.budget().delta);
    EXPECT_EQ(quote.effective_noise_multiplier(), 40);
    ASSERT_OK_AND_ASSIGN(const auto verdict, JudgePlan(request));
    accounts.spent = accounts.policy.SpentAfter(accounts.spent, verdict.set_aside);
    EXPECT_EQ(accounts.policy.EpsilonUpperBound(accounts.spent), quote.epsilon_with_plan());
    EXPECT_EQ(*MostIterations(request), quote.most_iterations() - 2);
  }
}

TEST(PlanQuote, ARefusalNamesWhatFitsInTextAndPayload) {
  const v1::ReleaseSpec plan = SmallPlan(5);
  const Purse alice = PurseOf("alice");
  const Accounts letters = Untouched(testing::LettersBudget());
  const PlanRequest request{.plan = plan, .purse = alice, .accounts = letters};
  const absl::Status status = RefusalOf(request, JudgePlan(request)->refused_by);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition,
                               ::testing::HasSubstr("At most 4 releases")));
  EXPECT_THAT(status.message(), ::testing::HasSubstr("5 vouchers"));
  const auto carried = proto::BudgetExhaustedOf(status);
  ASSERT_TRUE(carried.has_value());
  EXPECT_EQ(carried->most_iterations(), 4);
  EXPECT_TRUE(carried->vouchers());
  EXPECT_OK(RefusalOf(request, Limit::kNone));
}

}  // namespace
}  // namespace topicwall::accountant::ledger
