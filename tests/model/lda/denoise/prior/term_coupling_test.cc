#include "model/lda/denoise/prior/term_coupling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace topicwall::lda {
namespace term_coupling_test {

constexpr size_t kRatios = 3;
using Matrix = std::vector<double>;  // kRatios×kRatios

// Beliefs of pairs whose ratios come together as `joint` says, each seen so clearly: the belief of
// a uniform prior after a reading that is right with probability `clear`.
CouplingSamples Planted(const Matrix& joint, double clear, int pairs) {
  std::mt19937_64 engine(11);
  std::discrete_distribution<size_t> both(joint.begin(), joint.end());
  std::vector<double> of_one(kRatios, 0);
  for (size_t i = 0; i < joint.size(); ++i) of_one[i / kRatios] += joint[i];
  const auto believe = [&](size_t ratio) {
    const bool right = std::bernoulli_distribution(clear)(engine);
    const size_t read =
        right ? ratio : (ratio + 1 + std::uniform_int_distribution<size_t>(0, 1)(engine)) % kRatios;
    std::vector<double> belief;
    double sum = 0;
    for (size_t j = 0; j < kRatios; ++j) {
      belief.push_back(of_one[j] * (j == read ? clear : (1 - clear) / 2));
      sum += belief.back();
    }
    for (double& b : belief) b /= sum;
    return belief;
  };
  CouplingSamples samples(kRatios);
  for (int i = 0; i < pairs; ++i) {
    const size_t drawn = both(engine);
    samples.Add(believe(drawn / kRatios), believe(drawn % kRatios));
  }
  return samples;
}

// 40,000 pairs read with 80 % tell an entry of 0.1 and more to some 2 %, a deviation.
TEST(TermCouplingTest, WhatRelatedTermsHaveInCommonIsFoundFromBlurredBeliefs) {
  const Matrix joint = {.30, .08, .02, .08, .22, .05, .02, .05, .18};
  const std::vector<double> of_one = {.40, .35, .25};
  const TermCoupling found = TermCoupling::Fit(Planted(joint, .8, 40'000), 200);
  for (size_t j = 0; j < kRatios; ++j) {
    for (size_t h = 0; h < kRatios; ++h) {
      EXPECT_NEAR(found.r()[j * kRatios + h], joint[j * kRatios + h] / (of_one[j] * of_one[h]),
                  0.15)
          << j << " " << h;
    }
  }
}

TEST(TermCouplingTest, TermsThatOnlyLookRelatedAreFoundToSayNothing) {
  Matrix joint;
  for (const double j : {.5, .3, .2}) {
    for (const double h : {.5, .3, .2}) joint.push_back(j * h);
  }
  const TermCoupling found = TermCoupling::Fit(Planted(joint, .8, 40'000), 200);
  for (const double r : found.r()) EXPECT_NEAR(r, 1, 0.15);
}

TEST(TermCouplingTest, WithoutSamplesTermsSayNothingOfOneAnother) {
  const TermCoupling coupling = TermCoupling::Fit(CouplingSamples(kRatios), 8);
  for (const double r : coupling.r()) EXPECT_EQ(r, 1);
}

TEST(TermCouplingTest, AMessageIsTheSumOverTheOthersRatios) {
  const TermCoupling found =
      TermCoupling::Fit(Planted({.4, .05, .05, .05, .2, .05, .05, .05, .1}, .9, 1000), 8);
  const std::vector<double> belief = {.7, .2, .1}, before = {.2, .3, .5};
  std::vector<double> message = before, expected;
  found.Multiply(belief, absl::MakeSpan(message));
  double largest = 0;
  for (size_t j = 0; j < kRatios; ++j) {
    double sum = 0;
    for (size_t h = 0; h < kRatios; ++h) sum += found.r()[j * kRatios + h] * belief[h];
    expected.push_back(before[j] * sum);
    largest = std::fmax(largest, expected.back());
  }
  for (size_t j = 0; j < kRatios; ++j) EXPECT_NEAR(message[j], expected[j] / largest, 1e-14);
}

}  // namespace term_coupling_test
}  // namespace topicwall::lda
