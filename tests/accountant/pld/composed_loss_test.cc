#include "accountant/pld/composed_loss.h"

#include <algorithm>
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

// The claims below are about error terms, so their truths are sums in long double: n independent
// losses of two values, each the term before it times a ratio, from one logarithm.
struct TwoLosses {
  long double low;
  long double high;
  long double low_mass;
  long double high_mass;
};

long double ExactDelta(const TwoLosses& one, int64_t n, long double epsilon) {
  const auto copies = static_cast<long double>(n);
  const auto loss = [&](long double ups) { return copies * one.low + ups * (one.high - one.low); };
  long double ups = std::floor((epsilon - copies * one.low) / (one.high - one.low)) - 1;
  ups = std::max(ups, 0.0L);
  while (ups <= copies && loss(ups) <= epsilon) ++ups;
  if (ups > copies) return 0;
  const long double first = lgammal(copies + 1) - lgammal(ups + 1) - lgammal(copies - ups + 1) +
                            ups * std::log(one.high_mass) + (copies - ups) * std::log(one.low_mass);
  const long double mode = copies * one.high_mass;
  long double relative = 1;
  long double sum = 0;
  for (; ups <= copies; ++ups) {
    const long double term = relative * -std::expm1(epsilon - loss(ups));
    sum += term;
    if (ups > mode && relative < 1e-25L * sum) break;
    relative *= (copies - ups) / (ups + 1) * (one.high_mass / one.low_mass);
  }
  return sum * std::exp(first);
}

LossLattice LatticeOf(const TwoLosses& one, double spacing, int64_t lowest, size_t gap) {
  LossLattice lattice = {.spacing = spacing,
                         .lowest = lowest,
                         .mass = std::vector<double>(gap + 1),
                         .infinite_mass = 0};
  lattice.mass.front() = static_cast<double>(one.low_mass);
  lattice.mass.back() = static_cast<double>(one.high_mass);
  return lattice;
}

// Randomised response of ±loss, with the masses that the lattice has, to the bit.
TwoLosses Response(double loss) {
  const double high = 1 / (1 + std::exp(-loss));
  return {.low = -loss, .high = loss, .low_mass = 1 - high, .high_mass = high};
}

ComposedLoss ComposeOne(const LossWindow& window, const LossLattice& lattice, int64_t count) {
  LowSpectrum spectrum(window.points);
  LossComposer composer(window);
  composer.Add(lattice, count, spectrum);
  return std::move(composer).Compose(spectrum);
}

// A power of a million copies multiplies the rounding of one transform by as many. With so little
// tilt the tail is far below it.
TEST(ComposedLossTest, TheRoundingOfOneTransformCountsForEveryCopy) {
  constexpr double kStep = 1e-3;
  const TwoLosses one = Response(kStep);
  const LossWindow window = {.spacing = kStep,
                             .tilt = 0.5,
                             .lowest = -(1 << 14),
                             .points = 1 << 15,
                             .above_slope = 14,
                             .below_slope = 14};
  const ComposedLoss sum = ComposeOne(window, LatticeOf(one, kStep, -1, 2), 1000000);
  for (double epsilon = 8.5003; epsilon < 14; epsilon += 0.11) {
    const long double truth = ExactDelta(one, 1000000, epsilon);
    EXPECT_GE(sum.DeltaUpperBound(epsilon), truth) << epsilon;
    EXPECT_LE(sum.DeltaLowerBound(epsilon), truth) << epsilon;
  }
}

// kLossRounding is what a grid point may be off by. Where losses are of 1e-8, 1e8 of them together
// are off by a thousandth of all that the plan costs.
TEST(ComposedLossTest, EveryCopysLossMayBeOffByTheRoundingOfAGridPoint) {
  constexpr double kStep = 1e-8;
  constexpr int64_t kCopies = 100000000;
  const TwoLosses one = Response(kStep);
  const LossWindow window = {.spacing = kStep,
                             .tilt = 1e4,
                             .lowest = 10000 - (1 << 16),  // about the mean under the tilt
                             .points = 1 << 17,
                             .above_slope = 6.5e4,
                             .below_slope = 6.5e4};
  const ComposedLoss sum = ComposeOne(window, LatticeOf(one, kStep, -1, 2), kCopies);
  TwoLosses more = one;
  TwoLosses less = one;
  for (TwoLosses* moved : {&more, &less}) {
    const long double sign = moved == &more ? 1 : -1;
    moved->low += sign * kLossRounding;
    moved->high += sign * kLossRounding;
  }
  for (const double epsilon : {0.0, 3.3e-5, 1.01e-4}) {
    EXPECT_GE(sum.DeltaUpperBound(epsilon), ExactDelta(more, kCopies, epsilon)) << epsilon;
    EXPECT_LE(sum.DeltaLowerBound(epsilon), ExactDelta(less, kCopies, epsilon)) << epsilon;
  }
}

// An exponent of thousands is off by thousands of roundings, and so is e to its power.
TEST(ComposedLossTest, ALargeTiltsRoundingIsPaidFor) {
  for (int i = 0; i < 60; ++i) {
    const double loss = 41.3 + 7.7 * i;
    const double tilt = 0x1p13 * 1.02 / loss;
    const double high = 0.95 - 0.01 * i;
    const TwoLosses one = {.low = -loss, .high = loss, .low_mass = 1 - high, .high_mass = high};
    const LossWindow window = {.spacing = loss,
                               .tilt = tilt,
                               .lowest = -2,
                               .points = 4,
                               .above_slope = 100,
                               .below_slope = 100};
    const ComposedLoss sum = ComposeOne(window, LatticeOf(one, loss, -1, 2), 1);
    const double epsilon = loss - 18 / tilt;
    const long double truth = ExactDelta(one, 1, epsilon);
    EXPECT_GE(sum.DeltaUpperBound(epsilon), truth) << loss;
    EXPECT_LE(sum.DeltaLowerBound(epsilon), truth) << loss;
  }
}

// Masses that are all alike are rounded the same way each time they are added.
TEST(ComposedLossTest, TheRoundingOfEveryTermOfTheLastSumIsPaidFor) {
  constexpr double kStep = 1e-3;
  for (int i = 0; i < 24; ++i) {
    const double mass = 0x1p-14 * (1 - 0.003 * i - 1e-13 * (i + 1) / 3);
    const LossLattice lattice = {.spacing = kStep,
                                 .lowest = 0,
                                 .mass = std::vector<double>((1 << 14) - 8, mass),
                                 .infinite_mass = 0};
    const LossWindow window = {.spacing = kStep,
                               .tilt = 1e-3,
                               .lowest = -4,
                               .points = 1 << 14,
                               .above_slope = 1e6,
                               .below_slope = 1e6};
    const ComposedLoss sum = ComposeOne(window, lattice, 1);
    long double truth = 0;
    for (int k = 1; k < (1 << 14) - 8; ++k)
      truth += mass * -std::expm1(-k * static_cast<long double>(kStep));
    EXPECT_GE(sum.DeltaUpperBound(0), truth) << i;
    EXPECT_LE(sum.DeltaLowerBound(0), truth) << i;
  }
}

// The bulk lies 20 and 100 standard deviations from loss 0, so that what Markov's inequality says
// hangs on every factor; the window ends two from the bulk.
TEST(ComposedLossTest, WhatLiesOutsideAWindowFarFromZeroIsBounded) {
  const TwoLosses up = Response(0.01);
  const LossWindow cut_above = {.spacing = 0.01,
                                .tilt = 10,
                                .lowest = 226,
                                .points = 1024,
                                .above_slope = 2,
                                .below_slope = 2};
  const ComposedLoss above = ComposeOne(cut_above, LatticeOf(up, 0.01, -1, 2), 10000);
  for (const double epsilon : {2.2601, 2.3, 6.0, 11.0, 12.0, 12.3}) {
    const long double truth = ExactDelta(up, 10000, epsilon);
    EXPECT_GE(above.DeltaUpperBound(epsilon), truth) << epsilon;
    EXPECT_LE(above.DeltaLowerBound(epsilon), truth) << epsilon;
  }
  // Losses of −0.002 and 0: a law of any lattice, though no mechanism's.
  const TwoLosses down = {.low = -0.002L, .high = 0, .low_mass = 0.5, .high_mass = 0.5};
  const LossWindow cut_below = {.spacing = 0.001,
                                .tilt = 0.2,
                                .lowest = -10200,
                                .points = 1024,
                                .above_slope = 20,
                                .below_slope = 20};
  const ComposedLoss below = ComposeOne(cut_below, LatticeOf(down, 0.001, -2, 2), 10000);
  for (const double epsilon : {-10.1, -9.9003, -9.7003}) {
    const long double truth = ExactDelta(down, 10000, epsilon);
    EXPECT_GE(below.DeltaUpperBound(epsilon), truth) << epsilon;
    EXPECT_LE(below.DeltaLowerBound(epsilon), truth) << epsilon;
  }
}

TEST(ComposedLossTest, InfiniteLossesAreRoundedUp) {
  LossWindow window = Window(12, -512, 1024);
  window.above_slope = window.below_slope = 40;
  LowSpectrum spectrum(window.points);
  for (int i = 1; i < 60; ++i) {
    const double infinite = 1e-5 * i / 7;
    for (const int64_t count : {1, 3, 400}) {
      LossComposer composer(window);
      composer.Add(RandomisedResponse(infinite), count, spectrum);
      const long double truth = -std::expm1(static_cast<long double>(count) *
                                            std::log1p(-static_cast<long double>(infinite)));
      EXPECT_GE(std::move(composer).Compose(spectrum).DeltaUpperBound(24), truth) << infinite;
    }
  }
}

// Here e^{κ − θl} is infinite for losses that have no mass, and their product no number.
TEST(ComposedLossTest, WhatIsNoNumberClaimsNothing) {
  const TwoLosses one = {.low = -2, .high = 2, .low_mass = 0.25, .high_mass = 0.75};
  const LossWindow window = {
      .spacing = 1, .tilt = 1000, .lowest = -4, .points = 8, .above_slope = 1, .below_slope = 1};
  const ComposedLoss sum = ComposeOne(window, LatticeOf(one, 1, -2, 4), 1);
  EXPECT_EQ(sum.DeltaUpperBound(0.5), 1);
  EXPECT_EQ(sum.DeltaLowerBound(0.5), 0);
  EXPECT_EQ(sum.DeltaUpperBound(std::nan("")), 1);
  EXPECT_EQ(sum.DeltaLowerBound(std::nan("")), 0);
}

}  // namespace
}  // namespace topicwall::accountant
