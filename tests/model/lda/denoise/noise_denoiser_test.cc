#include "model/lda/denoise/noise_denoiser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace noise_denoiser_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// ∫ of density·x^power over x >= 0 for the prior e^(−x/μ)/μ and an error N(0, τ²), in long double
// by the trapezoid rule on a grid that is fine against both.
struct Integrals {
  long double mass = 0, first = 0, second = 0;
};
Integrals Integrate(long double y, long double tau, long double mu, int steps_per_length = 200) {
  Integrals sums;
  // All but 1e-17 of the posterior is within 12 deviations of y, and above 0; where y is far below
  // 0 it falls from 0 on with a length of at most mu.
  const long double end = std::max(y, 0.0L) + 12 * tau;
  const long double fine = std::min({tau, mu, tau * tau / (std::fabs(y) + tau)}) / steps_per_length;
  const long long steps = static_cast<long long>(end / fine) + 1;
  const long double step = end / steps;
  for (long long i = 0; i <= steps; ++i) {
    const long double x = step * i;
    const long double off = (y - x) / tau;
    const long double density =
        (i == 0 || i == steps ? 0.5L : 1.0L) * std::exp(-x / mu - off * off / 2) / mu;
    sums.mass += density;
    sums.first += density * x;
    sums.second += density * x * x;
  }
  sums.mass *= step;
  sums.first *= step;
  sums.second *= step;
  return sums;
}

NoisyTopics View(int num_topics, const std::vector<float>& values, const std::vector<float>& tau) {
  return {.num_topics = num_topics,
          .vocabulary_size = static_cast<int>(tau.size()),
          .values = values,
          .noise_deviations = tau};
}

TEST(NoiseDenoiserTest, WithoutEmIsThePosteriorOfTheEvenMixture) {
  const std::vector<double> ratios = {.05, 1, 8};
  const std::vector<float> values = {-3, 0, 1, 4, 25, 60, 13, 0.5, -8, 40};
  const std::vector<float> tau = {2, 3, 1, 6, 10};
  const std::vector<double> p = {.1, .3, .05, .35, .2};
  ASSERT_OK_AND_ASSIGN(const auto denoised,
                       Denoise(View(2, values, tau), p,
                               {.ratios = ratios, .num_term_types = 1, .em_iterations = 0}));
  const long double masses[] = {27, 105.5};
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t v = i % tau.size();
    Integrals sum;
    for (const double ratio : ratios) {
      const Integrals part = Integrate(values[i], tau[v], ratio * masses[i / 5] * p[v]);
      sum.mass += part.mass;
      sum.first += part.first;
      sum.second += part.second;
    }
    const long double mean = sum.first / sum.mass;
    const long double deviation = std::sqrt(sum.second / sum.mass - mean * mean);
    EXPECT_NEAR(denoised.means[i] / static_cast<double>(mean), 1, 2e-5) << i;
    EXPECT_NEAR(denoised.deviations[i] / static_cast<double>(deviation), 1, 2e-5) << i;
  }
}

// Entries drawn from the model itself: x ~ ½ Exp(.1·base) + ½ Exp(5·base), y = x + noise.
struct Planted {
  static constexpr int kTopics = 20, kTerms = 1000;
  std::vector<float> truth, noisy, tau;
  std::vector<double> p;

  Planted() : tau(kTerms, 3), p(kTerms, 1.0 / kTerms) {
    std::mt19937_64 engine(7);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal;
    for (int i = 0; i < kTopics * kTerms; ++i) {
      const double mean = uniform(engine) < 0.5 ? .4 : 20;
      truth.push_back(static_cast<float>(-mean * std::log(1 - uniform(engine))));
      noisy.push_back(truth.back() + static_cast<float>(3 * normal(engine)));
    }
  }
};

double SquaredError(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

TEST(NoiseDenoiserTest, FindsTheMixtureAndReachesTheErrorOfOneWhoKnowsIt) {
  const Planted planted;
  const NoisyTopics noisy = View(Planted::kTopics, planted.noisy, planted.tau);
  ASSERT_OK_AND_ASSIGN(const auto denoised, Denoise(noisy, planted.p, {}));
  // The Bayes rule of the true prior, by quadrature, on every tenth entry: no rule has a smaller
  // expected error.
  double best = 0, found = 0, clamped = 0;
  for (size_t i = 0; i < planted.noisy.size(); i += 10) {
    const double y = planted.noisy[i], truth = planted.truth[i];
    const Integrals low = Integrate(y, 3, .4L, 10), high = Integrate(y, 3, 20, 10);
    const auto rule = static_cast<double>((low.first + high.first) / (low.mass + high.mass));
    best += (rule - truth) * (rule - truth);
    found += (denoised.means[i] - truth) * (denoised.means[i] - truth);
    clamped += (std::max(y, 0.0) - truth) * (std::max(y, 0.0) - truth);
  }
  EXPECT_LT(found, 1.02 * best);
  EXPECT_GT(clamped, 1.2 * best);
}

TEST(NoiseDenoiserTest, ItsDeviationsAreTheSizeOfItsErrors) {
  const Planted planted;
  ASSERT_OK_AND_ASSIGN(const auto denoised,
                       Denoise(View(Planted::kTopics, planted.noisy, planted.tau), planted.p, {}));
  double expected = 0;
  for (const float deviation : denoised.deviations) expected += deviation * deviation;
  expected /= static_cast<double>(denoised.deviations.size());
  // 20,000 squared errors of about 8 with a deviation of their own of about 12: the mean has a
  // standard error of 1 %.
  EXPECT_NEAR(SquaredError(denoised.means, planted.truth) / expected, 1, 0.06);
}

// Of every two terms that follow each other, both are where one is: the ratios of Planted, drawn
// for pairs of terms.
Planted PlantedPairs() {
  Planted planted;
  std::mt19937_64 engine(8);
  std::normal_distribution<double> normal;
  for (size_t i = 0; i < planted.truth.size(); i += 2) {
    const double size = planted.truth[i];
    for (const size_t j : {i, i + 1}) {
      planted.truth[j] = static_cast<float>(size);
      planted.noisy[j] = static_cast<float>(size + 3 * normal(engine));
    }
  }
  return planted;
}

// Every term with the one `away` from it.
RelatedTerms PairsAway(uint32_t away) {
  RelatedTerms related;
  for (uint32_t v = 0; v + away < Planted::kTerms; v += 2) {
    related.push_back({.first = v, .second = v + away, .kind = 3});
  }
  return related;
}

double ErrorWith(const Planted& planted, const RelatedTerms& related) {
  const auto denoised = Denoise(View(Planted::kTopics, planted.noisy, planted.tau), planted.p,
                                {.related_terms = related});
  EXPECT_OK(denoised);
  return SquaredError(denoised->means, planted.truth);
}

// Two equal readings have the error of noise of 3/√2 where sizes are told well, some 60 % of that
// of one; the coupling knows ratios and no sizes, which is worth a part of it.
TEST(NoiseDenoiserTest, WhatNoiseHidesOfATermItsFormsShow) {
  const Planted planted = PlantedPairs();
  const double alone = ErrorWith(planted, {});
  EXPECT_LT(ErrorWith(planted, PairsAway(1)), 0.93 * alone);
  // Those that only look related change nothing that one would notice.
  EXPECT_NEAR(ErrorWith(planted, PairsAway(501)) / alone, 1, 0.01);
}

TEST(NoiseDenoiserTest, ATermThatIsExactlyKnownTellsItsFormsNothing) {
  Planted planted = PlantedPairs();
  for (size_t v = 1; v < planted.tau.size(); v += 2) planted.tau[v] = 0;
  const NoisyTopics noisy = View(Planted::kTopics, planted.noisy, planted.tau);
  const auto alone = Denoise(noisy, planted.p, {});
  const RelatedTerms pairs = PairsAway(1);
  const auto together = Denoise(noisy, planted.p, {.related_terms = pairs});
  ASSERT_OK(alone);
  ASSERT_OK(together);
  EXPECT_EQ(alone->means, together->means);
}

TEST(NoiseDenoiserTest, WithoutNoiseItOnlyCutsAtZero) {
  const std::vector<float> values = {3, -1, 0, 5};
  ASSERT_OK_AND_ASSIGN(const auto denoised, Denoise(View(2, values, {0, 0}), {.5, .5}, {}));
  EXPECT_THAT(denoised.means, ElementsAre(3, 0, 0, 5));
  EXPECT_THAT(denoised.deviations, Each(0));
}

TEST(NoiseDenoiserTest, LargeSignalsStayAndTermsDrownedInNoiseAreDrawnToTheUnigram) {
  // Term 0 is clear; terms 1 … 99 have a noise a hundred times what the unigram says of them.
  std::vector<float> values(100, 0), tau(100, 100);
  std::vector<double> p(100, 0.5 / 99);
  values[0] = 1e5;
  tau[0] = 10;
  p[0] = 0.5;
  values[1] = 250;
  values[2] = -250;
  ASSERT_OK_AND_ASSIGN(const auto denoised, Denoise(View(1, values, tau), p, {}));
  EXPECT_NEAR(denoised.means[0], 1e5, 20);
  EXPECT_LT(denoised.means[2], denoised.means[3]);
  EXPECT_LT(denoised.means[3], denoised.means[1]);
}

TEST(NoiseDenoiserTest, ThreadsChangeNoBits) {
  const Planted planted;
  const NoisyTopics noisy = View(Planted::kTopics, planted.noisy, planted.tau);
  std::vector<double> p;
  for (int v = 0; v < Planted::kTerms; ++v) p.push_back(1.0 / (v + 1));
  double sum = 0;
  for (const double x : p) sum += x;
  for (double& x : p) x /= sum;
  const RelatedTerms related = PairsAway(1);
  ASSERT_OK_AND_ASSIGN(const auto one,
                       Denoise(noisy, p, {.related_terms = related, .num_threads = 1}));
  ASSERT_OK_AND_ASSIGN(const auto three,
                       Denoise(noisy, p, {.related_terms = related, .num_threads = 3}));
  EXPECT_EQ(one.means, three.means);
  EXPECT_EQ(one.deviations, three.deviations);
}

TEST(NoiseDenoiserTest, StaysFiniteAtTheEdges) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  for (const float tau : {1e-30F, 1.0F, 1e30F}) {
    for (const float scale : {1e-30F, 1.0F, 1e30F}) {
      const std::vector<float> values = {scale, -scale, 0, 2 * scale};
      ASSERT_OK_AND_ASSIGN(const auto denoised,
                           Denoise(View(2, values, {tau, tau}), {1 - 1e-12, 1e-12}, {}));
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(denoised.means[i] >= 0 && denoised.means[i] <= kHuge) << tau << " " << scale;
        EXPECT_TRUE(denoised.deviations[i] >= 0 && denoised.deviations[i] <= kHuge);
      }
    }
  }
  // Nothing but noise below zero: no topic has a mass.
  ASSERT_OK_AND_ASSIGN(const auto negative, Denoise(View(1, {-5, -7}, {1, 1}), {.5, .5}, {}));
  EXPECT_THAT(negative.means, Each(Ge(0.0F)));
}

TEST(NoiseDenoiserTest, RefusesByName) {
  const std::vector<float> values = {1, 2}, tau = {1, 1};
  const NoisyTopics good = View(1, values, tau);
  const auto with_ratios = [&](std::vector<double> ratios) {
    return Denoise(good, {.5, .5}, {.ratios = std::move(ratios)});
  };
  EXPECT_OK(with_ratios({1}));
  for (const std::vector<double>& bad : {std::vector<double>{},
                                         {1, 1},
                                         {2, 1},
                                         {0},
                                         {1e7},
                                         {std::nan("")},
                                         std::vector<double>(33, 1)}) {
    EXPECT_THAT(with_ratios(bad), StatusIs(kInvalid, HasSubstr("ratios")));
  }
  EXPECT_THAT(Denoise(good, {.5, .5}, {.em_iterations = -1}),
              StatusIs(kInvalid, HasSubstr("em_iterations")));
  const RelatedTerms beyond = {{.first = 1, .second = 2, .kind = 0}};
  EXPECT_THAT(Denoise(good, {.5, .5}, {.related_terms = beyond}),
              StatusIs(kInvalid, HasSubstr("related_terms")));
  EXPECT_THAT(Denoise(good, {.5, .4}, {}), StatusIs(kInvalid, HasSubstr("sum to 1")));
  EXPECT_THAT(Denoise(View(1, {1, NAN}, tau), {.5, .5}, {}),
              StatusIs(kInvalid, HasSubstr("term 1")));
}

}  // namespace noise_denoiser_test
}  // namespace topicwall::lda
