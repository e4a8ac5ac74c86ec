#include "model/gaussian/local_fit.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/gaussian/first_components.h"
#include "model/gaussian/gaussian_model.h"
#include "model/gaussian/merged_components.h"
#include "proto/models/gaussian.pb.h"

namespace topicwall::gaussian {
namespace {

// However many threads there are, so that sums have the same bits.
constexpr size_t kBlocks = 16;

// The model draws nothing.
class UnusedBits final : public model::UnitBits {
 public:
  void StartDocument(int) override {}
  uint64_t NextBits(int) override { return 0; }
};

// Of the vectors from `begin` to `end`, onto `sum`: K rows of 2d + 1.
void AddStatistics(const model::Inference& inference, const LocalVectors& vectors, size_t begin,
                   size_t end, std::vector<double>& sum) {
  const auto period = static_cast<size_t>(inference.shape().period);
  const auto unit_inference =
      inference.NewThread({.vocabulary_size = 0, .max_words = 1, .max_documents = 1});
  model::SparseStatistic statistic;
  UnusedBits bits;
  for (size_t i = begin; i < end; ++i) {
    const model::UnitDocument document = {
        .counts = {},
        .number = 0,
        .vector = vectors.values.subspan(i * vectors.dimension, vectors.dimension)};
    unit_inference->Infer({.documents = absl::MakeConstSpan(&document, 1)}, bits, &statistic);
    const size_t rows = statistic.rows.size();
    for (size_t j = 0; j < statistic.columns.size(); ++j) {
      for (size_t a = 0; a < rows; ++a) {
        sum[statistic.rows[a] * period + statistic.columns[j]] +=
            double{statistic.values[j * rows + a]};
      }
    }
  }
}

absl::StatusOr<std::vector<float>> SumsOf(const LocalVectors& vectors, const Components& components,
                                          int num_threads) {
  v1::GaussianOptions options;
  options.set_num_components(static_cast<int32_t>(components.weights.size()));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      MakeGaussianModel(options.SerializeAsString(),
                                        {.vector_dimension = static_cast<int>(vectors.dimension)}));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                      model->Bind(ParametersOf(components), num_threads));
  const auto size = static_cast<size_t>(inference->shape().dimension);
  const size_t rows = vectors.values.size() / vectors.dimension;
  std::vector<std::vector<double>> sums(kBlocks, std::vector<double>(size));
  lda::ForEachBlock(kBlocks, num_threads, [&](size_t block, size_t /*thread*/) {
    AddStatistics(*inference, vectors, rows * block / kBlocks, rows * (block + 1) / kBlocks,
                  sums[block]);
  });
  for (size_t block = 1; block < kBlocks; ++block) {
    for (size_t i = 0; i < size; ++i) sums[0][i] += sums[block][i];
  }
  return std::vector<float>(sums[0].begin(), sums[0].end());
}

absl::StatusOr<Components> Pass(const LocalVectors& vectors, const Components& components,
                                int num_threads) {
  TW_ASSIGN_OR_RETURN(const std::vector<float> sums, SumsOf(vectors, components, num_threads));
  // Without noise nothing is gained by what earlier passes found: each is by its own sums.
  ComponentEstimate estimate(components.weights.size(), vectors.dimension);
  TW_RETURN_IF_ERROR(estimate.Update(
      {.statistics = sums, .deviations = {0, 0, 0}, .sampling_rate = 1, .step_size = 1}));
  return estimate.Estimate();
}

absl::Status CheckLocalFit(const LocalVectors& vectors, const LocalFitOptions& options) {
  const auto components = static_cast<size_t>(std::max(options.num_components, 0));
  if (options.num_components < 1 || options.passes < 1) {
    return absl::InvalidArgumentError(absl::StrCat("topics and passes must be at least 1; got ",
                                                   options.num_components, " and ", options.passes,
                                                   "."));
  }
  if (vectors.values.size() / vectors.dimension < components) {
    return absl::InvalidArgumentError(absl::StrCat("topics must be at most the number of vectors, ",
                                                   vectors.values.size() / vectors.dimension,
                                                   "; got ", components, "."));
  }
  if (options.earlier.weights.size() > components) {
    return absl::InvalidArgumentError(
        absl::StrCat("topics must be at least ", options.earlier.weights.size(),
                     ", which the initial model has; got ", components, "."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Components> FitLocally(const LocalVectors& vectors, const LocalFitOptions& options) {
  TW_RETURN_IF_ERROR(CheckLocalFit(vectors, options));
  const size_t rows = vectors.values.size() / vectors.dimension;
  // Of one component every vector is wholly, whatever its parameters.
  TW_ASSIGN_OR_RETURN(const Components whole,
                      Pass(vectors,
                           {.weights = {1},
                            .means = std::vector<double>(vectors.dimension, 0),
                            .variances = std::vector<double>(vectors.dimension, 1)},
                           options.num_threads));
  const bool has_many = options.begins_with > options.num_components && options.passes > 1 &&
                        options.earlier.weights.empty() &&
                        static_cast<size_t>(options.begins_with) <= rows;
  Components components = FirstComponents(
      whole, {.num_components = has_many ? options.begins_with : options.num_components,
              .seed = options.seed,
              .earlier = options.earlier});
  for (int done = 1; done <= options.passes; ++done) {
    TW_ASSIGN_OR_RETURN(components, Pass(vectors, components, options.num_threads));
    if (has_many && done == options.passes / 2) {
      components = MergedTo(std::move(components), static_cast<size_t>(options.num_components));
    }
    if (options.on_progress) options.on_progress(done);
  }
  return components;
}

}  // namespace topicwall::gaussian
