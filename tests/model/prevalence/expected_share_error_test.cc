#include "model/prevalence/expected_share_error.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "model/prevalence/prevalence_estimate.h"
#include "tests/model/prevalence/simulated_releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::prevalence {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

ExpectedShare Expected() {
  return {.num_topics = 5,
          .documents = 1000,
          .share = .2,
          .noise = {.topic_deviation = 20, .count_deviation = 30, .sampling_rate = 1}};
}

// By hand: T = 5·400 + 900 = 2900; Var(s) = 400·2500/2900, Cov = 400·900/2900, Var(n) =
// 900·2000/2900.
TEST(ExpectedShareErrorTest, ByHand) {
  ASSERT_OK_AND_ASSIGN(const auto error, ExpectedShareError(Expected()));
  EXPECT_NEAR(error * 1000, std::sqrt((1e6 - .4 * 3.6e5 + .04 * 1.8e6) / 2900), 1e-9);
}

TEST(ExpectedShareErrorTest, IsTheSpreadOfSharesThatAreFound) {
  const ExpectedShare expected = Expected();
  const Truth truth = TurningShares(100, 1000, {.2, .2, .2, .2, .2}, expected.noise);
  Draws draws(1);
  double squares = 0;
  for (int i = 0; i < 100; ++i) {
    for (const GroupPrevalence& group : EstimatePrevalence(SumsOf(Release(truth, draws), truth))) {
      squares += std::pow(group.topics[0].unprojected - 0.2, 2);
    }
  }
  // 10,000 independent squares of normals: their mean's deviation is 1.4 %, and 9 % are 6.4 of it.
  EXPECT_NEAR(std::sqrt(squares / 1e4) / *ExpectedShareError(expected), 1, 0.045);
}

TEST(ExpectedShareErrorTest, ReleasesAveragedAndCellsMergedAreCountedIn) {
  const double one = *ExpectedShareError(Expected());
  ExpectedShare expected = Expected();
  expected.num_releases = 4;
  EXPECT_NEAR(*ExpectedShareError(expected), one / 2, 1e-12);
  expected.num_cells = 4;
  EXPECT_NEAR(*ExpectedShareError(expected), one, 1e-12);
}

// By hand: noise as of the whole at ν = ½ is twice as large; drawing adds p(1 − p)/n.
TEST(ExpectedShareErrorTest, SamplingIsCountedIn) {
  const double one = *ExpectedShareError(Expected());
  ExpectedShare expected = Expected();
  expected.noise.sampling_rate = .5;
  EXPECT_NEAR(*ExpectedShareError(expected), std::sqrt(4 * one * one + .2 * .8 / 1000), 1e-12);
}

TEST(ExpectedShareErrorTest, OfAGroupThatWillSayNothingItIsInfinite) {
  ExpectedShare expected = Expected();
  expected.documents = 45;  // Var(n) = 24.9²
  EXPECT_EQ(*ExpectedShareError(expected), std::numeric_limits<double>::infinity());
  expected.documents = 55;
  EXPECT_LT(*ExpectedShareError(expected), 1);
}

TEST(ExpectedShareErrorTest, RefusesWhatCannotBeExpected) {
  const auto refused = [](ExpectedShare expected) { return ExpectedShareError(expected); };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  ExpectedShare expected = Expected();
  expected.num_topics = 0;
  EXPECT_THAT(refused(expected), StatusIs(absl::StatusCode::kInvalidArgument));
  for (const double bad : {0.0, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    expected = Expected();
    expected.documents = bad;
    EXPECT_THAT(refused(expected),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("documents")));
  }
  for (const double bad : {-0.1, 1.1, kNan}) {
    expected = Expected();
    expected.share = bad;
    EXPECT_THAT(refused(expected),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("share")));
  }
  expected = Expected();
  expected.num_releases = 0;
  EXPECT_THAT(refused(expected), StatusIs(absl::StatusCode::kInvalidArgument));
  expected = Expected();
  expected.noise.topic_deviation = 0;
  EXPECT_THAT(refused(expected), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::prevalence
