#include "accountant/events/privacy_params.h"

#include <limits>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace privacy_params_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(PrivacyParamsTest, OrdinaryAndExtremeBudgetsAreValid) {
  EXPECT_OK(Validate({.epsilon = 2.44, .delta = 1e-6}));
  EXPECT_OK(Validate({.epsilon = 1e-300, .delta = kSmallestDelta}));
  EXPECT_OK(Validate({.epsilon = 1e300, .delta = 1 - 1e-16}));
}

TEST(PrivacyParamsTest, BadEpsilonIsNamedWithRuleAndValue) {
  for (const double epsilon : {0.0, -1.0, kNan, kInfinity, -kInfinity}) {
    EXPECT_THAT(Validate({.epsilon = epsilon, .delta = 1e-6}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("epsilon must be finite and > 0"), HasSubstr("got "))))
        << epsilon;
  }
}

TEST(PrivacyParamsTest, BadDeltaIsNamedWithRuleAndValue) {
  for (const double delta : {0.0, 1.0, -0.5, 1.5, kNan, kInfinity}) {
    EXPECT_THAT(Validate({.epsilon = 1, .delta = delta}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("delta must be in (0, 1)"), HasSubstr("got "))))
        << delta;
  }
  // Denormal: of 5e-324 a logarithm is off by as much as it pleases.
  for (const double delta : {5e-324, 1e-310, 2.2e-308}) {
    EXPECT_THAT(Validate({.epsilon = 1, .delta = delta}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("delta must be at least 2.3e-308"), HasSubstr("got "))))
        << delta;
  }
}

}  // namespace privacy_params_test
}  // namespace topicwall::accountant
