#include "accountant/commands/batch.h"

#include <sstream>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

CsvTable Table(const std::string& text) {
  std::istringstream in(text);
  return *CsvTable::Read(in, "plans.csv");
}

absl::StatusOr<std::vector<EpsilonBracket>> Price(const CsvTable& table) {
  return PriceRows(table, {}, [](int64_t, int64_t) {});
}

constexpr char kHeader[] = "sigma,nu,steps,delta,accountant\n";

TEST(BatchTest, EveryRowIsPricedByItsOwnAccountantAtItsOwnDelta) {
  const CsvTable table = Table(
      "accountant,note,delta,steps,nu,sigma\n"
      "renyi,a,1e-4,20,0.05,1.24\n"
      "moments,\"b, c\",1e-4,20,0.05,1.24\n"
      "renyi,d,1e-6,20,0.05,1.24\n"
      "renyi,nothing,1e-6,0,0.05,1.24\n");
  std::vector<int64_t> done;
  const auto prices = *PriceRows(table, {}, [&](int64_t now, int64_t total) {
    done.push_back(now);
    EXPECT_EQ(total, 4);
  });
  ASSERT_EQ(prices.size(), 4);
  EXPECT_NEAR(prices[0].upper, 1.2132446, 1e-7);
  EXPECT_NEAR(prices[1].upper, 1.6451026, 1e-7);
  EXPECT_GT(prices[2].upper, prices[0].upper);
  EXPECT_EQ(prices[3].upper, 0);
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3));
}

TEST(BatchTest, TheCsvKeepsItsRowsAndGainsTwoColumnsThatReadBack) {
  const CsvTable table =
      Table("sigma,nu,steps,delta,accountant,note\n1.24, 0.05,20,1e-4,renyi,x\n");
  const auto prices = *Price(table);
  const CsvTable again = Table(*BatchCsv(table, prices));
  EXPECT_THAT(again.columns(), ElementsAre("sigma", "nu", "steps", "delta", "accountant", "note",
                                           "epsilon_lower", "epsilon_upper"));
  EXPECT_EQ(again.rows()[0].cells[1], "0.05");
  EXPECT_EQ(again.rows()[0].cells[5], "x");
  EXPECT_EQ(std::stod(again.rows()[0].cells[7]), prices[0].upper);
  EXPECT_THAT(BatchCsv(again, prices),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon_lower")));
}

TEST(BatchTest, TheJsonHasNumbersAndNullForNoBound) {
  const CsvTable table =
      Table("sigma,nu,steps,delta,accountant,note\n1e-200,0.5,2e1,1e-4,renyi,7\n");
  EXPECT_EQ(*BatchJson(table, *Price(table)),
            "[{\"sigma\":1e-200,\"nu\":0.5,\"steps\":20,\"delta\":0.0001,"
            "\"accountant\":\"renyi\",\"note\":\"7\",\"epsilon_lower\":null,"
            "\"epsilon_upper\":null}]\n");
}

TEST(BatchTest, ABadCellIsNamedByLineColumnFieldRuleAndValue) {
  struct Case {
    std::string row;
    std::string column;
    std::string rule;
  };
  for (const Case& bad : std::vector<Case>{
           {"0,0.05,20,1e-4,renyi", "column sigma", "noise_multiplier must be finite and > 0"},
           {"-1,0.05,20,1e-4,renyi", "column sigma", "noise_multiplier must be finite and > 0"},
           {"inf,0.05,20,1e-4,renyi", "column sigma", "noise_multiplier must be a finite"},
           {",0.05,20,1e-4,renyi", "column sigma", "noise_multiplier must be a finite"},
           {"1,0,20,1e-4,renyi", "column nu", "sampling_rate must be in (0, 1]"},
           {"1,1.5,20,1e-4,renyi", "column nu", "sampling_rate must be in (0, 1]"},
           {"1,nan,20,1e-4,renyi", "column nu", "sampling_rate must be a finite"},
           {"1,0.5,-1,1e-4,renyi", "column steps", "steps must be a whole number"},
           {"1,0.5,1e13,1e-4,renyi", "column steps", "steps must be a whole number"},
           {"1,0.5,2.5,1e-4,renyi", "column steps", "steps must be a whole number"},
           {"1,0.5,2,0,renyi", "column delta", "delta must be in (0, 1)"},
           {"1,0.5,2,1,renyi", "column delta", "delta must be in (0, 1)"},
           {"1,0.5,2,1e999,renyi", "column delta", "delta must be a finite"},
           {"1,0.5,2,1e-5,gdp", "column accountant", "accountant must be one of"}}) {
    EXPECT_THAT(
        Price(Table(absl::StrCat(kHeader, "1,1,1,1e-5,renyi\n\n", bad.row, "\n"))),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("plans.csv:4: "), HasSubstr(bad.column), HasSubstr(bad.rule))))
        << bad.row;
  }
}

TEST(BatchTest, AMissingColumnIsNamed) {
  EXPECT_THAT(Price(Table("sigma,nu,steps,delta\n")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"accountant\"")));
  EXPECT_THAT(PlansOf(Table("sigma,nu\n")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"steps\"")));
}

}  // namespace
}  // namespace topicwall::accountant
