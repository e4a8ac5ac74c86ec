#include "model/gaussian/expected_components.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::gaussian {
namespace {

// An average one first: the quote's line is of it.
constexpr double kSizes[] = {1, 0.5, 0.1};

absl::Status CheckPositive(absl::string_view name, double value) {
  if (value > 0 && std::isfinite(value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be positive and finite; got ", value, "."));
}

}  // namespace

absl::StatusOr<ExpectedComponents> ExpectComponents(const MixtureAssumption& assumption,
                                                    const NoiseDeviations& noise,
                                                    double all_counts) {
  TW_RETURN_IF_ERROR(CheckPositive("number of vectors", assumption.num_vectors));
  TW_RETURN_IF_ERROR(CheckPositive("dimension", assumption.dimension));
  TW_RETURN_IF_ERROR(CheckPositive("components", assumption.num_components));
  TW_RETURN_IF_ERROR(CheckPositive("noise of counts", noise.counts));
  TW_RETURN_IF_ERROR(CheckPositive("noise of sums", noise.sums));
  TW_RETURN_IF_ERROR(CheckPositive("noise of all counts", all_counts));
  ExpectedComponents expected = {.counts_signal = assumption.num_vectors / all_counts, .sizes = {}};
  for (const double size : kSizes) {
    const double vectors = size * assumption.num_vectors / assumption.num_components;
    const double weight_error = WeightDeviation(size / assumption.num_components,
                                                static_cast<size_t>(assumption.num_components),
                                                noise.counts / assumption.num_vectors);
    const double error = noise.sums / vectors;
    expected.sizes.push_back({.vectors = vectors,
                              .weight_error = weight_error,
                              .mean_error = error,
                              .signal = 1 / (error * std::sqrt(assumption.dimension))});
  }
  return expected;
}

}  // namespace topicwall::gaussian
