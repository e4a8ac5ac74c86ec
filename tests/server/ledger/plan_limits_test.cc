// One analyst who reserves without end: what the ledger lets grow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "server/store/ledger_files.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::LedgerForTests;
using testing::ReserveRequestFor;
using testing::StatusIs;

constexpr int64_t kDay = int64_t{24} * 60 * 60 * 1000;

// As large as the weights of 50,000 terms; costs next to nothing.
v1::ReleaseSpec HeavyPlan(char fill = 'w') {
  v1::ReleaseSpec plan = testing::SmallPlan(1, 1048576);
  plan.set_weights(std::string(200000, fill));
  return plan;
}

ReserveRequest By(const std::string& principal, int number, const v1::ReleaseSpec& plan) {
  ReserveRequest request = ReserveRequestFor(principal, number, plan);
  request.purse.max_open_plans = kDefaultMaxOpenPlans;
  return request;
}

class PlanLimitsTest : public ::testing::Test {
 protected:
  int64_t BytesOnDisk() {
    wall_.Close();
    const auto bytes = std::filesystem::file_size(store::DatabasePath(wall_.directory()));
    wall_.Reopen();
    return static_cast<int64_t>(bytes);
  }

  LedgerForTests wall_;
};

TEST_F(PlanLimitsTest, AFloodOfReservationsEndsAtTheLimitAndHardlyGrowsTheLedger) {
  const int64_t before = BytesOnDisk();
  int reserved = 0;
  absl::Status refused;
  for (int number = 0; number < 1194; ++number) {
    const auto plan = wall_->Reserve(By("mallory", number, HeavyPlan()));
    plan.ok() ? void(++reserved) : void(refused = plan.status());
  }
  EXPECT_EQ(reserved, kDefaultMaxOpenPlans);
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("max_open_plans = 16; they are 16")));
  EXPECT_LT(BytesOnDisk() - before, 400000) << "the weights are kept once";
  EXPECT_OK(wall_->Reserve(By("alice", 1, HeavyPlan()))) << "another analyst's plans are her own";
}

TEST_F(PlanLimitsTest, AFloodOfReservedAndCancelledPlansEndsAtTheLimit) {
  const int64_t before = BytesOnDisk();
  int reserved = 0;
  absl::Status refused;
  for (int number = 0; number < 400; ++number) {
    const auto plan = wall_->Reserve(By("mallory", number, HeavyPlan()));
    if (!plan.ok()) {
      refused = plan.status();
      continue;
    }
    ++reserved;
    ASSERT_OK(wall_->Cancel("mallory", plan->plan_id(), 2500));
  }
  EXPECT_EQ(reserved, accountant::ledger::kMaxUnusedPlans);
  EXPECT_THAT(refused,
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("reservation_days")));
  EXPECT_LT(BytesOnDisk() - before, 1000000);
  ReserveRequest later = By("mallory", 1000, HeavyPlan());
  later.now_ms = 2000 + 7 * kDay;
  EXPECT_OK(wall_->Reserve(later)) << "it is a limit of a week";
}

TEST_F(PlanLimitsTest, AUsedPlanIsNotCounted) {
  for (int number = 0; number < 2 * kDefaultMaxOpenPlans; ++number) {
    const auto plan = wall_->Reserve(By("alice", number, testing::SmallPlan(1, 10000)));
    ASSERT_OK(plan) << number;
    testing::Release(*wall_, *plan, 1);
  }
}

TEST_F(PlanLimitsTest, AReservationNobodyUsesEndsAfterItsDays) {
  ASSERT_OK_AND_ASSIGN(const auto unused, wall_->Reserve(By("alice", 1, testing::SmallPlan(3))));
  ASSERT_OK_AND_ASSIGN(const auto used, wall_->Reserve(By("alice", 2, testing::SmallPlan(3))));
  testing::Release(*wall_, used, 1);
  const auto spent = [&] { return wall_->StatusOfCorpus(kNotesVersion)->spent; };
  const accountant::CostVector before = spent();
  ASSERT_OK(wall_->CancelExpired({{"notes", 7}}, 2000 + 7 * kDay - 1));
  EXPECT_EQ(spent(), before);
  ASSERT_OK(wall_->CancelExpired({{"notes", 7}}, 2000 + 7 * kDay));
  ASSERT_OK_AND_ASSIGN(const auto ended, wall_->GetPlan("alice", unused.plan_id()));
  EXPECT_EQ(ended.state(), v1::PlanState::CANCELLED);
  EXPECT_TRUE(ended.expired());
  EXPECT_TRUE(ended.has_cancellation_receipt());
  EXPECT_EQ(wall_->GetPlan("alice", used.plan_id())->state(), v1::PlanState::ACTIVE);
  EXPECT_EQ(wall_->StatusOfCorpus(kNotesVersion)->releases_reserved, 3) << "given back";
  wall_.Reopen();
  EXPECT_EQ(spent().size(), before.size());
  EXPECT_LT(spent().front(), before.front());
  EXPECT_TRUE(wall_->GetPlan("alice", unused.plan_id())->expired());
}

TEST_F(PlanLimitsTest, AnalystsTakeOnlyTheirShareOfTheReleases) {
  ReserveRequest request = By("mallory", 1, testing::SmallPlan(900, 1048576));
  request.purse.max_releases = 1000;
  request.purse.own_max_releases = 500;
  EXPECT_THAT(wall_->Reserve(request), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                HasSubstr("your share of max_releases; 500")));
  EXPECT_EQ(wall_->Price(request.purse, request.plan)->most_iterations(), 500);
  request.plan.set_iterations(500);
  ASSERT_OK(wall_->Reserve(request));
  request.request_id.back() = 'x';
  request.plan.set_iterations(1);
  EXPECT_THAT(wall_->Reserve(request), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                HasSubstr("share of max_releases; 0")));
  request.purse.principal = "alice";
  request.plan.set_iterations(500);
  EXPECT_OK(wall_->Reserve(request)) << "her half is left";
}

TEST_F(PlanLimitsTest, ReleasesAreCountedPerBudget) {
  ASSERT_OK(wall_->JoinBudget(wall_.budget_id(), "letters", testing::kLettersVersion, 1500));
  ReserveRequest request = By("alice", 1, testing::LettersPlan(10, 10000));
  request.purse.max_releases = 12;
  ASSERT_OK(wall_->Reserve(request));
  request = By("alice", 2, testing::SmallPlan(3, 10000));
  request.purse.max_releases = 12;
  EXPECT_THAT(wall_->Reserve(request),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("2 are left")));
}

TEST_F(PlanLimitsTest, PlansAreListedInPagesWithoutTheirWeights) {
  std::vector<std::string> ids;
  for (int number = 0; number < 5; ++number) {
    ASSERT_OK_AND_ASSIGN(const auto plan, wall_->Reserve(By("alice", number, HeavyPlan())));
    ids.push_back(plan.plan_id());
    ASSERT_OK(wall_->Reserve(By("bob", number, HeavyPlan())));
  }
  std::vector<std::string> listed;
  PlanQuery query{.principal = "alice", .page_size = 2};
  do {
    ASSERT_OK_AND_ASSIGN(const auto page, wall_->ListPlans(query));
    EXPECT_LE(page.plans.size(), 2);
    for (const v1::PlanState& plan : page.plans) {
      EXPECT_LT(plan.ByteSizeLong(), 1000);
      listed.push_back(plan.plan_id());
    }
    query.page_token = page.next_page_token;
  } while (!query.page_token.empty());
  EXPECT_EQ(listed, ids);
  query.page_token = wall_->ListPlans({.principal = "bob"})->plans.front().plan_id();
  EXPECT_THAT(wall_->ListPlans(query), StatusIs(absl::StatusCode::kInvalidArgument));
  query = {.principal = "alice", .page_size = kMaxPlansPerPage + 1};
  EXPECT_THAT(wall_->ListPlans(query), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::ledger
