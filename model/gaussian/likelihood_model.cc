#include "model/gaussian/likelihood_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "model/data/bounded_vector.h"
#include "model/gaussian/gaussian_parameters.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::gaussian {
namespace {

// log 2π as a number: no bit of a statistic may depend on a libm.
constexpr double kLogTwoPi = 1.8378770664093453;

struct LikelihoodShape : GaussianShape {
  static model::StatisticShape Grid() { return {.dimension = 2, .period = 2}; }
  model::WorstUnit Worst(const model::UnitLimits& /*limits*/) const {
    return {.columns = Grid().period,
            .rows = Grid().rows(),
            .bytes_of_thread = num_components * int64_t{sizeof(double)},
            // The parameters, and the densities made of them.
            .bytes_of_all = size() * int64_t{sizeof(float) + sizeof(double)}};
  }
};

// log π_k N(x; m_k, 1/p_k) of each component.
class Densities {
 public:
  Densities(const GaussianShape& shape, absl::Span<const float> parameters)
      : dimension_(static_cast<size_t>(shape.dimension)) {
    const auto columns = static_cast<size_t>(shape.columns());
    const auto components = static_cast<size_t>(shape.num_components);
    means_.reserve(components * dimension_);
    precisions_.reserve(components * dimension_);
    constants_.reserve(components);
    for (size_t row = 0; row < parameters.size(); row += columns) {
      double constant = LogWeightIn(parameters[row]);
      for (size_t j = 1; j <= dimension_; ++j) {
        means_.push_back(MeanIn(parameters[row + j]));
        precisions_.push_back(PrecisionIn(parameters[row + dimension_ + j]));
        constant += 0.5 * (lda::FastestArrayMath().log(precisions_.back()) - kLogTwoPi);
      }
      constants_.push_back(constant);
    }
  }

  size_t num_components() const { return constants_.size(); }
  size_t dimension() const { return dimension_; }

  // log Σ_k of them. `logs`: scratch, K.
  double LogDensity(absl::Span<const float> x, std::vector<double>& logs) const {
    for (size_t k = 0; k < constants_.size(); ++k) {
      const float* const means = means_.data() + k * dimension_;
      const float* const precisions = precisions_.data() + k * dimension_;
      double squares = 0;
      for (size_t j = 0; j < dimension_; ++j) {
        const double apart = double{x[j]} - double{means[j]};
        squares += double{precisions[j]} * apart * apart;
      }
      logs[k] = constants_[k] - 0.5 * squares;
    }
    // By the largest, so that nothing underflows however far a vector is from all means.
    const double largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double log : logs) sum += lda::PortableExp(log - largest);
    return largest + lda::FastestArrayMath().log(sum);  // 1 <= sum <= K
  }

 private:
  const size_t dimension_;
  std::vector<float> means_;       // K×d
  std::vector<float> precisions_;  // K×d
  std::vector<double> constants_;  // K
};

class LikelihoodUnitInference final : public model::UnitInference {
 public:
  explicit LikelihoodUnitInference(const Densities* densities)
      : densities_(*densities), logs_(densities->num_components()) {}

  void Infer(const model::Unit& unit, model::UnitBits& /*bits*/,
             model::SparseStatistic* statistic) override {
    statistic->Clear();
    double nats = 0;
    int64_t vectors = 0;
    for (const model::UnitDocument& document : unit.documents) {
      if (unit.Abandoned()) break;
      const absl::Span<const float> x = document.vector;
      // A document that is no vector of this space, or beyond its bound, adds nothing, like a word
      // that is not in the vocabulary.
      if (x.size() != densities_.dimension() || !model::IsWithinBound(x)) continue;
      // In double over the unit's vectors, and to float32 once.
      nats -= densities_.LogDensity(x, logs_);
      ++vectors;
    }
    if (vectors == 0) return;
    statistic->columns = {0, 1};
    statistic->rows = {0};
    statistic->values = {static_cast<float>(nats), static_cast<float>(vectors)};
  }

 private:
  const Densities& densities_;
  std::vector<double> logs_;
};

class LikelihoodInference final : public model::Shaped<model::Inference, LikelihoodShape> {
 public:
  LikelihoodInference(const LikelihoodShape& shape, absl::Span<const float> parameters)
      : Shaped(shape), densities_(shape, parameters) {}

  absl::string_view kernel_name() const override { return lda::ChosenKernel().name; }
  std::unique_ptr<model::UnitInference> NewThread(
      const model::UnitLimits& /*limits*/) const override {
    return std::make_unique<LikelihoodUnitInference>(&densities_);
  }

 private:
  const Densities densities_;
};

class LikelihoodModel final : public model::Shaped<model::StatisticModel, LikelihoodShape> {
 public:
  using Shaped::Shaped;

  // The two numbers are of different units, nats and vectors: without weights the clip would be of
  // neither.
  model::Demand demand() const override {
    return {.parameters = shape_.size(), .iterations = 1, .needs_weights = true};
  }
  absl::Status Check(absl::Span<const float> parameters) const override {
    return CheckGaussianParameters(shape_, parameters);
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> parameters,
                                                         int /*num_threads*/) const override {
    TW_RETURN_IF_ERROR(CheckGaussianParameters(shape_, parameters));
    return std::make_unique<LikelihoodInference>(shape_, parameters);
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeLikelihoodModel(
    absl::string_view options, const model::CorpusShape& corpus) {
  TW_ASSIGN_OR_RETURN(const GaussianShape shape,
                      ParseGaussianShape(options, corpus.vector_dimension));
  return std::make_unique<LikelihoodModel>(LikelihoodShape{shape});
}

}  // namespace topicwall::gaussian
