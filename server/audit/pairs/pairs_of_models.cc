#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model/data/bounded_vector.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::audit {

NeighbouringPair AlongOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("along topics: ", pair.name);
  pair.direction_noise = 5;
  pair.mechanism.noise_multiplier = std::max(pair.mechanism.noise_multiplier, 1.0);
  // Of documents like their topic the noise covers so much that they are within the clip norm.
  pair.arrives_at_full_length = false;
  return pair;
}

NeighbouringPair EvaluationOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("evaluated: ", pair.name);
  ledger::PaidMechanism& paid = pair.mechanism;
  pair.model = AskedModel::kDocumentCompletion;
  pair.direction_noise = 0;
  paid.held_out_only = true;
  paid.held_out_share = 1;
  paid.weights = {0.02F, 0.1F};  // a typical unit: 50 nats, 10 words
  paid.max_words = std::min<int64_t>(paid.max_words, 100'000);
  pair.arrives_at_full_length = false;
  return pair;
}

namespace {

// Longer documents are at the bound.
constexpr double kWordsOfTheNormBound = 50;

std::vector<float> VectorOf(const std::vector<lda::TermCount>& counts, std::size_t dimension) {
  std::vector<double> numbers(dimension);
  for (const lda::TermCount& word : counts) {
    // Both signs, where there are more terms than dimensions.
    const double sign = word.term / dimension % 2 == 0 ? 1 : -1;
    numbers[word.term % dimension] += sign * word.count;
  }
  std::vector<float> vector(dimension);
  model::ScaleToBound(numbers, kWordsOfTheNormBound, absl::MakeSpan(vector));
  return vector;
}

// Of each component log π, means up to ½ and precisions up to 16 where its topic's words are.
std::vector<float> ParametersOf(const NeighbouringPair& pair, std::size_t dimension) {
  const auto terms = static_cast<std::size_t>(pair.vocabulary_size);
  std::vector<float> parameters;
  for (std::size_t row = 0; row < pair.log_topics.size(); row += terms) {
    parameters.push_back(pair.log_topics[row]);
    for (std::size_t i = 0; i < 2 * dimension; ++i) {
      const float share = std::exp(pair.log_topics[row + i % dimension]);
      parameters.push_back(i < dimension ? share / 2 : 1 + 15 * share);
    }
  }
  return parameters;
}

// As clients weigh it, or those of the pair, over and over.
std::vector<float> VectorWeights(const std::vector<float>& of_pair, std::size_t dimension) {
  std::vector<float> weights(2 * dimension + 1, 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i > dimension) weights[i] = std::sqrt(static_cast<float>(dimension)) / 2;
    if (!of_pair.empty()) weights[i] = of_pair[i % of_pair.size()];
  }
  if (of_pair.empty()) weights[0] = 0.5F;
  return weights;
}

}  // namespace

NeighbouringPair GaussianOf(NeighbouringPair pair) {
  const int most = std::min(pair.vocabulary_size, model::kMaxVectorDimension);
  const auto dimension = static_cast<std::size_t>(most);
  pair.name = absl::StrCat("vectors: ", pair.name);
  for (PlantedDocuments* documents : {&pair.others, &pair.unit}) {
    for (PlantedDocument& document : *documents) {
      document.vector = VectorOf(document.counts, dimension);
      document.counts.clear();
    }
  }
  pair.log_topics = ParametersOf(pair, dimension);
  pair.mechanism.weights = VectorWeights(pair.mechanism.weights, dimension);
  pair.model = AskedModel::kGaussian;
  pair.direction_noise = 0;
  pair.vocabulary_size = most;
  // The numbers have a norm of at most 1, however many words there were.
  pair.clip_norm = std::max(pair.clip_norm / 100, mechanism::kMinClipNorm);
  pair.arrives_at_full_length = false;
  return pair;
}

NeighbouringPair LikelihoodOf(NeighbouringPair pair) {
  const std::string name = absl::StrCat("likelihood: ", pair.name);
  pair = GaussianOf(std::move(pair));
  pair.name = name;
  pair.model = AskedModel::kGaussianLikelihood;
  pair.mechanism.held_out_only = true;
  pair.mechanism.held_out_share = 1;
  pair.mechanism.weights = {0.05F, 0.25F};  // a typical unit: 20 nats of one vector
  return pair;
}

int NeighbouringPair::rows() const {
  switch (model) {
    case AskedModel::kDocumentCompletion:
    case AskedModel::kMixtureCompletion:
    case AskedModel::kGaussianLikelihood:
    case AskedModel::kLengths:
      return 1;
    case AskedModel::kPrevalence:
      return std::accumulate(attribute_sizes.begin(), attribute_sizes.end(), 1,
                             std::multiplies<int>());
    default:
      return num_topics();
  }
}

NeighbouringPair PrevalenceOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("prevalence: ", pair.name);
  pair.model = AskedModel::kPrevalence;
  pair.direction_noise = 0;
  pair.attribute_sizes = {3, 2};
  for (PlantedDocuments* documents : {&pair.others, &pair.unit}) {
    for (std::size_t i = 0; i < documents->size(); ++i) {
      (*documents)[i].attributes = {static_cast<uint16_t>(i % 3), static_cast<uint16_t>(i / 3 % 2)};
    }
  }
  // As clients weigh it. A document has a norm of about 1, however many words it has.
  std::vector<float> weights(static_cast<std::size_t>(pair.num_topics()) + 1, 1.0F);
  weights.back() = 0.25F;
  pair.mechanism.weights = std::move(weights);
  pair.clip_norm = std::max(pair.clip_norm / 100, mechanism::kMinClipNorm);
  pair.arrives_at_full_length = false;
  return pair;
}

NeighbouringPair MixtureOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("mixture: ", pair.name);
  std::vector<float> parameters;
  for (std::size_t i = 0; i < pair.log_topics.size(); ++i) {
    parameters.push_back(pair.log_topics[i]);
    const bool ends_row = (i + 1) % static_cast<std::size_t>(pair.vocabulary_size) == 0;
    if (ends_row) parameters.push_back(0);
  }
  pair.log_topics = std::move(parameters);
  pair.model = AskedModel::kMixture;
  pair.direction_noise = 0;
  if (!pair.mechanism.weights.empty()) pair.mechanism.weights.push_back(0.5F);
  return pair;
}

NeighbouringPair MixtureEvaluationOf(NeighbouringPair pair) {
  pair = EvaluationOf(MixtureOf(std::move(pair)));
  pair.model = AskedModel::kMixtureCompletion;
  return pair;
}

NeighbouringPair LengthsOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("lengths: ", pair.name);
  pair.model = AskedModel::kLengths;
  pair.direction_noise = 0;
  pair.log_topics = {1, 2, 3, 10, 10, 100, 1e6F};
  std::vector<float>& weights = pair.mechanism.weights;
  // As many as bins: those of the pair, over and over.
  for (std::size_t i = 0; !weights.empty() && i <= pair.log_topics.size(); ++i) {
    weights.push_back(weights[i]);
  }
  weights.resize(weights.empty() ? 0 : pair.log_topics.size() + 1);
  // A unit has a norm of 1, however many words it has.
  pair.clip_norm = std::max(pair.clip_norm / 100, mechanism::kMinClipNorm);
  pair.arrives_at_full_length = false;
  return pair;
}

}  // namespace topicwall::audit
