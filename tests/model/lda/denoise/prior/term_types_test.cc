#include "model/lda/denoise/prior/term_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace topicwall::lda {
namespace {

// EM of the mixture of mixtures written down plainly, in long double and without any of the
// shortcuts: sums over all (type, ratio) of probabilities, products over topics.
class PlainEm {
 public:
  PlainEm(const std::vector<double>& log_ratios, size_t num_types)
      : shares_(num_types, 1.0L / static_cast<long double>(num_types)),
        weights_(num_types, std::vector<long double>(log_ratios.size())) {
    for (size_t s = 0; s < num_types; ++s) {
      const long double fall = num_types == 1 ? 0
                                              : 1.5L * static_cast<long double>(num_types - 1 - s) /
                                                    static_cast<long double>(num_types - 1);
      long double sum = 0;
      for (size_t j = 0; j < log_ratios.size(); ++j) {
        sum += weights_[s][j] = std::exp(-fall * std::fabs(log_ratios[j]));
      }
      for (long double& weight : weights_[s]) weight /= sum;
    }
  }

  std::vector<long double> Posterior(const EntryLikelihoods& x, size_t term) const {
    std::vector<long double> posterior = shares_;
    long double sum = 0;
    for (size_t s = 0; s < shares_.size(); ++s) {
      for (size_t k = 0; k < x.num_topics; ++k) posterior[s] *= Entry(x, term, k, s);
      sum += posterior[s];
    }
    for (long double& p : posterior) p /= sum;
    return posterior;
  }

  void Iterate(const EntryLikelihoods& x) {
    const size_t terms = x.values.size() / x.num_topics / x.num_ratios;
    std::vector<long double> of_types(shares_.size(), 1);
    std::vector<std::vector<long double>> counts(shares_.size(),
                                                 std::vector<long double>(x.num_ratios, 1));
    for (size_t v = 0; v < terms; ++v) {
      const std::vector<long double> posterior = Posterior(x, v);
      for (size_t s = 0; s < shares_.size(); ++s) {
        of_types[s] += posterior[s];
        for (size_t k = 0; k < x.num_topics; ++k) {
          for (size_t j = 0; j < x.num_ratios; ++j) {
            counts[s][j] += posterior[s] * weights_[s][j] * At(x, v, k, j) / Entry(x, v, k, s);
          }
        }
      }
    }
    for (size_t s = 0; s < shares_.size(); ++s) {
      shares_[s] = of_types[s] / static_cast<long double>(terms + shares_.size());
      long double sum = 0;
      for (const long double count : counts[s]) sum += count;
      for (size_t j = 0; j < x.num_ratios; ++j) weights_[s][j] = counts[s][j] / sum;
    }
  }

  long double share(size_t s) const { return shares_[s]; }
  long double weight(size_t s, size_t j) const { return weights_[s][j]; }

 private:
  static long double At(const EntryLikelihoods& x, size_t v, size_t k, size_t j) {
    return x.values[(v * x.num_topics + k) * x.num_ratios + j];
  }
  long double Entry(const EntryLikelihoods& x, size_t v, size_t k, size_t s) const {
    long double sum = 0;
    for (size_t j = 0; j < x.num_ratios; ++j) sum += weights_[s][j] * At(x, v, k, j);
    return sum;
  }

  std::vector<long double> shares_;
  std::vector<std::vector<long double>> weights_;
};

EntryLikelihoods Random(uint64_t seed, size_t terms, size_t topics, size_t ratios) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<float> uniform(0.01F, 1);
  EntryLikelihoods x = {.num_topics = topics, .num_ratios = ratios, .values = {}};
  for (size_t entry = 0; entry < terms * topics; ++entry) {
    const size_t likely = engine() % ratios;
    for (size_t j = 0; j < ratios; ++j) x.values.push_back(j == likely ? 1 : uniform(engine));
  }
  return x;
}

TEST(TermTypesTest, AgreesWithEmWrittenDownPlainly) {
  const std::vector<double> log_ratios = {-2, 0.1, 1.5};
  for (const int num_types : {1, 2, 3}) {
    const EntryLikelihoods x = Random(7, 40, 6, 3);
    PlainEm plain(log_ratios, static_cast<size_t>(num_types));
    for (int iterations = 0; iterations <= 20; ++iterations) {
      const TermTypes types = TermTypes::Fit(x, log_ratios, num_types, iterations);
      for (size_t s = 0; s < types.num_types(); ++s) {
        EXPECT_NEAR(types.share(s), static_cast<double>(plain.share(s)), 1e-10);
        for (size_t j = 0; j < 3; ++j) {
          EXPECT_NEAR(types.weights(s)[j], static_cast<double>(plain.weight(s, j)), 1e-10);
        }
      }
      plain.Iterate(x);
    }
  }
}

TEST(TermTypesTest, APosteriorOfManyTopicsNeitherUnderflowsNorLosesTheType) {
  // A thousand entries, each 1000 times as likely under the second ratio: products far below the
  // smallest double.
  const std::vector<double> log_ratios = {0, 5};
  EntryLikelihoods x = {.num_topics = 1000, .num_ratios = 2, .values = {}};
  for (int k = 0; k < 1000; ++k) x.values.insert(x.values.end(), {1e-3F, 1});
  const TermTypes types = TermTypes::Fit(x, log_ratios, 2, 0);
  std::vector<double> posterior;
  types.Posterior(x.values, &posterior);
  EXPECT_NEAR(posterior[0] + posterior[1], 1, 1e-12);
  EXPECT_GT(posterior[1], 1 - 1e-12);  // the flat type, which gives the second ratio 1/2
}

TEST(TermTypesTest, ABeliefIsTheMixtureOfWhatEachTypeSaysOfTheEntry) {
  const TermTypes types =
      TermTypes::Fit({.num_topics = 1, .num_ratios = 3, .values = {}}, {-2.0, 0.0, 1.0}, 2, 0);
  const std::vector<double> posterior = {.3, .7};
  const float likelihoods[] = {.2F, 1, .6F};
  std::vector<double> belief = {9, 9, 9};
  types.Believe(posterior, likelihoods, absl::MakeSpan(belief));
  std::vector<double> expected(3, 0);
  for (size_t s = 0; s < 2; ++s) {
    double sum = 0;
    for (size_t j = 0; j < 3; ++j) sum += types.weights(s)[j] * likelihoods[j];
    for (size_t j = 0; j < 3; ++j) {
      expected[j] += posterior[s] * types.weights(s)[j] * likelihoods[j] / sum;
    }
  }
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(belief[j], expected[j], 1e-14);
  EXPECT_NEAR(belief[0] + belief[1] + belief[2], 1, 1e-14);
}

TEST(TermTypesTest, TellsEvenTermsFromThoseOfFewTopics) {
  // Half of the terms have ratio 1 in all of 10 topics, half ratio 0.03 in nine and 20 in one.
  const std::vector<double> log_ratios = {std::log(.03), 0, std::log(20.0)};
  EntryLikelihoods x = {.num_topics = 10, .num_ratios = 3, .values = {}};
  for (size_t v = 0; v < 200; ++v) {
    for (size_t k = 0; k < 10; ++k) {
      const size_t ratio = v < 100 ? 1 : (k == v % 10 ? 2 : 0);
      // Little can be told of an entry by itself.
      for (size_t j = 0; j < 3; ++j) x.values.push_back(j == ratio ? 1 : 0.4F);
    }
  }
  const TermTypes types = TermTypes::Fit(x, log_ratios, 2, 100);
  std::vector<double> posterior;
  int wrong = 0;
  for (size_t v = 0; v < 200; ++v) {
    types.Posterior(absl::MakeConstSpan(x.values).subspan(v * 30, 30), &posterior);
    wrong += (posterior[0] > 0.5) == (v < 100) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(types.weights(0)[1], 0.9);
  EXPECT_GT(types.weights(1)[0], 0.7);
}

}  // namespace
}  // namespace topicwall::lda
