// Releases as the wall would make them, of shares that are known: the truth that intervals are held
// to. Normal noise by Box and Muller from mt19937_64, so that a seed says all.
#ifndef TOPICWALL_TESTS_MODEL_PREVALENCE_SIMULATED_RELEASES_H_
#define TOPICWALL_TESTS_MODEL_PREVALENCE_SIMULATED_RELEASES_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "model/prevalence/prevalence_sums.h"

namespace topicwall::prevalence {

class Draws {
 public:
  explicit Draws(uint64_t seed) : bits_(seed) {}

  // In (0, 1).
  double Uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53; }
  double Normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    const double angle = 2 * std::numbers::pi * Uniform();
    has_spare_ = true;
    spare_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }
  double Exponential() { return -std::log(Uniform()); }

 private:
  std::mt19937_64 bits_;
  bool has_spare_ = false;
  double spare_ = 0;
};

// What is behind the wall.
struct Truth {
  int num_topics;                           // K
  std::vector<double> documents;            // n_g
  std::vector<std::vector<double>> shares;  // p_gk, each row sums to 1
  PrevalenceNoise noise;
};

// Every cell of `cells` has `documents`; its shares are those of `shares`, turned by one a cell.
inline Truth TurningShares(int cells, double documents, const std::vector<double>& shares,
                           const PrevalenceNoise& noise) {
  Truth truth{.num_topics = static_cast<int>(shares.size()),
              .documents = std::vector<double>(static_cast<size_t>(cells), documents),
              .shares = {},
              .noise = noise};
  for (size_t g = 0; g < static_cast<size_t>(cells); ++g) {
    std::vector<double> row;
    for (size_t k = 0; k < shares.size(); ++k) row.push_back(shares[(k + g) % shares.size()]);
    truth.shares.push_back(row);
  }
  return truth;
}

// One release, noise added to the sums of all documents. ν = 1.
inline std::vector<float> Release(const Truth& truth, Draws& draws) {
  std::vector<float> release;
  for (size_t g = 0; g < truth.documents.size(); ++g) {
    for (const double share : truth.shares[g]) {
      release.push_back(static_cast<float>(share * truth.documents[g] +
                                           truth.noise.topic_deviation * draws.Normal()));
    }
    release.push_back(
        static_cast<float>(truth.documents[g] + truth.noise.count_deviation * draws.Normal()));
  }
  return release;
}

inline PrevalenceSums SumsOf(const std::vector<float>& release, const Truth& truth) {
  return *SumsOfReleases({release}, truth.num_topics, static_cast<int64_t>(truth.documents.size()),
                         truth.noise);
}

inline bool Holds(double low, double high, double truth) { return low <= truth && truth <= high; }

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_TESTS_MODEL_PREVALENCE_SIMULATED_RELEASES_H_
