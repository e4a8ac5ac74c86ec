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

// A word list is somebody else's: a word must neither ring, nor paint, nor begin a line.
TEST(TableTest, WhatATerminalWouldObeyIsShownAsNoCharacter) {
  Table table;
  table.AddRow({"\x1B[31mred\a\x7F\n", "\u009B1mbold\u0085", "\u00A0é\xC2"});
  EXPECT_EQ(table.Text(), "\uFFFD[31mred\uFFFD\uFFFD\uFFFD  \uFFFD1mbold\uFFFD  \u00A0é\xC2");
  EXPECT_EQ(WithoutControls("a\u202Eb\u2028c\u2066d \u2027\u202F\u2065\u206A\xE2\x80"),
            "a\uFFFDb\uFFFDc\uFFFDd \u2027\u202F\u2065\u206A\xE2\x80");
}

}  // namespace
}  // namespace topicwall::base
