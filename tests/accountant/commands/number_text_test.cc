#include "accountant/commands/number_text.h"

#include <limits>

#include "accountant/events/dp_event.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(NumberTextTest, DecimalNumbersAreRead) {
  EXPECT_EQ(*ParseNumber("sigma", "1.24"), 1.24);
  EXPECT_EQ(*ParseNumber("sigma", " 1e-4\t"), 1e-4);
  EXPECT_EQ(*ParseNumber("sigma", "-3"), -3);
  EXPECT_EQ(*ParseNumber("sigma", ".5"), 0.5);
}

TEST(NumberTextTest, EverythingElseIsRefusedWithFieldAndText) {
  for (const std::string text :
       {"", " ", "inf", "-inf", "Infinity", "nan", "NaN", "1e999", "1e-999", "abc", "1,5", "12abc",
        "0x10", "1 2", "--1", "+-1", "1e", "."}) {
    EXPECT_THAT(ParseNumber("delta", text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("delta must be"), HasSubstr("\""))))
        << text;
  }
  EXPECT_THAT(ParseNumber("delta", std::string(10000, 'x')).status().message().size(),
              ::testing::Lt(200u));
}

TEST(NumberTextTest, StepsAreWholeNumbersHoweverWritten) {
  EXPECT_EQ(*ParseSteps("steps", "20"), 20);
  EXPECT_EQ(*ParseSteps("steps", "20.0"), 20);
  EXPECT_EQ(*ParseSteps("steps", "2e1"), 20);
  EXPECT_EQ(*ParseSteps("steps", "0"), 0);
  EXPECT_EQ(*ParseSteps("steps", "1099511627776"), kMostReleases);
  for (const std::string text : {"-1", "2.5", "1099511627777", "1e300", "nan", ""}) {
    EXPECT_THAT(ParseSteps("steps", text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("steps must be")))
        << text;
  }
}

TEST(NumberTextTest, TextReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 2.4411, 1e22, 0.0, 123456789.123}) {
    EXPECT_EQ(*ParseNumber("x", RoundTripText(value)), value);
  }
  EXPECT_EQ(RoundTripText(0.1), "0.1");
  EXPECT_EQ(RoundTripText(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace topicwall::accountant
