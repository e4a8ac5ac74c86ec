#include "accountant/filters/sampled_profile.h"

#include <cmath>

#include "accountant/accountants/gaussian_mechanism.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::topicwall::testing::StatusIs;

TEST(SampledProfileTest, LiesAboveAKnownCurveAndCloseToIt) {
  for (const double sigma : {0.3, 1.0, 4.0, 30.0}) {
    const auto curve = [sigma](double epsilon) { return GaussianDeltaUpperBound(epsilon, sigma); };
    const double largest = 8 / sigma;
    int asked = 0;
    const SampledProfile profile = *SampledProfile::Of(
        [&](double epsilon) {
          ++asked;
          EXPECT_GT(epsilon, 0);
          return curve(epsilon);
        },
        largest);
    EXPECT_EQ(asked, 33);
    double before = 1;
    for (int i = 0; i <= 1000; ++i) {
      const double epsilon = 1.1 * largest * i / 1000;
      const double delta = profile.DeltaUpperBound(epsilon);
      EXPECT_GE(delta, curve(epsilon)) << sigma << " at " << epsilon;
      EXPECT_LE(delta, before * (1 + 1e-12)) << sigma << " at " << epsilon;
      before = delta;
      if (epsilon >= largest / 4) continue;
      EXPECT_LE(delta, curve(epsilon) * 1.1 + 1e-5) << epsilon;
    }
  }
}

TEST(SampledProfileTest, AProfileOfStepsStaysAnUpperBoundAndNanCountsAsNoGuarantee) {
  // Randomised response with ε = 1: a chord must not cut the corner at ε = 1.
  const auto curve = [](double epsilon) {
    return std::max(0.0, (std::exp(1.0) - std::exp(epsilon)) / (1 + std::exp(1.0)));
  };
  const SampledProfile response = *SampledProfile::Of(curve, 2.7);
  for (double epsilon = 0; epsilon < 3; epsilon += 0.001) {
    EXPECT_GE(response.DeltaUpperBound(epsilon), curve(epsilon)) << epsilon;
  }
  const SampledProfile none = *SampledProfile::Of([](double) { return std::nan(""); }, 1);
  EXPECT_EQ(none.DeltaUpperBound(0.5), 1);
  EXPECT_EQ(none.DeltaUpperBound(5), 1);
}

TEST(SampledProfileTest, OutOfItsDomainThereIsNoGuaranteeAndNoProfile) {
  const SampledProfile profile = *SampledProfile::Of([](double) { return 0.0; }, 1);
  EXPECT_EQ(profile.DeltaUpperBound(-1), 1);
  EXPECT_EQ(profile.DeltaUpperBound(std::nan("")), 1);
  EXPECT_EQ(profile.DeltaUpperBound(2), 0);
  for (const double largest : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(SampledProfile::Of([](double) { return 0.0; }, largest),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace topicwall::accountant
