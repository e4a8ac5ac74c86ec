#include "server/audit/statistics/draw_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace topicwall::audit {
namespace {

// Exponents that Chernoff's bound is tried with: any of them is valid.
constexpr int kExponents = 300;

// ln E exp(s Z²), Z the binomial number of units drawn in standard deviations from its mean.
class SquareOfBinomial {
 public:
  SquareOfBinomial(int units, double rate) {
    const double deviation = std::sqrt(units * rate * (1 - rate));
    for (int k = 0; k <= units; ++k) {
      const double z = (k - units * rate) / deviation;
      squares_.push_back(z * z);
      log_weights_.push_back(std::lgamma(units + 1.0) - std::lgamma(k + 1.0) -
                             std::lgamma(units - k + 1.0) + k * std::log(rate) +
                             (units - k) * std::log1p(-rate));
    }
  }

  double LogMoment(double s) const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < squares_.size(); ++k) {
      largest = std::max(largest, log_weights_[k] + s * squares_[k]);
    }
    double sum = 0;
    for (std::size_t k = 0; k < squares_.size(); ++k) {
      sum += std::exp(log_weights_[k] + s * squares_[k] - largest);
    }
    return largest + std::log(sum);
  }

 private:
  std::vector<double> squares_;
  std::vector<double> log_weights_;
};

}  // namespace

void DrawSums::Add(const std::vector<bool>& drawn) {
  ++releases_;
  int64_t batch = 0;
  for (std::size_t unit = 0; unit < drawn.size(); ++unit) {
    if (!drawn[unit]) continue;
    ++batch;
    ++drawn_of_unit_[unit];
  }
  drawn_ += batch;
  const auto units = static_cast<double>(drawn.size());
  const double off = static_cast<double>(batch) - units * rate_;
  batch_scatter_ += off * off / (units * rate_ * (1 - rate_));
  for (std::size_t unit = 0; unit + 1 < drawn.size(); unit += 2) {
    ++unit_pairs_;
    if (drawn[unit] == drawn[unit + 1]) ++units_alike_;
  }
  if (releases_ % 2 == 0) {
    for (std::size_t unit = 0; unit < drawn.size(); ++unit) {
      ++release_pairs_;
      if (drawn[unit] == last_[unit]) ++releases_alike_;
    }
  }
  last_ = drawn;
}

Interval BatchScatterBounds(int64_t releases, int units, double rate, double x) {
  const SquareOfBinomial square(units, rate);
  const double share = x / static_cast<double>(releases);
  Interval bounds = {.low = 0, .high = std::numeric_limits<double>::infinity()};
  for (int i = 0; i < kExponents; ++i) {
    const double s = std::pow(10, -4 + 8.0 * i / kExponents);
    bounds.high = std::min(bounds.high, (square.LogMoment(s) + share) / s);
    bounds.low = std::max(bounds.low, -(square.LogMoment(-s) + share) / s);
  }
  return bounds;
}

}  // namespace topicwall::audit
