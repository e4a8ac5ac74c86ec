#include "model/prevalence/noisy_share.h"

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/model/prevalence/simulated_releases.h"

namespace topicwall::prevalence {
namespace {

// Three topics of different noise, as after a merge, in groups of one cell and of four.
PrevalenceSums Uneven() {
  return {.num_topics = 3,
          .values = {50, 31, 12, 100, 410, 90, -20, 460},
          .variances = {9, 18, 4, 25},
          .cells = {1, 4},
          .sampling = 0};
}

// Minimises (x − y)ᵀV⁻¹(x − y) with Σ_k s_k − n = 0 by one dense solve, with a multiplier.
// x is linear in y, so that the solution's covariance is that of the map.
struct Dense {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;
};

Dense DenseLeastSquares(const PrevalenceSums& sums, int64_t group) {
  const Eigen::Index size = sums.num_topics + 1;
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(sums.Row(group).data(), size);
  const Eigen::VectorXd variances = Eigen::Map<const Eigen::VectorXd>(sums.variances.data(), size) *
                                    static_cast<double>(sums.cells[static_cast<size_t>(group)]);
  Eigen::VectorXd constraint = Eigen::VectorXd::Ones(size);
  constraint[size - 1] = -1;
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(size + 1, size + 1);
  system.topLeftCorner(size, size) = variances.cwiseInverse().asDiagonal();
  system.topRightCorner(size, 1) = constraint;
  system.bottomLeftCorner(1, size) = constraint.transpose();
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(size + 1, size);
  right.topRows(size) = variances.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd map = system.fullPivLu().solve(right).topRows(size);
  return {.x = map * y, .covariance = map * variances.asDiagonal() * map.transpose()};
}

TEST(ConsistentSharesTest, AreThoseOfADenseLeastSquares) {
  const PrevalenceSums sums = Uneven();
  for (int64_t g = 0; g < 2; ++g) {
    const Dense dense = DenseLeastSquares(sums, g);
    const std::vector<NoisyShare> shares = ConsistentShares(sums, g);
    ASSERT_EQ(shares.size(), 3U);
    double total = 0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      const NoisyShare& share = shares[static_cast<size_t>(k)];
      EXPECT_NEAR(share.sum, dense.x[k], 1e-10);
      EXPECT_NEAR(share.sum_variance, dense.covariance(k, k), 1e-10);
      EXPECT_NEAR(share.covariance, dense.covariance(k, 3), 1e-10);
      EXPECT_NEAR(share.count.documents, dense.x[3], 1e-10);
      EXPECT_NEAR(share.count.variance, dense.covariance(3, 3), 1e-10);
      total += share.sum;
    }
    EXPECT_NEAR(total, shares[0].count.documents, 1e-10);
    EXPECT_NEAR(ConsistentCount(sums, g).documents, dense.x[3], 1e-10);
  }
}

TEST(ConsistentSharesTest, MergingBeforeIsMergingAfter) {
  const PrevalenceSums sums = Uneven();
  const std::vector<NoisyShare> fine = ConsistentShares(sums, 0);
  const std::vector<NoisyShare> coarse = ConsistentShares(*MergeTopics(sums, {0, 1, 0}), 0);
  EXPECT_NEAR(coarse[0].sum, fine[0].sum + fine[2].sum, 1e-12);
  EXPECT_NEAR(coarse[1].sum, fine[1].sum, 1e-12);
  EXPECT_NEAR(coarse[1].sum_variance, fine[1].sum_variance, 1e-12);
  const std::vector<NoisyShare> both = ConsistentShares(*MergeCells(sums, {0, 0}), 0);
  EXPECT_NEAR(both[2].sum, fine[2].sum + ConsistentShares(sums, 1)[2].sum, 1e-12);
}

// (s − r·n)² = z²·q(r), q of VarianceAt's formula written out again.
double Quadratic(const NoisyShare& share, double r, double z) {
  const double variance = share.sum_variance - 2 * r * share.covariance +
                          r * r * share.count.variance +
                          share.count.sampling * share.count.documents * r * (1 - r);
  return std::pow(share.sum - r * share.count.documents, 2) - z * z * variance;
}

// All documents are its, whatever the noise.
TEST(NoisyShareTest, AnOnlyTopicsShareHasNoError) {
  for (const double variance : {0.7, 3.1, 1e3 / 3, 12345.678}) {
    const double total = variance + 1.7;
    const NoisyShare share{
        .sum = 50,
        .sum_variance = variance * (1 - variance / total),
        .covariance = variance / total * 1.7,
        .count = {.documents = 50, .variance = 1.7 * (1 - 1.7 / total), .sampling = 0}};
    EXPECT_EQ(share.StandardError(), 0) << variance;
  }
}

TEST(NoisyShareTest, EndsOfAnIntervalSolveFiellersEquation) {
  for (const double sampling : {0.0, 0.7, 20.0}) {
    for (const double sum : {20.0, 50.0, 80.0}) {
      const NoisyShare share{.sum = sum,
                             .sum_variance = 9,
                             .covariance = 4,
                             .count = {.documents = 100, .variance = 30, .sampling = sampling}};
      for (const double z : {1.0, 1.96}) {
        const Interval interval = share.Within(z);
        ASSERT_GT(interval.low, 0);
        ASSERT_LT(interval.high, 1);
        EXPECT_NEAR(Quadratic(share, interval.low, z), 0, 1e-8);
        EXPECT_NEAR(Quadratic(share, interval.high, z), 0, 1e-8);
        EXPECT_LT(Quadratic(share, (interval.low + interval.high) / 2, z), 0);
        EXPECT_LT(interval.low, share.Share());
        EXPECT_GT(interval.high, share.Share());
      }
    }
  }
}

TEST(NoisyShareTest, OfManyDocumentsAnIntervalIsThatOfTheStandardError) {
  const NoisyShare share{.sum = 3e6,
                         .sum_variance = 100,
                         .covariance = 20,
                         .count = {.documents = 1e7, .variance = 50, .sampling = 0}};
  const Interval interval = share.Within(1.96);
  EXPECT_NEAR(interval.high - share.Share(), 1.96 * share.StandardError(), 1e-11);
  EXPECT_NEAR(share.Share() - interval.low, 1.96 * share.StandardError(), 1e-11);
  // √(100 − 2·0.3·20 + 0.09·50)/10⁷
  EXPECT_NEAR(share.StandardError() * 1e7, std::sqrt(92.5), 1e-9);
}

// Wilson's interval of 10 successes in 50 trials is (0.1124, 0.3304) in textbooks. At κ = 1 the
// variance of a share is p(1 − p)/n, that of n trials.
TEST(NoisyShareTest, WithoutNoiseASampleHasWilsonsInterval) {
  const NoisyShare share{.sum = 10,
                         .sum_variance = 1e-12,
                         .covariance = 0,
                         .count = {.documents = 50, .variance = 1e-12, .sampling = 1}};
  const Interval interval = share.Within(1.959963984540054);
  EXPECT_NEAR(interval.low, 0.1124, 5e-5);
  EXPECT_NEAR(interval.high, 0.3304, 5e-5);
}

TEST(NoisyShareTest, WhereTheCountMayBeNoneNothingIsSaid) {
  const NoisyShare share{.sum = 10,
                         .sum_variance = 9,
                         .covariance = 1,
                         .count = {.documents = 19, .variance = 100, .sampling = 0}};
  EXPECT_TRUE(share.count.MayBeNone(1.96));
  EXPECT_FALSE(share.count.MayBeNone(1.8));
  EXPECT_EQ(share.Within(1.96).low, 0);
  EXPECT_EQ(share.Within(1.96).high, 1);
  EXPECT_LT(share.Within(0.5).high, 1);
}

TEST(NoisyShareTest, AnEstimateBeyondAShareHasTheIntervalOfTheNearestOne) {
  NoisyShare share{.sum = 0,
                   .sum_variance = 9,
                   .covariance = 4,
                   .count = {.documents = 100, .variance = 30, .sampling = 0}};
  const Interval of_nothing = share.Within(1.96);
  EXPECT_EQ(of_nothing.low, 0);
  EXPECT_NEAR(of_nothing.high, 1.96 * 3 / 100, 0.005);
  share.sum = -30;  // ten deviations: Fieller's own set is below 0
  EXPECT_EQ(share.Within(1.96).high, of_nothing.high);
  share.sum = 130;
  EXPECT_EQ(share.Within(1.96).high, 1);
  EXPECT_GT(share.Within(1.96).low, 0.85);
  EXPECT_LT(share.Within(1.96).low, 0.95);
}

TEST(NoisyCountTest, WithinIsTheNormalIntervalWithoutSampling) {
  const NoisyCount count{.documents = 100, .variance = 100, .sampling = 0};
  EXPECT_NEAR(count.Within(2).low, 80, 1e-12);
  EXPECT_NEAR(count.Within(2).high, 120, 1e-12);
  const NoisyCount below{.documents = -100, .variance = 100, .sampling = 0};
  EXPECT_EQ(below.Within(2).low, 0);
  EXPECT_NEAR(below.Within(2).high, 20, 1e-12);
}

TEST(NoisyCountTest, EndsSolveTheEquationWithSampling) {
  const NoisyCount count{.documents = 200, .variance = 100, .sampling = 3};
  const Interval interval = count.Within(1.96);
  for (const double n : {interval.low, interval.high}) {
    EXPECT_NEAR(std::pow(200 - n, 2), 1.96 * 1.96 * (100 + 3 * n), 1e-8);
  }
  EXPECT_DOUBLE_EQ(count.StandardError(), std::sqrt(700));
}

TEST(NoisyCountTest, OfACountBelowNothingTheErrorIsThatOfTheNoise) {
  const NoisyCount below{.documents = -40, .variance = 100, .sampling = 3};
  EXPECT_EQ(below.StandardError(), 10);
}

TEST(NoisyCountTest, ACountAtTheBoundOrOfNoNumberMayBeNone) {
  EXPECT_TRUE((NoisyCount{.documents = 20, .variance = 100, .sampling = 0}).MayBeNone(2));
  EXPECT_TRUE((NoisyCount{.documents = std::nan(""), .variance = 100, .sampling = 0}).MayBeNone(2));
}

// Of some of these noises rounding makes a variance of nothing negative.
TEST(NoisyShareTest, TheOnlyTopicIsAllThereIsWhateverTheNoise) {
  for (double noise = 1; noise < 30; ++noise) {
    for (const double of_topic : {1.0, 2.0}) {
      const PrevalenceSums sums{.num_topics = 1,
                                .values = {90, 100},
                                .variances = {of_topic, noise},
                                .cells = {1},
                                .sampling = 0};
      const NoisyShare share = ConsistentShares(sums, 0)[0];
      EXPECT_DOUBLE_EQ(share.Share(), 1);
      EXPECT_NEAR(share.sum, 90 + 10 * of_topic / (of_topic + noise), 1e-9);
      EXPECT_NEAR(share.StandardError(), 0, 1e-6);
      EXPECT_NEAR(share.Within(1.96).low, 1, 1e-5);
    }
  }
}

}  // namespace
}  // namespace topicwall::prevalence
