#include "accountant/pld/composed_loss.h"

#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

// Randomised response: loss +h with probability p, −h otherwise; the sum of n is binomial.
constexpr double kLoss = 0.05;
const double kHigh = std::exp(kLoss) / (1 + std::exp(kLoss));

LossLattice RandomisedResponse(double infinite_mass = 0) {
  return {.spacing = kLoss,
          .lowest = -1,
          .mass = {(1 - infinite_mass) * (1 - kHigh), 0, (1 - infinite_mass) * kHigh},
          .infinite_mass = infinite_mass};
}

double BinomialDelta(int n, double epsilon) {
  double delta = 0;
  for (int ups = 0; ups <= n; ++ups) {
    const double loss = kLoss * (2 * ups - n);
    if (loss <= epsilon) continue;
    const double log_mass = std::lgamma(n + 1.0) - std::lgamma(ups + 1.0) -
                            std::lgamma(n - ups + 1.0) + ups * std::log(kHigh) +
                            (n - ups) * std::log1p(-kHigh);
    delta += std::exp(log_mass) * -std::expm1(epsilon - loss);
  }
  return delta;
}

LossWindow Window(double tilt, int64_t lowest, int64_t points) {
  return {.spacing = kLoss,
          .tilt = tilt,
          .lowest = lowest,
          .points = points,
          .above_slope = 2,
          .below_slope = 2};
}

ComposedLoss Compose(const LossWindow& window, const std::vector<int64_t>& counts) {
  LowSpectrum spectrum(window.points);
  LossComposer composer(window);
  for (const int64_t count : counts) composer.Add(RandomisedResponse(), count, spectrum);
  return std::move(composer).Compose(spectrum);
}

TEST(ComposedLossTest, BracketsABinomialSumDownToItsDeepestTail) {
  for (const double tilt : {0.5, 3.0, 12.0}) {
    const ComposedLoss sum = Compose(Window(tilt, -512, 1024), {400});
    for (const double epsilon : {0.0, 1.0, 3.0, 6.0, 9.0}) {
      const double truth = BinomialDelta(400, epsilon);
      EXPECT_GE(sum.DeltaUpperBound(epsilon), truth) << tilt << " " << epsilon;
      EXPECT_LE(sum.DeltaLowerBound(epsilon), truth) << tilt << " " << epsilon;
    }
  }
}

TEST(ComposedLossTest, TheRightTiltSeesWhatRoundingWouldHide) {
  const double truth = BinomialDelta(400, 13.0);
  ASSERT_LT(truth, 1e-37);
  const ComposedLoss sum = Compose(Window(14, -512, 1024), {400});
  EXPECT_NEAR(sum.DeltaUpperBound(13.0), truth, 1e-6 * truth);
  EXPECT_NEAR(sum.DeltaLowerBound(13.0), truth, 1e-6 * truth);
}

TEST(ComposedLossTest, OneLossManyLossesAndTheirOrderAgree) {
  const double expected = BinomialDelta(400, 2.0);
  for (const std::vector<int64_t>& counts :
       {std::vector<int64_t>{400}, {1, 399}, {399, 1}, {150, 1, 249}}) {
    const ComposedLoss sum = Compose(Window(2, -512, 1024), counts);
    EXPECT_NEAR(sum.DeltaUpperBound(2.0), expected, 1e-9 * expected);
    EXPECT_NEAR(sum.DeltaLowerBound(2.0), expected, 1e-9 * expected);
  }
  LossWindow narrow = Window(2, -8, 16);
  narrow.above_slope = narrow.below_slope = 200;
  const ComposedLoss single = Compose(narrow, {1});
  EXPECT_NEAR(single.DeltaUpperBound(0.01), BinomialDelta(1, 0.01), 1e-12);
  EXPECT_NEAR(single.DeltaLowerBound(0.01), BinomialDelta(1, 0.01), 1e-12);
}

TEST(ComposedLossTest, AWindowThatCutsTheSumOffIsPaidFor) {
  // Half of the law lies outside: what a transform wraps around must not be taken for truth.
  for (const int64_t lowest : {-30, 0, 20}) {
    const ComposedLoss sum = Compose(Window(1, lowest, 64), {400});
    for (const double epsilon : {0.1, 1.1, 2.5}) {
      const double truth = BinomialDelta(400, epsilon);
      EXPECT_GE(sum.DeltaUpperBound(epsilon), truth) << lowest << " " << epsilon;
      EXPECT_LE(sum.DeltaLowerBound(epsilon), truth) << lowest << " " << epsilon;
    }
  }
}

TEST(ComposedLossTest, BelowTheWindowNothingIsClaimed) {
  const ComposedLoss sum = Compose(Window(1, 10, 1024), {400});
  EXPECT_EQ(sum.DeltaUpperBound(0.2), 1);
}

TEST(ComposedLossTest, InfiniteLossesAreCounted) {
  const LossWindow window = Window(2, -512, 1024);
  LowSpectrum spectrum(window.points);
  LossComposer composer(window);
  composer.Add(RandomisedResponse(1e-6), 400, spectrum);
  const ComposedLoss sum = std::move(composer).Compose(spectrum);
  const double catastrophe = -std::expm1(400 * std::log1p(-1e-6));
  const double expected = catastrophe + (1 - catastrophe) * BinomialDelta(400, 2.0);
  EXPECT_GE(sum.DeltaUpperBound(2.0), expected * (1 - 1e-12));
  EXPECT_NEAR(sum.DeltaUpperBound(2.0), expected, 1e-8 * expected);
}

TEST(ComposedLossTest, DifferentLossesAddUp) {
  // Losses of ±h and of ±2h: against every combination of the two binomials.
  const LossWindow window = Window(2, -256, 512);
  LowSpectrum spectrum(window.points);
  LossComposer composer(window);
  const double twice = std::exp(2 * kLoss) / (1 + std::exp(2 * kLoss));
  composer.Add(RandomisedResponse(), 2, spectrum);
  composer.Add(
      {.spacing = kLoss, .lowest = -2, .mass = {1 - twice, 0, 0, 0, twice}, .infinite_mass = 0}, 1,
      spectrum);
  const ComposedLoss sum = std::move(composer).Compose(spectrum);
  double expected = 0;
  for (int ups = 0; ups <= 2; ++ups) {
    const double mass = (ups == 1 ? 2 : 1) * std::pow(kHigh, ups) * std::pow(1 - kHigh, 2 - ups);
    for (const double sign : {-1.0, 1.0}) {
      const double loss = kLoss * (2 * ups - 2 + 2 * sign);
      const double weight = mass * (sign > 0 ? twice : 1 - twice);
      if (loss > 0.01) expected += weight * -std::expm1(0.01 - loss);
    }
  }
  EXPECT_NEAR(sum.DeltaUpperBound(0.01), expected, 1e-10);
  EXPECT_NEAR(sum.DeltaLowerBound(0.01), expected, 1e-10);
}

}  // namespace
}  // namespace topicwall::accountant
