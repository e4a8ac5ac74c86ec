#include "accountant/commands/report.h"

#include <gtest/gtest.h>

#include <limits>

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
