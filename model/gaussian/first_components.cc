#include "model/gaussian/first_components.h"

#include <cmath>
#include <numbers>
#include <random>

namespace topicwall::gaussian {
namespace {

// Box and Muller's: the draws of std::normal_distribution are every library's own.
double Normal(std::mt19937_64& engine) {
  // Half a step up, so that it is never 0, whose logarithm is none.
  const auto uniform = [&engine] { return (static_cast<double>(engine() >> 11) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace

Components FirstComponents(const Components& whole, const FirstOptions& options) {
  const auto all = static_cast<size_t>(options.num_components);
  const size_t known = options.earlier.weights.size();
  Components first = options.earlier;
  // As much of the whole as there are components of it.
  for (double& weight : first.weights) {
    weight *= static_cast<double>(known) / static_cast<double>(all);
  }
  double spread = 0;
  for (const double variance : whole.variances) {
    spread += variance / static_cast<double>(whole.variances.size());
  }
  // Of means that are all that was given.
  for (double& variance : first.variances) {
    if (std::isinf(variance)) variance = spread;
  }
  std::mt19937_64 engine(options.seed);
  for (size_t k = known; k < all; ++k) {
    first.weights.push_back(1.0 / static_cast<double>(all));
    for (size_t j = 0; j < whole.means.size(); ++j) {
      first.means.push_back(whole.means[j] + std::sqrt(whole.variances[j]) * Normal(engine));
    }
    first.variances.insert(first.variances.end(), whole.variances.size(), spread);
  }
  return first;
}

}  // namespace topicwall::gaussian
