// A vector is a document of 2d + 1 terms, of which term v has (1, x, x²)_v words, and a component's
// log density is a row of weights of these terms: so responsibilities and the merging of a unit's
// vectors are those of documents.
#include "model/gaussian/gaussian_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/data/bounded_vector.h"
#include "model/gaussian/gaussian_parameters.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/math/array_math_choice.h"
#include "model/mixture/responsibilities.h"
#include "model/mixture/unit_responsibilities.h"
#include "proto/models/gaussian.pb.h"

namespace topicwall::gaussian {
namespace {

using mixture::Responsibilities;
using mixture::UnitResponsibilities;

// Weights of (1, x, x²) in log r: a − ½p x² + p m x, with a = log π + Σ ½(log p − p m²).
std::vector<float> WeightsOf(const GaussianShape& shape, absl::Span<const float> parameters) {
  const auto columns = static_cast<size_t>(shape.columns());
  const auto dimension = static_cast<size_t>(shape.dimension);
  std::vector<float> weights(parameters.size());
  for (size_t begin = 0; begin < parameters.size(); begin += columns) {
    const float* from = parameters.data() + begin;
    float* to = weights.data() + begin;
    double constant = LogWeightIn(from[0]);
    for (size_t j = 1; j <= dimension; ++j) {
      const double mean = MeanIn(from[j]);
      const double precision = PrecisionIn(from[j + dimension]);
      constant += 0.5 * (lda::FastestArrayMath().log(precision) - precision * mean * mean);
      to[j] = static_cast<float>(precision * mean);
      to[j + dimension] = static_cast<float>(-0.5 * precision);
    }
    to[0] = static_cast<float>(constant);
  }
  return weights;
}

mixture::UnitColumns ColumnsOf(const GaussianShape& shape, const model::UnitLimits& limits) {
  const auto columns = static_cast<size_t>(shape.columns());
  return {.of_document = columns,
          .of_unit = columns,
          .of_all = columns,
          .several_documents = limits.max_documents > 1};
}

struct FitShape : GaussianShape {
  model::WorstUnit Worst(const model::UnitLimits& limits) const {
    const auto components = static_cast<size_t>(num_components);
    const auto terms = static_cast<size_t>(columns());
    const size_t bytes = UnitResponsibilities::BytesReserved(components, ColumnsOf(*this, limits)) +
                         terms * sizeof(float);
    // Parameters, and for a moment their weights beside the table.
    const size_t all =
        Responsibilities::BytesOfTable(components, terms) + 2 * components * terms * sizeof(float);
    return {.columns = columns(),
            .rows = num_components,
            .bytes_of_thread = static_cast<int64_t>(bytes),
            .bytes_of_all = static_cast<int64_t>(all)};
  }
};

class GaussianUnitInference final : public UnitResponsibilities {
 public:
  GaussianUnitInference(const Responsibilities* e_step, const GaussianShape& shape,
                        const model::UnitLimits& limits)
      : UnitResponsibilities(e_step, ColumnsOf(shape, limits)),
        dimension_(static_cast<size_t>(shape.dimension)),
        features_(static_cast<size_t>(shape.columns())) {
    // All there are, in every vector.
    for (uint32_t column = 0; column < columns_.size(); ++column) columns_[column] = {column, 1};
  }

 private:
  bool InferDocument(const model::UnitDocument& document) override {
    const absl::Span<const float> vector = document.vector;
    // A longer vector than was promised would be clipped, but first infer by numbers that no bound
    // holds for.
    if (vector.size() != dimension_ || !model::IsWithinBound(vector)) return false;
    features_[0] = 1;
    for (size_t j = 0; j < dimension_; ++j) {
      features_[1 + j] = vector[j];
      features_[1 + dimension_ + j] = vector[j] * vector[j];
    }
    e_step_.InferFeatures(features_, workspace_);
    return true;
  }

  const size_t dimension_;
  std::vector<float> features_;  // 1, x, x²
};

class GaussianInference final : public model::Shaped<model::Inference, FitShape> {
 public:
  GaussianInference(const FitShape& shape, Responsibilities e_step)
      : Shaped(shape), e_step_(std::move(e_step)) {}

  absl::string_view kernel_name() const override { return e_step_.kernel_name(); }
  std::unique_ptr<model::UnitInference> NewThread(const model::UnitLimits& limits) const override {
    return std::make_unique<GaussianUnitInference>(&e_step_, shape_, limits);
  }

 private:
  const Responsibilities e_step_;
};

class GaussianModel final : public model::Shaped<model::StatisticModel, FitShape> {
 public:
  using Shaped::Shaped;

  model::Demand demand() const override {
    return {.parameters = shape_.size(), .iterations = 1, .needs_weights = true};
  }
  absl::Status Check(absl::Span<const float> parameters) const override {
    return CheckGaussianParameters(shape_, parameters);
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> parameters,
                                                         int num_threads) const override {
    TW_RETURN_IF_ERROR(CheckGaussianParameters(shape_, parameters));
    const std::vector<float> weights = WeightsOf(shape_, parameters);
    return std::make_unique<GaussianInference>(
        shape_, Responsibilities({.num_topics = shape_.num_components,
                                  .vocabulary_size = shape_.columns(),
                                  .values = weights},
                                 lda::ChosenKernel(), num_threads));
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeGaussianModel(
    absl::string_view options, const model::CorpusShape& corpus) {
  TW_ASSIGN_OR_RETURN(const GaussianShape shape,
                      ParseGaussianShape(options, corpus.vector_dimension));
  return std::make_unique<GaussianModel>(FitShape{shape});
}

// All components alike, so that every one is listed.
absl::StatusOr<std::vector<model::WorstCase>> WorstGaussians(const model::AnalystLimits& limits) {
  const int64_t columns = 2 * int64_t{limits.vector_dimension} + 1;
  // Limits count parameters over V terms, whatever a model's own columns are.
  const int64_t most = limits.parameters_per_term * limits.vocabulary_size / columns;
  v1::GaussianOptions options;
  options.set_num_components(static_cast<int32_t>(std::clamp<int64_t>(most, 1, INT32_MAX)));
  const std::string bytes = options.SerializeAsString();
  TW_ASSIGN_OR_RETURN(const GaussianShape shape,
                      ParseGaussianShape(bytes, limits.vector_dimension));
  return std::vector<model::WorstCase>{
      {.name = "all components",
       .options = bytes,
       .parameters = [shape] { return std::vector<float>(static_cast<size_t>(shape.size()), 1); },
       .times = 1}};
}

}  // namespace topicwall::gaussian
