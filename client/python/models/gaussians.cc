// A mixture of Gaussians: its numbers, and of which component vectors are (model/gaussian/).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/fit/model_file.h"
#include "client/python/arrays.h"
#include "client/python/bindings.h"
#include "client/python/errors.h"
#include "client/python/models/fitted_model.h"
#include "client/topics/component_reading.h"
#include "model/data/bounded_vector.h"
#include "model/gaussian/fitted_gaussians.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

using Matrix = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Weights; means and deviations in the units of the vectors as they were given; 95 % margins of
// weights; the norm bound.
py::tuple ComponentsIn(const FittedModel& model) {
  gaussian::Components components = ComponentsAsGiven(model.file);
  std::vector<double> margins;
  for (const ReadComponent& read : ReadComponents(model.file))
    margins.push_back(read.margin.value_or(std::nan("")));
  // From here on the vector holds deviations.
  for (double& variance : components.variances) variance = std::sqrt(variance);
  const auto count = static_cast<py::ssize_t>(components.weights.size());
  const auto dimension = static_cast<py::ssize_t>(model.file.vocabulary_size());
  return py::make_tuple(Given(std::move(components.weights), {count}),
                        Given(std::move(components.means), {count, dimension}),
                        Given(std::move(components.variances), {count, dimension}),
                        Given(std::move(margins), {count}), model.file.gaussian().norm_bound());
}

struct Assigned {
  std::vector<int64_t> components;
  std::vector<double> probabilities;
  std::vector<double> log_densities;
};

absl::StatusOr<Assigned> Assign(const v1::ModelFile& file, absl::Span<const double> vectors) {
  const auto dimension = static_cast<size_t>(file.vocabulary_size());
  const gaussian::FittedGaussians fitted(ComponentsOf(file));
  Assigned assigned;
  std::vector<float> scaled(dimension);
  for (size_t row = 0; row * dimension < vectors.size(); ++row) {
    // By the rule of ingestion, which shortens vectors beyond the bound: compared as the corpus's
    // own were.
    if (!model::ScaleToBound(vectors.subspan(row * dimension, dimension),
                             file.gaussian().norm_bound(), absl::MakeSpan(scaled))) {
      return absl::InvalidArgumentError(
          absl::StrCat("vectors must be of finite numbers; row ", row, " (from 0) is not."));
    }
    const gaussian::Assignment found = fitted.Assign(scaled);
    assigned.components.push_back(static_cast<int64_t>(found.component) + 1);
    assigned.probabilities.push_back(found.probability);
    assigned.log_densities.push_back(found.log_density);
  }
  return assigned;
}

py::tuple AssignRows(const FittedModel& model, const Matrix& vectors) {
  const auto dimension = static_cast<py::ssize_t>(model.file.vocabulary_size());
  if (vectors.ndim() != 2 || vectors.shape(1) != dimension) {
    throw py::value_error(
        absl::StrCat("vectors must be an array (n, ", dimension, "), as those of the corpus."));
  }
  const absl::Span<const double> values(vectors.data(), static_cast<size_t>(vectors.size()));
  Assigned found = ValueOrThrow(Unlocked([&] { return Assign(model.file, values); }));
  const py::ssize_t rows = vectors.shape(0);
  return py::make_tuple(Given(std::move(found.components), {rows}),
                        Given(std::move(found.probabilities), {rows}),
                        Given(std::move(found.log_densities), {rows}));
}

}  // namespace

void BindGaussians(py::module_& module) {
  module.def("is_gaussian", [](const FittedModel& model) { return model.file.has_gaussian(); });
  module.def("gaussian_components", &ComponentsIn, py::arg("model"));
  module.def("assign_vectors", &AssignRows, py::arg("model"), py::arg("vectors"));
}

}  // namespace topicwall::client
