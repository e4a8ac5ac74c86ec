#include "server/log/line_budget.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace topicwall::server {
namespace line_budget_test {

constexpr absl::Duration kStart = absl::Hours(1);

TEST(LineBudgetTest, AFloodIsCutAndOthersAreHeard) {
  LineBudget budget;
  int written = 0;
  for (int i = 0; i < 10'000; ++i) written += budget.Take("bob", kStart).write;
  EXPECT_EQ(written, LineBudget::kBurst);
  EXPECT_TRUE(budget.Take("alice", kStart).write);
}

TEST(LineBudgetTest, TheNextLineSaysHowManyWereLeftOut) {
  LineBudget budget;
  for (int i = 0; i < LineBudget::kBurst + 7; ++i) budget.Take("bob", kStart);
  const LineBudget::Verdict next = budget.Take("bob", kStart + absl::Seconds(1));
  EXPECT_TRUE(next.write);
  EXPECT_EQ(next.left_out, 7);
  EXPECT_FALSE(budget.Take("bob", kStart + absl::Seconds(1)).write);
}

TEST(LineBudgetTest, ADayOfFloodIsALineASecond) {
  LineBudget budget;
  int written = 0;
  for (int tenth = 0; tenth < 864'000; ++tenth) {
    written += budget.Take("bob", kStart + tenth * absl::Milliseconds(100)).write;
  }
  EXPECT_LE(written, 86'400 + LineBudget::kBurst + 1);
}

TEST(LineBudgetTest, NamesBeyondTheBoundShareOneBudget) {
  LineBudget budget;
  for (size_t i = 0; i < LineBudget::kNames; ++i) budget.Take(absl::StrCat("n", i), kStart);
  int written = 0;
  for (int i = 0; i < 1000; ++i) written += budget.Take(absl::StrCat("new", i), kStart).write;
  EXPECT_EQ(written, LineBudget::kBurst);
}

}  // namespace line_budget_test
}  // namespace topicwall::server
