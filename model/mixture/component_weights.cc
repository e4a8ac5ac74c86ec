#include "model/mixture/component_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace topicwall::mixture {
namespace {

constexpr double kLeastOfEqualShare = 0.02;

template <typename Number>
bool AllFinite(absl::Span<const Number> values) {
  return std::all_of(values.begin(), values.end(), [](Number x) { return std::isfinite(x); });
}

}  // namespace

absl::StatusOr<NoisyMixture> Split(absl::Span<const float> statistics, int num_components) {
  const auto rows = static_cast<size_t>(std::max(num_components, 1));
  const size_t length = statistics.size() / rows;
  if (num_components < 1 || length < 2 || length * rows != statistics.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a release of ", num_components,
                                                   " components must be as many rows of at least 2 "
                                                   "numbers; got ",
                                                   statistics.size(), " numbers"));
  }
  NoisyMixture noisy;
  noisy.words.reserve(statistics.size() - rows);
  for (size_t k = 0; k < rows; ++k) {
    const absl::Span<const float> row = statistics.subspan(k * length, length);
    noisy.words.insert(noisy.words.end(), row.begin(), row.end() - 1);
    // The last column is the document itself (mixture_model.cc).
    noisy.documents.push_back(row.back());
  }
  return noisy;
}

std::vector<float> WithWeights(absl::Span<const float> log_topics,
                               absl::Span<const double> probabilities) {
  const size_t terms = log_topics.size() / probabilities.size();
  std::vector<float> parameters;
  parameters.reserve(log_topics.size() + probabilities.size());
  for (size_t k = 0; k < probabilities.size(); ++k) {
    const absl::Span<const float> row = log_topics.subspan(k * terms, terms);
    parameters.insert(parameters.end(), row.begin(), row.end());
    // Rounding may put a sum of 1 above it, and parameters are at most 0.
    parameters.push_back(std::min(0.0F, static_cast<float>(std::log(probabilities[k]))));
  }
  return parameters;
}

absl::StatusOr<ComponentWeights> ComponentWeights::Create(int num_components,
                                                          std::vector<double> averages) {
  const auto components = static_cast<size_t>(std::max(num_components, 0));
  if (components >= 1 && (averages.empty() || averages.size() == components) &&
      AllFinite<double>(averages)) {
    return ComponentWeights(num_components, std::move(averages));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("counts of components must be none or ", num_components,
                   ", all finite, and there must be a component; got ", averages.size()));
}

ComponentWeights::ComponentWeights(int num_components, std::vector<double> averages)
    : num_components_(num_components), averages_(std::move(averages)) {}

absl::Status ComponentWeights::Update(const Reading& reading) {
  const auto components = static_cast<size_t>(num_components_);
  if (reading.documents.size() != components || !AllFinite(reading.documents)) {
    return absl::InvalidArgumentError(absl::StrCat("a release must have ", num_components_,
                                                   " finite counts of documents; got ",
                                                   reading.documents.size()));
  }
  // The first release stands alone: before it there is nothing to average with.
  const double step = averages_.empty() ? 1 : reading.step_size;
  averages_.resize(components);
  for (size_t k = 0; k < components; ++k) {
    averages_[k] += step * (reading.documents[k] / reading.sampling_rate - averages_[k]);
  }
  return absl::OkStatus();
}

std::vector<double> ComponentWeights::Probabilities() const {
  const auto components = static_cast<size_t>(num_components_);
  const double total = std::accumulate(averages_.begin(), averages_.end(), 0.0);
  std::vector<double> probabilities(components, 1.0 / num_components_);
  // Counts that are all noise say nothing of any component: all are as likely.
  if (averages_.empty() || !(total > 0)) return probabilities;
  // A component at 0 would be given no document again, whatever the noise of one release was.
  const double least = kLeastOfEqualShare * total / num_components_;
  double sum = 0;
  for (size_t k = 0; k < components; ++k) sum += std::max(averages_[k], least);
  for (size_t k = 0; k < components; ++k) {
    probabilities[k] = std::max(averages_[k], least) / sum;
  }
  return probabilities;
}

}  // namespace topicwall::mixture
