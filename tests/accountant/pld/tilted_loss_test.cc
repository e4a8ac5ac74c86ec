#include "accountant/pld/tilted_loss.h"

#include <cmath>

#include "accountant/accountants/subsampled_gaussian.h"
#include "tests/accountant/other_direction.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace tilted_loss_test {

TEST(LossLawTest, ItsMomentsAreThoseOfTheMomentsAccountant) {
  for (const double nu : {0.01, 0.2, 1.0}) {
    const SubsampledGaussian release = Release(nu, 1.5);
    for (const int order : {2, 5, 9}) {
      const TiltedLoss loss = LossLaw(release, Neighbour::kRemoved, 1e-60).At(order - 1.0);
      const double expected = LogMomentIntegerOrder(release, order);
      EXPECT_NEAR(loss.log_moment, expected, 1e-8 * (1 + expected));
    }
    const TiltedLoss added = LossLaw(release, Neighbour::kAdded, 1e-60).At(3);
    const double expected = LogMomentOtherDirection(release, 3);
    EXPECT_NEAR(added.log_moment, expected, 1e-8 * (1 + expected));
  }
}

TEST(LossLawTest, MeanAndVarianceAreTheDerivatives) {
  for (const Neighbour neighbour : {Neighbour::kRemoved, Neighbour::kAdded}) {
    for (const double nu : {0.1, 1.0}) {
      const auto at = [&](double tilt) {
        return LossLaw(Release(nu, 1.24), neighbour, 1e-40).At(tilt);
      };
      const double h = 1e-4;
      const double slope = (at(4 + h).log_moment - at(4 - h).log_moment) / (2 * h);
      EXPECT_NEAR(at(4).mean, slope, 1e-6);
      EXPECT_NEAR(at(4).variance, (at(4 + h).mean - at(4 - h).mean) / (2 * h), 1e-6);
    }
  }
}

TEST(LossLawTest, OutcomesNobodyWillSeeDoNotRule) {
  // At this tilt the whole moment comes from x near 2000, 200 standard deviations out.
  const TiltedLoss loss = LossLaw(Release(1e-4, 10), Neighbour::kRemoved, 1e-16).At(1999);
  EXPECT_LT(loss.log_moment, 1);
  EXPECT_LT(loss.variance, 1e-8);
}

TEST(LossLawTest, TheTailReachesFarEnough) {
  for (const double mass : {1e-3, 1e-9, 1e-15, 1e-200}) {
    EXPECT_LE(0.5 * std::erfc(TailDeviations(mass) * M_SQRT1_2), mass);
  }
}

}  // namespace tilted_loss_test
}  // namespace topicwall::accountant
