#include "model/gaussian/component_estimate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/gaussian/gaussian_parameters.h"

namespace topicwall::gaussian {
namespace {

// Of an equal share of all vectors, below which a component could not come back.
constexpr double kLeastShare = 1.0 / 50;
// Of what is common to all components, and of the whole.
constexpr double kLeastOfCommon = 0.1;
constexpr double kLeastOfWhole = 0.05;

// An entry as it was found, what it is drawn toward, and the variance of its noise.
struct NoisyEntry {
  double found;
  double toward;
  double noise;
  double size;  // of its component
};

// Toward the common value, by the variance between components that noise does not explain (A or B
// of the header). Where that is nothing, every entry becomes the common one.
std::vector<double> Shrunk(const std::vector<NoisyEntry>& entries) {
  double between = 0;
  double total = 0;
  for (const NoisyEntry& entry : entries) {
    const double deviation = entry.found - entry.toward;
    between += entry.size * (deviation * deviation - entry.noise);
    total += entry.size;
  }
  between = std::max(0.0, between / total);
  std::vector<double> shrunk;
  shrunk.reserve(entries.size());
  for (const NoisyEntry& entry : entries) {
    const double all = between + entry.noise;
    // Without noise and without differences both are 0, and so is what would be shrunk.
    const double factor = all > 0 ? between / all : 1;
    shrunk.push_back(entry.toward + factor * (entry.found - entry.toward));
  }
  return shrunk;
}

// Shares of the noisy counts, none below `least` of all: Euclid's projection on those (Duchi et
// al., "Efficient projections onto the l1-ball", 2008).
std::vector<double> SharesOf(const std::vector<double>& counts, double total, double least) {
  std::vector<double> above;  // the least one
  above.reserve(counts.size());
  for (const double count : counts) above.push_back(count / total - least);
  std::vector<double> sorted = above;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double taken = 0, sum = 0;  // from each that stays above
  for (size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double from_each =
        (sum - 1 + static_cast<double>(counts.size()) * least) / static_cast<double>(i + 1);
    if (!(sorted[i] > from_each)) break;
    taken = from_each;
  }
  for (double& share : above) share = least + std::max(0.0, share - taken);
  return above;
}

// The mean of vectors of the unit ball is in it, and they are from it by no more than from 0.
void HoldWithinBound(size_t dimension, Components& components) {
  const auto scale = [dimension](std::vector<double>& values, size_t first, double factor) {
    for (size_t j = 0; j < dimension; ++j) values[first + j] *= factor;
  };
  for (size_t first = 0; first < components.means.size(); first += dimension) {
    double norm = 0, variance = 0;
    for (size_t j = 0; j < dimension; ++j) {
      norm = std::hypot(norm, components.means[first + j]);
      variance += components.variances[first + j];
    }
    if (norm > 1) scale(components.means, first, 1 / norm);
    if (variance > 1) scale(components.variances, first, 1 / variance);
  }
}

}  // namespace

double WeightDeviation(double weight, size_t num_components, double count_deviation) {
  const double others = static_cast<double>(num_components - 1);
  return std::sqrt((1 - weight) * (1 - weight) + others * weight * weight) * count_deviation;
}

std::vector<float> ParametersOf(const Components& components) {
  const size_t dimension = components.means.size() / components.weights.size();
  std::vector<float> parameters;
  parameters.reserve(components.weights.size() * (2 * dimension + 1));
  for (size_t k = 0; k < components.weights.size(); ++k) {
    parameters.push_back(static_cast<float>(std::log(components.weights[k])));
    for (size_t j = 0; j < dimension; ++j) {
      parameters.push_back(static_cast<float>(components.means[k * dimension + j]));
    }
    for (size_t j = 0; j < dimension; ++j) {
      parameters.push_back(static_cast<float>(1 / components.variances[k * dimension + j]));
    }
  }
  return parameters;
}

ComponentEstimate::ComponentEstimate(size_t num_components, size_t dimension)
    : num_components_(num_components), dimension_(dimension) {}

absl::StatusOr<ComponentEstimate> ComponentEstimate::Create(size_t num_components, size_t dimension,
                                                            State state) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  const NoiseDeviations& noise = state.variances;
  const size_t size = num_components * (2 * dimension + 1);
  const bool is_sound = (state.averages.empty() || state.averages.size() == size) &&
                        std::all_of(state.averages.begin(), state.averages.end(), is_finite) &&
                        is_finite(noise.counts + noise.sums + noise.squares) &&
                        std::min({noise.counts, noise.sums, noise.squares}) >= 0;
  if (!is_sound) {
    return absl::InvalidArgumentError(
        absl::StrCat("an estimate's averages must be ", size, " finite numbers or none, and its ",
                     "variances finite and at least 0; got ", state.averages.size(), "."));
  }
  ComponentEstimate estimate(num_components, dimension);
  estimate.state_ = std::move(state);
  return estimate;
}

absl::Status ComponentEstimate::Update(const Reading& reading) {
  const size_t size = num_components_ * (2 * dimension_ + 1);
  if (reading.statistics.size() != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("a release must have ", size, " numbers; got ", reading.statistics.size()));
  }
  for (const float value : reading.statistics) {
    if (!std::isfinite(value)) return absl::InvalidArgumentError("a release must be finite.");
  }
  const bool first = state_.averages.empty();
  // Nothing is touched before this line: a release that is refused leaves the average as it was.
  state_.averages.resize(size);
  // The first release is the average: there is nothing before it to weigh it against.
  const double step = first ? 1 : reading.step_size;
  for (size_t i = 0; i < size; ++i) {
    state_.averages[i] +=
        step * (reading.statistics[i] / reading.sampling_rate - state_.averages[i]);
  }
  const auto average = [&](double deviation, double* variance) {
    const double noise = deviation / reading.sampling_rate;
    // As the average itself moves, by independent noises.
    *variance = (1 - step) * (1 - step) * *variance + step * step * noise * noise;
  };
  average(reading.deviations.counts, &state_.variances.counts);
  average(reading.deviations.sums, &state_.variances.sums);
  average(reading.deviations.squares, &state_.variances.squares);
  return absl::OkStatus();
}

std::vector<double> ComponentEstimate::Whole(size_t first, double total) const {
  std::vector<double> whole(dimension_);
  for (size_t k = 0; k < num_components_; ++k) {
    const double* row = state_.averages.data() + k * (2 * dimension_ + 1) + first;
    for (size_t j = 0; j < dimension_; ++j) whole[j] += row[j] / total;
  }
  return whole;
}

double ComponentEstimate::Vectors() const {
  double total = 0;
  for (size_t i = 0; i < state_.averages.size(); i += 2 * dimension_ + 1) {
    total += state_.averages[i];
  }
  return total;
}

double ComponentEstimate::CountDeviation() const {
  return std::sqrt(state_.variances.counts) / Vectors();
}

absl::StatusOr<Components> ComponentEstimate::Estimate() const {
  const size_t columns = 2 * dimension_ + 1;
  const double total = Vectors();
  if (!(total > 0)) {
    return absl::FailedPreconditionError(
        "the releases' counts must be more than noise; all together they are not above 0. Spend "
        "more on each release.");
  }
  const double least = kLeastShare / static_cast<double>(num_components_);
  std::vector<double> counts, sizes;
  double sum = 0;
  for (size_t i = 0; i < state_.averages.size(); i += columns) {
    counts.push_back(state_.averages[i]);
    sizes.push_back(std::max(counts.back(), least * total));
    sum += sizes.back();
  }
  const std::vector<double> mean = Whole(1, total);
  const std::vector<double> square = Whole(1 + dimension_, total);
  std::vector<NoisyEntry> means, variances;
  std::vector<double> common(dimension_);
  std::vector<double> common_noise(dimension_);  // its variance, of the sums
  for (size_t k = 0; k < num_components_; ++k) {
    const double* row = state_.averages.data() + k * columns;
    // Not below its least share, so that no sum is divided by a count that is mostly noise.
    const double n = sizes[k];
    for (size_t j = 0; j < dimension_; ++j) {
      const double m = row[1 + j] / n;
      const double noise = state_.variances.sums / (n * n);
      means.push_back({.found = m, .toward = mean[j], .noise = noise, .size = n});
      // The square of a noisy mean is too large by its noise, which is added back.
      const double v = row[1 + dimension_ + j] / n - m * m + noise;
      variances.push_back({.found = v,
                           .toward = 0,
                           // Of Q/n, and of (S/n)² to first order: the derivative 2m, squared.
                           .noise = state_.variances.squares / (n * n) + 4 * m * m * noise,
                           .size = n});
      common[j] += n * v / sum;
      common_noise[j] += state_.variances.squares + 4 * m * m * state_.variances.sums;
    }
  }
  for (size_t j = 0; j < dimension_; ++j) {
    // Never below a share of the whole's variance or below its own noise: a variance of about 0
    // would draw all vectors to one component.
    const double whole = square[j] - mean[j] * mean[j];
    common[j] = std::max(
        {common[j], kLeastOfWhole * whole, std::sqrt(common_noise[j]) / total, kLeastVariance});
  }
  for (size_t i = 0; i < variances.size(); ++i) variances[i].toward = common[i % dimension_];
  Components components = {.weights = SharesOf(counts, total, least),
                           .means = Shrunk(means),
                           .variances = Shrunk(variances)};
  for (size_t i = 0; i < components.variances.size(); ++i) {
    components.variances[i] =
        std::max(components.variances[i], kLeastOfCommon * common[i % dimension_]);
  }
  HoldWithinBound(dimension_, components);
  for (double& variance : components.variances) variance = std::max(variance, kLeastVariance);
  return components;
}

}  // namespace topicwall::gaussian
