#include "model/prevalence/noisy_share.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "absl/types/span.h"

namespace topicwall::prevalence {
namespace {

// What does not add up in a group, of which every number takes its part.
struct Residual {
  double cells;       // of the group
  double difference;  // d
  double variance;    // T
};

Residual ResidualOf(const PrevalenceSums& sums, int64_t group) {
  const absl::Span<const double> row = sums.Row(group);
  const auto cells = static_cast<double>(sums.cells[static_cast<size_t>(group)]);
  return {.cells = cells,
          .difference = row.back() - std::accumulate(row.begin(), row.end() - 1, 0.0),
          .variance = cells * std::accumulate(sums.variances.begin(), sums.variances.end(), 0.0)};
}

}  // namespace

// A count that noise took below 0 has no sampling error of its own.
double NoisyCount::StandardError() const {
  return std::sqrt(variance + sampling * std::max(documents, 0.0));
}

// The roots of n² − (2·documents + z²κ)·n + documents² − z²·variance.
Interval NoisyCount::Within(double z) const {
  const double seen = std::max(documents, 0.0);
  const double shift = z * sampling / 2;
  const double middle = seen + z * shift;
  const double half = z * std::sqrt(variance + sampling * seen + shift * shift);
  return {.low = std::max(middle - half, 0.0), .high = middle + half};
}

bool NoisyCount::MayBeNone(double z) const { return !(documents > z * std::sqrt(variance)); }

double NoisyShare::VarianceAt(double r) const {
  const double noise = sum_variance - 2 * r * covariance + r * r * count.variance;
  // Of an only topic it is 0 at r = 1, of which rounding may leave something, of either sign.
  constexpr double kOfRounding = 1e-13;
  const bool is_none = noise < kOfRounding * (sum_variance + r * r * count.variance);
  return (is_none ? 0.0 : noise) + count.sampling * std::max(count.documents, 0.0) * r * (1 - r);
}

double NoisyShare::StandardError() const {
  return std::sqrt(VarianceAt(std::clamp(Share(), 0.0, 1.0))) / std::abs(count.documents);
}

// The roots of a·r² − 2b·r + c. At r = s/n in [0, 1] it is −z²·q(r) < 0, and a > 0: there are two.
Interval NoisyShare::Within(double z) const {
  // First of all: it is what makes a > 0 below, and the set of r an interval.
  if (count.MayBeNone(z)) return {.low = 0, .high = 1};
  const double n = count.documents;
  const double s = std::clamp(sum, 0.0, n);
  const double drawn = count.sampling * n;
  const double a = n * n - z * z * (count.variance - drawn);
  const double b = s * n - z * z * (covariance - drawn / 2);
  const double c = s * s - z * z * sum_variance;
  const double half = std::sqrt(std::max(b * b - a * c, 0.0));
  return {.low = std::clamp((b - half) / a, 0.0, 1.0),
          .high = std::clamp((b + half) / a, 0.0, 1.0)};
}

NoisyCount ConsistentCount(const PrevalenceSums& sums, int64_t group) {
  const Residual residual = ResidualOf(sums, group);
  // v_n of the group: noises of merged cells add up.
  const double noise = sums.variances.back() * residual.cells;
  const double part = noise / residual.variance;
  return {.documents = sums.Row(group).back() - part * residual.difference,
          .variance = noise * (1 - part),
          .sampling = sums.sampling};
}

std::vector<NoisyShare> ConsistentShares(const PrevalenceSums& sums, int64_t group) {
  const Residual residual = ResidualOf(sums, group);
  const absl::Span<const double> row = sums.Row(group);
  const NoisyCount count = ConsistentCount(sums, group);
  const double count_noise = sums.variances.back() * residual.cells;
  std::vector<NoisyShare> shares;
  for (size_t k = 0; k + 1 < row.size(); ++k) {
    const double noise = sums.variances[k] * residual.cells;
    const double part = noise / residual.variance;
    shares.push_back({.sum = row[k] + part * residual.difference,
                      .sum_variance = noise * (1 - part),
                      .covariance = part * count_noise,
                      .count = count});
  }
  return shares;
}

}  // namespace topicwall::prevalence
