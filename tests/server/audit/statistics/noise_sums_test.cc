#include "server/audit/statistics/noise_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "server/audit/statistics/statistical_bounds.h"

namespace topicwall::audit {
namespace {

// A release whose entries are all `value` times σC, with σ = 2.
ReceivedRelease Constant(double value) {
  ReceivedRelease release;
  release.statistics.assign(std::size_t{NoiseWorld::kTopics} * NoiseWorld::kTerms,
                            static_cast<float>(value * 2 * NoiseWorld::kClipNorm));
  for (int bin = 0; bin < 48; ++bin) release.header.add_norm_histogram(static_cast<float>(value));
  return release;
}

TEST(NoiseSumsTest, CountInUnitsOfThePaidNoise) {
  NoiseSums sums(2, 0.5);
  const ReceivedRelease with = Constant(3);
  const ReceivedRelease without = Constant(-1);
  sums.Add({.with = with, .without = without, .replays_are_equal = true});
  EXPECT_DOUBLE_EQ(sums.noise.value(), 1);          // of 3 and -1
  EXPECT_DOUBLE_EQ(sums.noise_squared.value(), 5);  // of 9 and 1
  EXPECT_DOUBLE_EQ(sums.between_walls.value(), -3);
  EXPECT_DOUBLE_EQ(sums.histogram_noise_squared.value(), 20);  // of 6² and 2²
  EXPECT_EQ(sums.trials, NoiseWorld::kCanaries);
  EXPECT_EQ(sums.true_positives, NoiseWorld::kCanaries);
  EXPECT_EQ(sums.false_positives, 0);
  EXPECT_DOUBLE_EQ(sums.histogram_shift.value(), 4.0 / NoiseWorld::kCanaries);
  EXPECT_EQ(sums.between_releases.n, 0) << "no pair yet";
}

TEST(NoiseSumsTest, APairOfReleasesGivesProductsAndDifferences) {
  NoiseSums sums(2);
  const ReceivedRelease other = Constant(0.5);
  for (const double value : {3.0, -1.0}) {
    const ReceivedRelease with = Constant(value);
    sums.Add({.with = with, .without = other, .replays_are_equal = value > 0});
  }
  EXPECT_DOUBLE_EQ(sums.between_releases.value(), -3);
  EXPECT_DOUBLE_EQ(sums.document_noise_squared.value(), 8);  // (3 - -1)² / 2
  EXPECT_EQ(sums.releases, 2);
  EXPECT_EQ(sums.replays_that_differ, 1);
  EXPECT_EQ(sums.releases_twice, 1) << "the second wall gave the same twice";
  EXPECT_GT(sums.WorstDistance(std::log(1e9)), 1) << "entries that are all alike";
}

}  // namespace
}  // namespace topicwall::audit
