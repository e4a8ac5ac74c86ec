#include "base/csv.h"

#include <gtest/gtest.h>

#include <cmath>

namespace topicwall::base {
namespace {

TEST(CsvTest, AFieldThatWouldEndItselfStandsInQuotes) {
  EXPECT_EQ(CsvField("plain word"), "plain word");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"so\""), "\"say \"\"so\"\"\"");
  EXPECT_EQ(CsvField("two\nlines"), "\"two\nlines\"");
}

TEST(CsvTest, ANumberReadsBackOrIsEmpty) {
  EXPECT_EQ(std::stod(CsvNumber(0.1 + 0.2)), 0.1 + 0.2);
  EXPECT_EQ(CsvNumber(NAN), "");
  EXPECT_EQ(CsvNumber(INFINITY), "");
}

}  // namespace
}  // namespace topicwall::base
