#include "base/table.h"

#include <gtest/gtest.h>

namespace topicwall::base {
namespace {

TEST(WidthOfTest, CountsCodePoints) {
  EXPECT_EQ(WidthOf("ε ≤ 2"), 5u);
  EXPECT_EQ(WidthOf(""), 0u);
}

TEST(TableTest, ColumnsLineUpWithoutTrailingSpaces) {
  Table table;
  table.AddRow({"plan", "state", ""});
  table.AddRow({"é", "x", "last"});
  table.AddRow({"longer than both"});
  EXPECT_EQ(table.Text(2),
            "  plan              state\n"
            "  é                 x      last\n"
            "  longer than both");
  EXPECT_EQ(Table().Text(), "");
}

}  // namespace
}  // namespace topicwall::base
