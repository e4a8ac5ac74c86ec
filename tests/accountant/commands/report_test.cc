#include "accountant/commands/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace topicwall::accountant {
namespace {

TEST(ReportTest, JsonKeepsOrderAndPrecisionAndHasNullForNoBound) {
  const Row row = {Text("accountant", "renyi"), Number("epsilon_upper", 1.0 / 3),
                   Count("steps", int64_t{1} << 40),
                   Number("delta", std::numeric_limits<double>::infinity()),
                   Nested("groups", "[1, 2]")};
  EXPECT_EQ(JsonText(row), R"({"accountant":"renyi","epsilon_upper":0.3333333333333333,)"
                           R"("steps":1099511627776,"delta":null,"groups":[1, 2]})");
  EXPECT_EQ(JsonArray({}), "[]");
  EXPECT_EQ(JsonArray({{Count("a", 1)}, {Count("a", 2)}}), R"([{"a":1},{"a":2}])");
}

TEST(ReportTest, TextOfABoundIsOnItsSafeSideAndNextToIt) {
  std::mt19937_64 draw(7);
  for (int i = 0; i < 20000; ++i) {
    double value = 0;
    const uint64_t bits = draw() >> 1;  // any positive double
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    const double above = std::strtod(AtMost("x", value).text.c_str(), nullptr);
    const double below = std::strtod(AtLeast("x", value).text.c_str(), nullptr);
    ASSERT_GE(above, value);
    ASSERT_LE(below, value);
    if (value < 1e-300 || value > 1e300) continue;
    ASSERT_LE(above, value * (1 + 1.01e-9));
    ASSERT_GE(below, value * (1 - 1.01e-9));
  }
  for (const double value : {0.0, 0.5, 1.0, 1e-4, 9999999999.0}) {
    EXPECT_EQ(AtMost("x", value).text, AtLeast("x", value).text) << "it is said whole";
  }
  EXPECT_EQ(AtMost("x", 0.99999999999).text, "1");
  EXPECT_EQ(AtMost("x", 1.00000000001).text, "1.000000001");
  EXPECT_EQ(AtLeast("x", 1.00000000001).text, "1");
  EXPECT_EQ(AtLeast("x", std::numeric_limits<double>::infinity()).text, "inf");
  EXPECT_EQ(FixedText(0.93204, 4, Rounding::kUp), "0.9321");
  EXPECT_EQ(FixedText(0.93206, 4, Rounding::kDown), "0.9320");
  EXPECT_EQ(FixedText(0.25, 4, Rounding::kUp), "0.2500");
}

TEST(ReportTest, ABracketIsRoundedApartAndOneNumberIsSaidTwice) {
  const double third = 1.0 / 3;
  Row row;
  AddBracket("epsilon", third, third + 1e-12, row);
  EXPECT_EQ(ListText(row), "epsilon_lower  0.3333333333\nepsilon_upper  0.3333333334\n");
  row.clear();
  AddBracket("delta", third, third, row);
  EXPECT_EQ(ListText(row), "delta_lower  0.3333333334\ndelta_upper  0.3333333334\n");
  EXPECT_EQ(JsonText(row),
            R"({"delta_lower":0.3333333333333333,"delta_upper":0.3333333333333333})");
}

TEST(ReportTest, TablesAreAlignedWithoutBlanksAtTheEnd) {
  const std::vector<Row> rows = {{Text("name", "moments"), Number("epsilon", 1.5)},
                                 {Text("name", "pld"), Number("epsilon", 0.25)}};
  EXPECT_EQ(TableText(rows),
            "name     epsilon\n"
            "moments  1.5\n"
            "pld      0.25\n");
  EXPECT_EQ(TableText({}), "");
  EXPECT_EQ(ListText({Text("accountant", "pld"), Count("steps", 3), Nested("x", "[]")}),
            "accountant  pld\n"
            "steps       3\n");
}

}  // namespace
}  // namespace topicwall::accountant
