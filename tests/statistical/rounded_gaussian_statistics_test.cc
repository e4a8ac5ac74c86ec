// The noise has the distribution that the proof is about: round(N(0, 2^(2s))), and no other.
//
// At small scales every value is a cell of its own, with its exact probability
// Φ((i + 1/2)/2^s) - Φ((i - 1/2)/2^s) from erfc in long double: an independent method. The
// sampler is the production template. Digits drawn one by one make every comparison with the
// curve ambiguous at first, where production's 64 at a time are ambiguous once in 2^50; coarse
// tables (strip_table.h) send most draws into the boundary and one in 30 into the tail, where
// production sends one in 40 and one in 20,000.
//
// False alarms: each p-value is compared with 1e-9, each moment with six of its standard
// deviations (2e-9); fresh keys each run.
// Smallest defect caught: the mean square of n = 7·10⁷ draws has standard deviation
// sqrt(2/n) = 1.7e-4. A standard deviation off by 0.1 % moves it by 2.0e-3, 11.8 of those: missed
// if chance makes up for 5.8 of them, once in 10⁸ runs. The test shows it. χ² of n = 8·10⁶ draws
// sees the shape: 0.5 % adds 2ne² = 400 to a χ² of about 80 degrees of freedom, which exceeds 180
// once in 10⁹ runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/random/keystream.h"
#include "tests/support/chi_square.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace rounded_gaussian_statistics_test {

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
std::vector<int64_t> Count(const Cells& cells, int draws,
                           const StripTable& table = StripTable::Production()) {
  random::Keystream stream = FreshStream();
  RoundedGaussian<kScaleBits, kDigitBits> noise(table);
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

TEST(RoundedGaussianStatisticsTest, AmbiguousDrawsLeaveTheDistributionAsItIs) {
  const Cells cells = {48};
  const std::vector<double> probabilities = cells.Probabilities(8);
  EXPECT_GT(ChiSquarePValue(Count<3, 1>(cells, kDraws / 8), probabilities), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(Count<3, 2>(cells, kDraws / 8), probabilities), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(Count<3, 5>(cells, kDraws / 8), probabilities), kFalseAlarm);
}

// A wrong decision in the boundary or the tail moves a large part of these draws.
TEST(RoundedGaussianStatisticsTest, CoarseTablesLeaveTheDistributionAsItIs) {
  const Cells cells = {48};
  const std::vector<double> probabilities = cells.Probabilities(8);
  const StripTable coarsest({.strip_bits = 3, .cell_bits = 1});
  EXPECT_GT(coarsest.num_cells(), 1.9 * static_cast<double>(coarsest.num_inside()));
  EXPECT_GT(ChiSquarePValue(Count<3, 64>(cells, kDraws / 16, coarsest), probabilities),
            kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(Count<3, 1>(cells, kDraws / 160, coarsest), probabilities),
            kFalseAlarm);
  const StripTable coarse({.strip_bits = 4, .cell_bits = 3});
  EXPECT_GT(ChiSquarePValue(Count<3, 64>(cells, kDraws / 16, coarse), probabilities), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(Count<3, 1>(cells, kDraws / 160, coarse), probabilities), kFalseAlarm);
}

// Every draw begins in the tail cell, which production meets once in 20,000 draws: the share
// that is kept, and how far out it is. Cells in standard deviations, up to 6; what is not kept
// comes back below the tail.
class TailFirst {
 public:
  explicit TailFirst(random::Keystream stream) : stream_(std::move(stream)) {}
  void Restart() { force_ = true; }
  uint64_t NextBits(int count) {
    const uint64_t bits = stream_.NextBits(count);
    return std::exchange(force_, false) ? bits | (kOnes << 32) : bits;
  }

 private:
  static constexpr uint64_t kOnes = 0xFFFFFFFF;
  random::Keystream stream_;
  bool force_ = false;
};

TEST(RoundedGaussianStatisticsTest, TheTailIsExactOutToSixStandardDeviations) {
  const std::vector<long double> edges = {4.5625L, 4.65L, 4.75L, 4.9L, 5.05L, 5.25L, 5.5L, 6};
  std::vector<double> probabilities = {1};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const long double beyond = i + 1 < edges.size() ? UpperTail(edges[i + 1]) : 0;
    // ∫ e^(-z²/2) over the cell's area, 2^-14.
    const long double area = 2.50662827463100050242L * (UpperTail(edges[i]) - beyond);
    probabilities.push_back(static_cast<double>(area * 0x1p14L));
    probabilities[0] -= probabilities.back();
  }
  TailFirst bits(FreshStream());
  RoundedGaussian<30> noise;
  std::vector<int64_t> counts(probabilities.size());
  int64_t below = 0;
  int64_t kept = 0;
  for (int i = 0; i < 50'000; ++i) {
    bits.Restart();
    const int64_t sample = noise.Draw(bits);
    const long double z = std::abs(static_cast<long double>(sample)) * 0x1p-30L;
    const auto cell = std::upper_bound(edges.begin(), edges.end(), z) - edges.begin();
    ++counts[static_cast<std::size_t>(cell)];
    if (cell > 0) ++kept, below += sample < 0 ? 1 : 0;
  }
  EXPECT_GT(ChiSquarePValue(counts, probabilities), kFalseAlarm);
  // Of 50,000 two are beyond 6; 25 or more once in 10^18 runs.
  EXPECT_LT(counts.back(), 25);
  EXPECT_NEAR(static_cast<double>(below), static_cast<double>(kept) / 2,
              3 * std::sqrt(static_cast<double>(kept)));
}

// Production's scale: moments, cells of an eighth of a standard deviation, the low byte, pairs.
TEST(RoundedGaussianStatisticsTest, Scale30HasTheSameShapeUniformLowBitsAndIndependentDraws) {
  const Cells cells = {48};
  std::vector<int64_t> counts(97);
  std::vector<int64_t> low_bytes(256);
  std::vector<int64_t> pairs(16);
  random::Keystream stream = FreshStream();
  RoundedGaussian<30> noise;
  std::size_t last_quarter = 0;
  double sum = 0, squares = 0, cubes = 0, fourths = 0, products = 0, last = 0;
  const int draws = 70'000'000;
  for (int i = 0; i < draws; ++i) {
    const int64_t sample = noise.Draw(stream);
    const double z = static_cast<double>(sample) * 0x1p-30;
    sum += z;
    squares += z * z;
    cubes += z * z * z;
    fourths += z * z * z * z;
    products += z * last;
    last = z;
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
  EXPECT_OK(stream.status());
  EXPECT_GT(ChiSquarePValue(counts, cells.Probabilities(8)), kFalseAlarm);
  EXPECT_LT(ChiSquarePValue(counts, cells.Probabilities(8 * 1.003L)), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(low_bytes, std::vector<double>(256, 1.0 / 256)), kFalseAlarm);
  EXPECT_GT(ChiSquarePValue(pairs, std::vector<double>(16, 1.0 / 16)), kFalseAlarm);
  // Of z, z², z³, z⁴ and a product of neighbours: variances 1, 2, 15, 96 and 1.
  const double n = draws;
  EXPECT_NEAR(sum / n, 0, 6 * std::sqrt(1 / n));
  EXPECT_NEAR(squares / n, 1, 6 * std::sqrt(2 / n));
  EXPECT_NEAR(cubes / n, 0, 6 * std::sqrt(15 / n));
  EXPECT_NEAR(fourths / n, 3, 6 * std::sqrt(96 / n));
  EXPECT_NEAR(products / n, 0, 6 * std::sqrt(1 / n));
  for (const double off : {1.001, 0.999}) {
    EXPECT_GT(std::abs(squares / n / (off * off) - 1), 6 * std::sqrt(2 / n)) << "0.1 % would show";
  }
}

}  // namespace rounded_gaussian_statistics_test
}  // namespace topicwall::mechanism
