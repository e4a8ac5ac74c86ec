#include "client/audit/takings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/told_numbers.h"
#include "tests/client/seen_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

// What `budget` showed before and after each act, taken down while it happened.
struct Notes {
  std::map<std::string, double> exact;
  std::map<std::string, int64_t> told;  // in units of the last digit
};

// Rounded up, as everywhere, but for what adding doubles makes of it.
int64_t LastDigits(double epsilon) { return std::llround(std::ceil(epsilon * 1e4 - 1e-8)); }

void Act(SeenWall& wall, Notes& notes, const std::string& plan, const std::function<void()>& act) {
  const double before = wall.chain.Budget().epsilon_spent();
  act();
  const double after = wall.chain.Budget().epsilon_spent();
  notes.exact[plan] += after - before;
  notes.told[plan] += LastDigits(after) - LastDigits(before);
}

// Plans and cancels of two analysts in any order.
Notes Live(SeenWall& wall, uint32_t seed) {
  std::mt19937 random(seed);
  Notes notes;
  std::map<std::string, int> open;  // by plan, its iterations
  for (int step = 0; step < 25; ++step) {
    if (!open.empty() && random() % 3 == 0) {
      const auto [plan, iterations] = *std::next(open.begin(), random() % open.size());
      const int returned = 1 + static_cast<int>(random() % iterations);
      const std::string principal = plan.substr(0, 3);
      Act(wall, notes, plan, [&, plan = plan] { wall.Cancel(principal, plan, returned); });
      open.erase(plan);
      continue;
    }
    const std::string principal = random() % 2 == 0 ? "ann" : "bob";
    const std::string plan = absl::StrCat(principal, step);
    const int iterations = 1 + static_cast<int>(random() % 9);
    const double noise = 20 + static_cast<double>(random() % 300);
    Act(wall, notes, plan, [&] { wall.Reserve(principal, plan, noise, iterations); });
    open[plan] = iterations;
  }
  return notes;
}

TEST(TakingsOfTest, EachPlanTookWhatTheBudgetWentDownByAndTheSumIsWhatIsSpent) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SeenWall wall;
    const Notes notes = Live(wall, seed);
    const v1::BudgetStatus budget = wall.chain.Budget();
    for (const std::string reader : {"", "ann", "bob"}) {
      wall.reader = reader;
      ASSERT_OK_AND_ASSIGN(const auto takings, TakingsOf(wall, budget));
      double exact = takings.others.exact;
      int64_t told = std::llround(takings.others.told * 1e4);
      for (const PlanTaking& plan : takings.plans) {
        EXPECT_TRUE(reader.empty() || plan.principal == reader);
        EXPECT_NEAR(plan.taken.exact, notes.exact.at(plan.plan_id), 1e-12) << plan.plan_id;
        EXPECT_EQ(std::llround(plan.taken.told * 1e4), notes.told.at(plan.plan_id));
        // A report tells it from what was spent around it: one purchase has one number.
        if (!plan.is_cancelled) {
          EXPECT_EQ(absl::StrFormat("%.4f", plan.taken.told),
                    proto::TakenText(plan.spent_before, plan.spent_after));
        }
        exact += plan.taken.exact;
        told += std::llround(plan.taken.told * 1e4);
      }
      EXPECT_NEAR(exact, budget.epsilon_spent(), 1e-12);
      EXPECT_EQ(told, LastDigits(budget.epsilon_spent())) << seed << " " << reader;
    }
    EXPECT_FALSE(notes.told.empty());
  }
}

TEST(TakingsOfTest, WhatWasSpentAroundAPlanIsWhatTheBudgetToldThen) {
  SeenWall wall;
  std::map<std::string, std::pair<double, double>> told;
  for (const std::string plan : {"bob1", "ann1", "bob2", "ann2", "bob3"}) {
    const double before = wall.chain.Budget().epsilon_spent();
    wall.Reserve(plan.substr(0, 3), plan, 60, 4);
    told[plan] = {before, wall.chain.Budget().epsilon_spent()};
  }
  wall.reader = "ann";
  ASSERT_OK_AND_ASSIGN(const auto takings, TakingsOf(wall, wall.chain.Budget()));
  ASSERT_EQ(takings.plans.size(), 2u);
  for (const PlanTaking& plan : takings.plans) {
    EXPECT_NEAR(plan.spent_before, told[plan.plan_id].first, 1e-12);
    EXPECT_NEAR(plan.spent_after, told[plan.plan_id].second, 1e-12);
  }
  EXPECT_EQ(takings.spent, told["bob3"].second);
}

TEST(TakingsOfTest, WhatWasForfeitedWasTakenByOthers) {
  for (const std::string reader : {"", "ann"}) {
    SeenWall wall;
    wall.Reserve("bob", "bob1", 60, 4);
    wall.Reserve("ann", "ann1", 60, 4);
    const double ever = wall.chain.Budget().epsilon_spent();
    wall.chain.Forfeit();
    wall.reader = reader;
    ASSERT_OK_AND_ASSIGN(const auto takings, TakingsOf(wall, wall.chain.Budget()));
    EXPECT_EQ(takings.spent, 2.44);
    double exact = takings.others.exact;
    for (const PlanTaking& plan : takings.plans) exact += plan.taken.exact;
    EXPECT_NEAR(exact, 2.44, 1e-12);
    EXPECT_GE(takings.others.exact, 2.44 - ever);
  }
}

TEST(TakingsOfTest, WithoutReceiptsTheSumIsStillWhatIsSpent) {
  SeenWall wall;
  Live(wall, 7);
  wall.states.clear();
  wall.reader = "ann";
  const v1::BudgetStatus budget = wall.chain.Budget();
  ASSERT_OK_AND_ASSIGN(const auto takings, TakingsOf(wall, budget));
  double sum = takings.others.exact;
  for (const PlanTaking& plan : takings.plans) sum += plan.taken.exact;
  EXPECT_NEAR(sum, budget.epsilon_spent(), 1e-12);
}

TEST(TakingsOfTest, AReceiptOfAnotherEntryIsAsGoodAsNone) {
  SeenWall wall;
  for (const std::string plan : {"bob1", "ann1", "bob2"}) {
    wall.Reserve(plan.substr(0, 3), plan, 60, 4);
  }
  wall.reader = "ann";
  wall.states["ann1"] = wall.states["bob2"];
  const auto of_another = TakingsOf(wall, wall.chain.Budget());
  wall.states.clear();
  const auto without = TakingsOf(wall, wall.chain.Budget());
  ASSERT_OK(of_another);
  ASSERT_OK(without);
  EXPECT_EQ(of_another->plans[0].spent_before, without->plans[0].spent_before);
  EXPECT_EQ(of_another->plans[0].spent_after, without->plans[0].spent_after);
}

TEST(TakingsOfTest, WhatCameAfterTheBudgetWasToldIsNotCounted) {
  SeenWall wall;
  wall.Reserve("ann", "ann1", 30, 5);
  const v1::BudgetStatus budget = wall.chain.Budget();
  wall.Reserve("ann", "ann2", 30, 5);
  ASSERT_OK_AND_ASSIGN(const auto takings, TakingsOf(wall, budget));
  ASSERT_EQ(takings.plans.size(), 1u);
  EXPECT_EQ(takings.plans[0].taken.exact, budget.epsilon_spent());
  EXPECT_EQ(takings.others.exact, 0);
}

}  // namespace
}  // namespace topicwall::client
