#include "model/gaussian/fitted_gaussians.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace topicwall::gaussian {
namespace {

double LogSumExp(const std::vector<double>& logs) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  // Far from all means every density is 0 in a double; their ratios are not.
  for (const double x : logs) sum += std::exp(x - largest);
  return largest + std::log(sum);
}

}  // namespace

Components WholeOf(const Components& components) {
  const size_t dimension = components.means.size() / components.weights.size();
  Components whole = {.weights = {1},
                      .means = std::vector<double>(dimension),
                      .variances = std::vector<double>(dimension)};
  double total = 0;
  for (const double weight : components.weights) total += weight;
  for (size_t i = 0; i < components.means.size(); ++i) {
    whole.means[i % dimension] += components.weights[i / dimension] / total * components.means[i];
  }
  for (size_t i = 0; i < components.means.size(); ++i) {
    // Of a mixture: the mean of the variances, and the variance of the means.
    const double apart = components.means[i] - whole.means[i % dimension];
    whole.variances[i % dimension] +=
        components.weights[i / dimension] / total * (components.variances[i] + apart * apart);
  }
  return whole;
}

FittedGaussians::FittedGaussians(Components components) : components_(std::move(components)) {
  const size_t dimension = components_.means.size() / components_.weights.size();
  for (size_t k = 0; k < components_.weights.size(); ++k) {
    double constant = std::log(components_.weights[k]);
    for (size_t j = 0; j < dimension; ++j) {
      constant -= 0.5 * std::log(2 * std::numbers::pi * components_.variances[k * dimension + j]);
    }
    constants_.push_back(constant);
  }
}

std::vector<double> FittedGaussians::LogJoint(absl::Span<const float> x) const {
  std::vector<double> logs = constants_;
  for (size_t k = 0; k < logs.size(); ++k) {
    for (size_t j = 0; j < x.size(); ++j) {
      const double apart = x[j] - components_.means[k * x.size() + j];
      logs[k] -= 0.5 * apart * apart / components_.variances[k * x.size() + j];
    }
  }
  return logs;
}

double FittedGaussians::LogDensity(absl::Span<const float> x) const {
  return LogSumExp(LogJoint(x));
}

Assignment FittedGaussians::Assign(absl::Span<const float> x) const {
  const std::vector<double> logs = LogJoint(x);
  const auto best = std::max_element(logs.begin(), logs.end());
  const double density = LogSumExp(logs);
  return {.component = static_cast<size_t>(best - logs.begin()),
          .probability = std::exp(*best - density),
          .log_density = density};
}

}  // namespace topicwall::gaussian
