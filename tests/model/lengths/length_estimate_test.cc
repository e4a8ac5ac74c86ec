#include "model/lengths/length_estimate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lengths {
namespace length_estimate_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Units by their lengths, which whoever looks at noisy counts does not see.
using Units = std::vector<int64_t>;  // ascending

std::vector<float> CountsOf(const Units& units, const std::vector<float>& edges) {
  std::vector<float> counts(edges.size() + 1);
  for (const int64_t words : units) {
    size_t bin = 0;
    while (bin < edges.size() && static_cast<double>(words) >= double{edges[bin]}) ++bin;
    counts[bin] += 1;
  }
  return counts;
}

LengthEstimate Told(const LengthCounts& counts) {
  const auto told = EstimateLengths(counts);
  EXPECT_OK(told);
  return *told;
}

// Next to no noise.
LengthEstimate ToldOf(const Units& units, int64_t most) {
  const std::vector<float> edges = EdgesUpTo(most);
  return Told({CountsOf(units, edges), edges, most, /*deviation=*/1e-6});
}

void ExpectRange(const std::optional<LengthRange>& told, double low, double value, double high) {
  ASSERT_TRUE(told.has_value());
  EXPECT_NEAR(told->low, low, 1e-3);
  EXPECT_NEAR(told->value, value, 1e-3);
  EXPECT_NEAR(told->high, high, 1e-3);
}

TEST(LengthEstimateTest, EdgesAreExactToEightAndThenFourAnOctave) {
  EXPECT_THAT(EdgesUpTo(1), ElementsAre(2));
  EXPECT_THAT(EdgesUpTo(33), ElementsAre(2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32));
  const std::vector<float> all = EdgesUpTo(std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(static_cast<double>(all.back()), 0x1p62 - 0x1p59);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i], std::max(all[i - 1] * 1.25F, 4.0F));
}

TEST(LengthEstimateTest, ShortUnitsAreToldToTheWord) {
  const LengthEstimate told = ToldOf({1, 2, 2, 3, 3, 3, 5, 7}, 7);
  ExpectRange(told.units, 8, 8, 8);
  ExpectRange(told.median, 3, 3, 3);
  ExpectRange(told.mean, 3.25, 3.25, 3.25);
}

TEST(LengthEstimateTest, LongOnesToTheirBinAndEvenlyInsideIt) {
  Units units;
  for (int64_t words = 32; words < 40; ++words) units.insert(units.end(), 10, words);
  const LengthEstimate told = ToldOf(units, 100);
  ExpectRange(told.lower_quartile, 32, 33, 39);
  ExpectRange(told.median, 32, 35, 39);
  ExpectRange(told.upper_quartile, 32, 37, 39);
  ExpectRange(told.mean, 32, 35.5, 39);
}

TEST(LengthEstimateTest, OfUnitsBeyondTheLastEdgeTheLongestThereMayBeIsTheEnd) {
  const LengthEstimate told = ToldOf({61, 61, 61}, 61);
  ExpectRange(told.median, 56, 58, 61);
  ExpectRange(told.mean, 56, 58.5, 61);
}

// By the lower ends of the bins 78 words of 58.5 units, by the upper ones 56.
TEST(LengthEstimateTest, BinsBelowNothingLeaveTheMeanInItsInterval) {
  const LengthEstimate told = Told({{20, 43.5, -3, -2}, {2, 3, 10}, /*most=*/12, 1e-6});
  EXPECT_EQ(told.mean->low, 1);
  EXPECT_NEAR(told.mean->value, 67 / 58.5, 1e-9);
  EXPECT_NEAR(told.mean->high, 78 / 58.5, 1e-6);
}

TEST(LengthEstimateTest, NoiseAsLargeAsTheUnitsTellsNothingOfTheirLengths) {
  const std::vector<float> edges = EdgesUpTo(100);
  const double bins = static_cast<double>(edges.size()) + 1;
  const LengthCounts counts = {CountsOf(Units(1000, 20), edges), edges, 100,
                               1000 / std::sqrt(bins)};
  const LengthEstimate told = Told(counts);
  ExpectRange(told.units, 0, 1000, 2959.964);
  EXPECT_FALSE(told.median.has_value());
  EXPECT_FALSE(told.mean.has_value());
  EXPECT_NEAR(ExpectedRankError(static_cast<int>(bins), counts.deviation, 1000), 0.98, 1e-3);
}

TEST(LengthEstimateTest, NumbersThatAreNoneAreRefused) {
  const LengthCounts good = {{1, 2, 3}, {2, 3}, 5, 1};
  EXPECT_OK(EstimateLengths(good));
  const auto refused = [&good](const std::function<void(LengthCounts&)>& spoil, const char* names) {
    LengthCounts bad = good;
    spoil(bad);
    EXPECT_THAT(EstimateLengths(bad),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(names)));
  };
  refused([](auto& bad) { bad.counts[1] = NAN; }, "counts");
  refused([](auto& bad) { bad.counts.pop_back(); }, "counts");
  refused([](auto& bad) { bad.edges = {3, 2}; }, "edges");
  refused([](auto& bad) { bad.edges = {2, 2.5F}; }, "edges");
  refused([](auto& bad) { bad.edges = {2, INFINITY}; }, "edges");
  refused([](auto& bad) { bad.edges = {1, 2}; }, "edges");
  refused([](auto& bad) { bad.deviation = 0; }, "deviation");
  refused([](auto& bad) { bad.deviation = NAN; }, "deviation");
}

// Whether intervals hold what they say. kReleases releases of one truth are independent, so that by
// Bernstein's inequality fewer than 95 % of them hold by more than t with probability at most
// exp(−N·t²/(2·(0.0475 + t/3))) where each holds with 95 % or more. Of the 30 claims below, N =
// 20,000 and t = 0.0108 make that at most 30·2.2e-10 < 1e-8 for all of them together; that more
// than 95 % of N's intervals hold, which are neither wider nor shorter, is the same.
constexpr int kReleases = 20'000;
constexpr double kOff = 0.0108;

int64_t QuantileOf(const Units& units, double p) {
  return units[static_cast<size_t>(std::ceil(p * static_cast<double>(units.size()))) - 1];
}

struct Coverage {
  double units = 0, quartile = 0, median = 0, upper = 0, mean = 0;
  double width = 0;  // of the median's intervals, over the median
};

Coverage CoverageOf(const Units& units, int64_t most, double deviation, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> noise(0, deviation);
  const std::vector<float> edges = EdgesUpTo(most);
  const std::vector<float> exact = CountsOf(units, edges);
  double mean = 0;
  for (const int64_t words : units) mean += static_cast<double>(words);
  mean /= static_cast<double>(units.size());
  const auto holds = [](const LengthRange& told, double truth) {
    return told.low <= truth && truth <= told.high ? 1.0 / kReleases : 0;
  };
  Coverage coverage;
  for (int release = 0; release < kReleases; ++release) {
    LengthCounts counts = {exact, edges, most, deviation};
    for (float& count : counts.counts) count += static_cast<float>(noise(bits));
    const LengthEstimate told = Told(counts);
    const auto truth = [&units](double p) { return static_cast<double>(QuantileOf(units, p)); };
    coverage.units += holds(told.units, static_cast<double>(units.size()));
    if (!told.median.has_value()) continue;  // counts as intervals that do not hold
    coverage.quartile += holds(*told.lower_quartile, truth(0.25));
    coverage.median += holds(*told.median, truth(0.5));
    coverage.upper += holds(*told.upper_quartile, truth(0.75));
    coverage.mean += holds(*told.mean, mean);
    coverage.width += (told.median->high - told.median->low) / (kReleases * truth(0.5));
    EXPECT_LE(told.median->low, told.median->value);
    EXPECT_LE(told.median->value, told.median->high);
  }
  return coverage;
}

void ExpectHolds(const Coverage& coverage) {
  EXPECT_NEAR(coverage.units, 0.95, kOff);
  for (const double told : {coverage.quartile, coverage.median, coverage.upper, coverage.mean}) {
    EXPECT_GE(told, 0.95 - kOff);
  }
}

// e^{4 + normal·s}, cut to 1 and `most`.
Units LogNormal(int number, double spread, int64_t most) {
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal(4, spread);
  Units units;
  for (int i = 0; i < number; ++i) {
    units.push_back(std::clamp<int64_t>(std::llround(std::exp(normal(bits))), 1, most));
  }
  std::sort(units.begin(), units.end());
  return units;
}

TEST(LengthEstimateTest, OfDocumentsIntervalsHoldWithTheirProbability) {
  const Coverage coverage = CoverageOf(LogNormal(58'000, 0.7, 2000), 2000, 300, 1);
  ExpectHolds(coverage);
  EXPECT_LT(coverage.width, 0.45) << "and say something";
}

TEST(LengthEstimateTest, OfOwnersAFewOfWhomHaveMostWordsToo) {
  ExpectHolds(CoverageOf(LogNormal(2'200, 1.9, 1'000'000), 1'000'000, 35, 2));
}

TEST(LengthEstimateTest, OfShortTextsToo) {
  Units titles;
  for (int64_t words = 1; words <= 7; ++words) titles.insert(titles.end(), 2000, words);
  ExpectHolds(CoverageOf(titles, 10'000, 100, 3));
}

// Half of the units end where an edge is, so that the median may be on either side of it: the
// hardest that there is.
TEST(LengthEstimateTest, OfUnitsThatPartAtAnEdgeToo) {
  Units units(5'000, 2);
  units.resize(10'000, 40);
  ExpectHolds(CoverageOf(units, 100, 150, 4));
}

TEST(LengthEstimateTest, OfUnitsAllOfOneLengthToo) {
  ExpectHolds(CoverageOf(Units(10'000, 31), 100, 150, 5));
}

// Six deviations of N from where nothing is told.
TEST(LengthEstimateTest, InMuchNoiseToo) {
  ExpectHolds(CoverageOf(LogNormal(10'000, 0.7, 2000), 2000, 150, 6));
}

}  // namespace length_estimate_test
}  // namespace topicwall::lengths
