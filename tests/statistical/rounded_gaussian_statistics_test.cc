// The noise has the distribution that the proof is about: round(N(0, 2^(2s))), and no other.
//
// At small scales every value is a cell of its own, with its exact probability
// Φ((i + 1/2)/2^s) - Φ((i - 1/2)/2^s) from erfc in long double: an independent method. The
// sampler is the production template; small groups of digits (1 to 3 bits instead of 64) send
// nearly every draw through the ties that production meets once in 2^64.
//
// False alarms: each p-value is compared with 1e-9; fresh keys each run.
// Smallest defect caught: with n = 8·10⁶ draws a standard deviation off by a relative e adds
// 2ne² to χ² (Fisher information of a scale: 2/σ²). For e = 0.5 % that is 400, where χ² with
// about 80 degrees of freedom exceeds 180 once in 10⁹: missed less than once in 10¹¹ runs
// (400 + 80 - 180 is 7 of the noncentral standard deviations, sqrt(2·(80 + 2·400)) = 42). The
// tests show it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "server/mechanism/rounded_gaussian.h"
#include "server/random/keystream.h"
#include "tests/support/chi_square.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

using ::topicwall::testing::ChiSquarePValue;

constexpr double kFalseAlarm = 1e-9;
constexpr int kDraws = 8'000'000;

random::Keystream FreshStream() {
  absl::StatusOr<random::SecretKey> key = random::SecretKey::Generate();
  EXPECT_OK(key);
  absl::StatusOr<random::Keystream> stream = random::Keystream::Create(*key, 0);
  EXPECT_OK(stream);
  return *std::move(stream);
}

// P(N(0, 1) > z).
long double UpperTail(long double z) { return std::erfc(z / std::sqrt(2.0L)) / 2; }

// Values -reach … reach, with everything beyond in the end cells.
struct Cells {
  int reach;

  std::size_t IndexOf(int64_t value) const {
    return static_cast<std::size_t>(std::clamp<int64_t>(value, -reach, reach) + reach);
  }

  // Of a rounded normal of this standard deviation, in units of a cell.
  std::vector<double> Probabilities(long double standard_deviation) const {
    std::vector<double> probabilities(static_cast<std::size_t>(2 * reach + 1));
    for (int value = 0; value <= reach; ++value) {
      // By symmetry the upper tail serves both sides without cancellation.
      const long double from = UpperTail((value - 0.5L) / standard_deviation);
      const long double to = value == reach ? 0 : UpperTail((value + 0.5L) / standard_deviation);
      probabilities[IndexOf(value)] = probabilities[IndexOf(-value)] =
          static_cast<double>(from - to);
    }
    return probabilities;
  }
};

template <int kScaleBits, int kDigitBits>
std::vector<int64_t> Count(const Cells& cells, int draws) {
  random::Keystream stream = FreshStream();
  RoundedGaussian<kScaleBits, kDigitBits> noise;
  std::vector<int64_t> counts(static_cast<std::size_t>(2 * cells.reach + 1));
  for (int i = 0; i < draws; ++i) ++counts[cells.IndexOf(noise.Draw(stream))];
  EXPECT_OK(stream.status());
  return counts;
}

TEST(RoundedGaussianStatisticsTest, CellsOfScale3AreExactAndHalfAPercentWouldShow) {
  const Cells cells = {48};  // six standard deviations of 8
  const std::vector<int64_t> counts = Count<3, 64>(cells, kDraws);
  EXPECT_GT(ChiSquarePValue(counts, cells.Probabilities(8)), kFalseAlarm);
  EXPECT_LT(ChiSquarePValue(counts, cells.Probabilities(8 * 1.005L)), kFalseAlarm);
  EXPECT_LT(ChiSquarePValue(counts, cells.Probabilities(8 * 0.995L)), kFalseAlarm);
}

// A discrete Gaussian of variance 1 would have 0.3989 instead of 0.3829 at zero: 8·10⁶ draws see
// that at 93 standard deviations.
TEST(RoundedGaussianStatisticsTest, Scale0IsTheRoundedNormalAndNotTheDiscreteOne) {
  const Cells cells = {6};
  const std::vector<int64_t> counts = Count<0, 64>(cells, kDraws);
  EXPECT_GT(ChiSquarePValue(counts, cells.Probabilities(1)), kFalseAlarm);
  std::vector<double> discrete(13);
  double total = 0;
  for (int i = -6; i <= 6; ++i) total += discrete[cells.IndexOf(i)] = std::exp(-i * i / 2.0);
  for (double& probability : discrete) probability /= total;
  EXPECT_LT(ChiSquarePValue(counts, discrete), kFalseAlarm);
}

TEST(RoundedGaussianStatisticsTest, TiesOfDigitsLeaveTheDistributionAsItIs) {
  const Cells cells = {48};
  const std::vector<double> probabilities = cells.Probabilities(8);
  EXPECT_GT(ChiSquarePValue(Count<3, 1>(cells, kDraws / 4), probabilities), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(Count<3, 2>(cells, kDraws / 4), probabilities), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(Count<3, 3>(cells, kDraws / 4), probabilities), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(Count<3, 5>(cells, kDraws / 4), probabilities), kFalseAlarm);
}

// Production's scale: cells of an eighth of a standard deviation, the low byte, and pairs.
TEST(RoundedGaussianStatisticsTest, Scale30HasTheSameShapeUniformLowBitsAndIndependentDraws) {
  const Cells cells = {48};
  std::vector<int64_t> counts(97);
  std::vector<int64_t> low_bytes(256);
  std::vector<int64_t> pairs(16);
  random::Keystream stream = FreshStream();
  RoundedGaussian<30> noise;
  std::size_t last_quarter = 0;
  for (int i = 0; i < kDraws; ++i) {
    const int64_t sample = noise.Draw(stream);
    // Eighths of a standard deviation, rounded: the cells of scale 3 but for 2^-28.
    ++counts[cells.IndexOf((sample + (1 << 26)) >> 27)];
    ++low_bytes[static_cast<std::size_t>(sample & 255)];
    // Quarters of the distribution: the sign, and whether |sample| is above its median,
    // 0.6744897501960817 standard deviations.
    const bool large = std::abs(sample) > 724'227'854;
    const std::size_t quarter = (sample < 0 ? 2U : 0U) + (large ? 1U : 0U);
    if (i % 2 == 1) ++pairs[last_quarter * 4 + quarter];
    last_quarter = quarter;
  }
  EXPECT_GT(ChiSquarePValue(counts, cells.Probabilities(8)), kFalseAlarm);
  EXPECT_LT(ChiSquarePValue(counts, cells.Probabilities(8 * 1.005L)), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(low_bytes, std::vector<double>(256, 1.0 / 256)), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(pairs, std::vector<double>(16, 1.0 / 16)), kFalseAlarm);
}

}  // namespace
}  // namespace topicwall::mechanism
