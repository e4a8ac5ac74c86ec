// Whether intervals of prevalence_estimate.h hold what they say, on releases whose truth is known.
//
// Groups and releases are independent; the topics of a group are not. What a group covers, as a
// share of its topics, has a variance of at most c(1 − c) at mean c, so that by Bernstein the mean
// of N groups is off by more than t with probability at most 2·exp(−N·t²/(2(c(1 − c) + t/3))).
// Below, c(1 − c) <= 0.0475 for c >= 0.95, and every t makes that at most 1e-8:
//   N = 50,000: t = 0.0064     N = 10,000: t = 0.0148     N = 4,000 whole releases: t = 0.0247
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "model/prevalence/prevalence_estimate.h"
#include "tests/model/prevalence/simulated_releases.h"

namespace topicwall::prevalence {
namespace coverage_test {

constexpr double kOf50000 = 0.0064;
constexpr double kOf10000 = 0.0148;
constexpr double kOf4000 = 0.0247;

struct Coverage {
  double intervals = 0;  // each by itself
  double counts = 0;     // of documents
  double together = 0;   // all simultaneous ones of a release
  double none = 0;       // groups that say nothing
  double cut = 0;        // intervals that end at 0 or 1
};

void AddRelease(const std::vector<GroupPrevalence>& groups, const Truth& truth, double num_releases,
                Coverage& coverage) {
  const double of_groups = 1 / (num_releases * static_cast<double>(groups.size()));
  const double of_intervals = of_groups / truth.num_topics;
  bool all = true;
  for (size_t g = 0; g < groups.size(); ++g) {
    const Interval& count = groups[g].documents_interval;
    coverage.counts += of_groups * Holds(count.low, count.high, truth.documents[g]);
    coverage.none += of_groups * groups[g].none;
    for (size_t k = 0; k < groups[g].topics.size(); ++k) {
      const TopicPrevalence& topic = groups[g].topics[k];
      const double share = truth.shares[g][k];
      coverage.intervals += of_intervals * Holds(topic.interval.low, topic.interval.high, share);
      coverage.cut += of_intervals * (topic.interval.low == 0 || topic.interval.high == 1);
      all = all && Holds(topic.simultaneous.low, topic.simultaneous.high, share);
    }
  }
  coverage.together += all / num_releases;
}

Coverage Simulated(const Truth& truth, int num_releases, uint64_t seed) {
  Draws draws(seed);
  Coverage coverage;
  for (int i = 0; i < num_releases; ++i) {
    AddRelease(EstimatePrevalence(SumsOf(Release(truth, draws), truth)), truth, num_releases,
               coverage);
  }
  return coverage;
}

PrevalenceNoise Noise() {
  return {.topic_deviation = 20, .count_deviation = 30, .sampling_rate = 1};
}

// 50 groups of five topics, 1,000 releases.
Coverage OfSize(double documents, uint64_t seed) {
  return Simulated(TurningShares(50, documents, {.1, .15, .2, .25, .3}, Noise()), 1000, seed);
}

TEST(CoverageTest, OfLargeGroupsIntervalsCover95Percent) {
  const Coverage coverage = OfSize(20000, 1);
  EXPECT_EQ(coverage.cut, 0);
  EXPECT_NEAR(coverage.intervals, 0.95, kOf50000);
  EXPECT_NEAR(coverage.counts, 0.95, kOf50000);
}

TEST(CoverageTest, OfMediumGroupsIntervalsCover95Percent) {
  const Coverage coverage = OfSize(1000, 2);
  EXPECT_LT(coverage.cut, 0.001) << "noise is a fifth of the smallest topic";
  EXPECT_NEAR(coverage.intervals, 0.95, kOf50000);
  EXPECT_NEAR(coverage.counts, 0.95, kOf50000);
}

// The count is 3 deviations of its noise, a topic is one: where p ± 1.96 errors goes wrong.
TEST(CoverageTest, OfSmallGroupsIntervalsCoverAtLeast95Percent) {
  const Coverage coverage = OfSize(80, 3);
  EXPECT_GT(coverage.cut, 0.5);
  EXPECT_GT(coverage.none, 0.05);
  EXPECT_LT(coverage.none, 0.25);
  EXPECT_GE(coverage.intervals, 0.95 - kOf50000);
  EXPECT_NEAR(coverage.counts, 0.95, kOf50000) << "cut at 0, which is no truth";
}

TEST(CoverageTest, OfGroupsWithoutADocumentNearlyAllSayNothing) {
  Truth truth = TurningShares(50, 0, {.5, .5}, Noise());
  const Coverage coverage = Simulated(truth, 1000, 4);
  EXPECT_GE(coverage.none, 0.975 - kOf50000) << "one tail of two";
}

// A deviation of the count that is far above that of the topics', few of them: uneven noise, where
// neither the count nor the sum of topics is to be believed alone. Then merged.
TEST(CoverageTest, UnevenNoiseAndMergedGroupsCover95Percent) {
  Truth truth = TurningShares(100, 1500, {.3, .3, .3, .1},
                              {.topic_deviation = 20, .count_deviation = 300, .sampling_rate = 1});
  Draws draws(5);
  Coverage coverage;
  std::vector<int64_t> pairs;
  for (int64_t g = 0; g < 100; ++g) pairs.push_back(g / 2);
  Truth merged{.num_topics = 2, .documents = {}, .shares = {}, .noise = truth.noise};
  for (size_t g = 0; g < 100; g += 2) {
    merged.documents.push_back(3000);
    const double first = (truth.shares[g][0] + truth.shares[g][2] + truth.shares[g + 1][0] +
                          truth.shares[g + 1][2]) /
                         2;
    merged.shares.push_back({first, 1 - first});
  }
  for (int i = 0; i < 1000; ++i) {
    const PrevalenceSums coarse =
        *MergeTopics(*MergeCells(SumsOf(Release(truth, draws), truth), pairs), {0, 1, 0, 1});
    AddRelease(EstimatePrevalence(coarse), merged, 1000, coverage);
  }
  EXPECT_NEAR(coverage.intervals, 0.95, kOf50000);
  EXPECT_NEAR(coverage.counts, 0.95, kOf50000);
}

TEST(CoverageTest, SimultaneousIntervalsHoldAllTogether) {
  for (const double documents : {80., 1000., 20000.}) {
    const Coverage coverage =
        Simulated(TurningShares(10, documents, {.1, .15, .2, .25, .3}, Noise()), 4000, 6);
    EXPECT_GE(coverage.together, 0.95 - kOf4000) << documents;
    EXPECT_GE(coverage.intervals, 0.94);
  }
}

// Units of documents that are all alike, which is the worst that they can be.
using Unit = std::vector<double>;              // θ of its documents
using Units = std::vector<std::vector<Unit>>;  // of each group

// Of one topic each, or as sparse as a Dirichlet of small α: sixth powers of exponentials.
Unit MadeUnit(const std::vector<double>& shares, bool of_one_topic, Draws& draws) {
  Unit theta;
  for (const double share : shares) theta.push_back(share * std::pow(draws.Exponential(), 6));
  const auto largest = std::max_element(theta.begin(), theta.end());
  const double sum = std::accumulate(theta.begin(), theta.end(), 0.0);
  if (of_one_topic) {
    const auto topic = static_cast<size_t>(largest - theta.begin());
    theta.assign(theta.size(), 0);
    theta[topic] = 1;
  } else {
    for (double& one : theta) one /= sum;
  }
  return theta;
}

// As many as the truth has; its shares become theirs.
Units MadeUnits(Truth& truth, bool of_one_topic, Draws& draws) {
  Units units(truth.shares.size());
  for (size_t g = 0; g < units.size(); ++g) {
    const auto num_units =
        static_cast<int64_t>(truth.documents[g]) / truth.noise.documents_per_unit;
    std::vector<double> mean(truth.shares[g].size());
    for (int64_t u = 0; u < num_units; ++u) {
      units[g].push_back(MadeUnit(truth.shares[g], of_one_topic, draws));
      for (size_t k = 0; k < mean.size(); ++k) {
        mean[k] += units[g].back()[k] / static_cast<double>(num_units);
      }
    }
    truth.shares[g] = mean;
  }
  return units;
}

std::vector<float> SampledRelease(const Units& units, const Truth& truth, Draws& draws) {
  const auto documents = static_cast<double>(truth.noise.documents_per_unit);
  std::vector<float> release;
  for (const std::vector<Unit>& group : units) {
    std::vector<double> sums(static_cast<size_t>(truth.num_topics) + 1);
    for (const Unit& theta : group) {
      if (draws.Uniform() >= truth.noise.sampling_rate) continue;
      for (size_t k = 0; k < theta.size(); ++k) sums[k] += documents * theta[k];
      sums.back() += documents;
    }
    for (size_t k = 0; k < sums.size(); ++k) {
      const double deviation =
          k + 1 < sums.size() ? truth.noise.topic_deviation : truth.noise.count_deviation;
      release.push_back(static_cast<float>(sums[k] + deviation * draws.Normal()));
    }
  }
  return release;
}

// 10 groups of 400 units and four topics, 1,000 times the mean of two releases.
Coverage OfSamples(int64_t documents_per_unit, bool of_one_topic, uint64_t seed) {
  Draws draws(seed);
  Truth truth = TurningShares(10, 400. * static_cast<double>(documents_per_unit), {.2, .3, .4, .5},
                              {.topic_deviation = 5,
                               .count_deviation = 8,
                               .sampling_rate = 0.3,
                               .documents_per_unit = documents_per_unit});
  const Units units = MadeUnits(truth, of_one_topic, draws);
  Coverage coverage;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<float> first = SampledRelease(units, truth, draws);
    const std::vector<float> second = SampledRelease(units, truth, draws);
    AddRelease(EstimatePrevalence(*SumsOfReleases({first, second}, 4, 10, truth.noise)), truth,
               1000, coverage);
  }
  return coverage;
}

TEST(CoverageTest, OfSamplesOfMixedDocumentsIntervalsCoverAtLeast95Percent) {
  const Coverage coverage = OfSamples(1, /*of_one_topic=*/false, 7);
  EXPECT_GE(coverage.intervals, 0.95 - kOf10000);
  EXPECT_NEAR(coverage.counts, 0.95, kOf10000) << "a document counts as one, whatever it is about";
}

// There the bound is an equality: no wider than they must be.
TEST(CoverageTest, OfSamplesOfDocumentsOfOneTopicIntervalsCover95Percent) {
  for (const int64_t documents_per_unit : {1, 5}) {
    const Coverage coverage = OfSamples(documents_per_unit, /*of_one_topic=*/true, 8);
    EXPECT_NEAR(coverage.intervals, 0.95, kOf10000) << documents_per_unit;
    EXPECT_NEAR(coverage.counts, 0.95, kOf10000) << documents_per_unit;
  }
}

}  // namespace coverage_test
}  // namespace topicwall::prevalence
