#include "client/fit/algorithms/plain_gaussians.h"

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/fit/algorithms/gaussian_plan.h"
#include "client/fit/fit_spec.h"
#include "client/fit/model_file.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "model/gaussian/local_fit.h"
#include "proto/wall.pb.h"

namespace topicwall::client {
namespace {

// Of no wall: it promises nothing.
absl::StatusOr<v1::ModelFile> FileOf(const gaussian::Components& components,
                                     const PlainVectors& vectors, int passes) {
  std::vector<std::string> names;
  // As ingestion calls them where the custodian does not.
  for (int i = 1; i <= vectors.space.dimension; ++i) names.push_back(absl::StrCat("x", i));
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary,
                      lda::Vocabulary::CreateOpaque(std::move(names)));
  v1::CorpusDescription description;
  description.set_tokenizer(lda::kVectorsTokenizerName);
  description.mutable_vectors()->set_norm_bound(vectors.space.norm_bound);
  v1::ModelFile file =
      MakeModelFile(vocabulary, {.description = description,
                                 .algorithm = kNoPrivacy,
                                 .iterations = passes,
                                 .epsilon = std::numeric_limits<double>::infinity(),
                                 .delta = 1});
  file.set_num_topics(static_cast<int>(components.weights.size()));
  file.mutable_component_weights()->Assign(components.weights.begin(), components.weights.end());
  v1::GaussianComponents& gaussian = *file.mutable_gaussian();
  gaussian.mutable_means()->Assign(components.means.begin(), components.means.end());
  gaussian.mutable_variances()->Assign(components.variances.begin(), components.variances.end());
  gaussian.set_vectors(static_cast<double>(vectors.values.size()) / vectors.space.dimension);
  return file;
}

}  // namespace

absl::StatusOr<v1::ModelFile> FitPlainGaussians(const PlainVectors& vectors,
                                                const PlainGaussiansSettings& settings) {
  gaussian::LocalFitOptions options = {.num_components = settings.num_components,
                                       .passes = settings.passes,
                                       .seed = settings.seed,
                                       .num_threads = settings.num_threads,
                                       .begins_with = kManyPerComponent * settings.num_components,
                                       .on_progress = settings.on_progress};
  if (settings.initial != nullptr) options.earlier = ComponentsOf(*settings.initial);
  TW_ASSIGN_OR_RETURN(
      const gaussian::Components found,
      gaussian::FitLocally(
          {.values = vectors.values, .dimension = static_cast<size_t>(vectors.space.dimension)},
          options));
  return FileOf(found, vectors, settings.passes);
}

absl::StatusOr<v1::ModelFile> InitialGaussians(const PlainVectors& vectors,
                                               const PlainGaussiansSettings& settings) {
  const size_t rows = vectors.values.size() / static_cast<size_t>(vectors.space.dimension);
  if (rows > static_cast<size_t>(settings.num_components)) {
    return FitPlainGaussians(vectors, settings);
  }
  // Each vector is a mean by itself, of variances that nobody knows yet (first_components.h).
  return FileOf({.weights = std::vector<double>(rows, 1 / static_cast<double>(rows)),
                 .means = {vectors.values.begin(), vectors.values.end()},
                 .variances = std::vector<double>(vectors.values.size(),
                                                  std::numeric_limits<double>::infinity())},
                vectors, 0);
}

}  // namespace topicwall::client
