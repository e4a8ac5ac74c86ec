#include "model/lda/denoise/term_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace term_weights_test {

using ::testing::Each;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(TermWeightsTest, ArePowersOfTheFrequencyRelativeToTheAverage) {
  std::vector<double> p = {.5, .25, .2, .049, .001};
  for (const double exponent : {0.1, 0.25, 0.5, 1.0}) {
    for (const double floor : {0.001, 0.2, 1.0}) {
      ASSERT_OK_AND_ASSIGN(const auto weights,
                           TermWeights(p, {.exponent = exponent, .floor = floor}));
      for (size_t v = 0; v < p.size(); ++v) {
        const double expected = std::pow(5 * std::max(p[v], floor / 5), -exponent);
        EXPECT_NEAR(weights[v] / expected, 1, 1e-6) << exponent << " " << floor << " " << v;
      }
    }
  }
}

TEST(TermWeightsTest, AreOneForAverageTermsAndWithoutExponent) {
  EXPECT_THAT(*TermWeights({.25, .25, .25, .25}, {.exponent = 0.7}), Each(1.0F));
  EXPECT_THAT(*TermWeights({.9, .1}, {.exponent = 0}), Each(1.0F));
}

TEST(TermWeightsTest, RefuseWhatIsOutOfRangeByName) {
  EXPECT_THAT(TermWeights({}, {}), StatusIs(kInvalid));
  EXPECT_THAT(TermWeights({.5, .6}, {}), StatusIs(kInvalid, HasSubstr("sum to 1")));
  for (const double bad : {-.1, 1.1, std::nan("")}) {
    EXPECT_THAT(TermWeights({1}, {.exponent = bad}), StatusIs(kInvalid, HasSubstr("exponent")));
  }
  for (const double bad : {0.0, 1.1, std::nan("")}) {
    EXPECT_THAT(TermWeights({1}, {.floor = bad}), StatusIs(kInvalid, HasSubstr("floor")));
  }
}

}  // namespace term_weights_test
}  // namespace topicwall::lda
