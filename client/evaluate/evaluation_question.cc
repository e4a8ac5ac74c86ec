#include "client/evaluate/evaluation_question.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/evaluate/paid_plan.h"
#include "client/fit/model_file.h"
#include "client/wall/topics_asked.h"
#include "model/gaussian/gaussian_parameters.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// A model of next to one word has no entropy to divide by.
constexpr double kLeastNatsPerWord = 0.1;
// Within which of what is expected a typical unit of vectors has a norm of at most 1.
constexpr double kDeviationsWithin = 3;

constexpr float kLeastWeight = 0x1p-20F;  // of a plan (proto/wall.proto)

std::vector<float> WeightsOf(double per_nat, double per_item) {
  return {static_cast<float>(per_nat), static_cast<float>(per_item)};
}

// n0 = words_per_unit/√2 and a0 = H·n0. A typical unit has n = words_per_unit/2 words scored, at
// about H nats each: then A/a0 = n/n0 = 1/√2, and the norm of the two is 1.
std::vector<float> WeightsOfTopics(const lda::TopicModel& model, double words_per_unit) {
  double entropy = 0;
  for (const double share : lda::MarginalTermProbabilities(model)) {
    if (share > 0) entropy -= share * std::log(share);
  }
  const double per_word = std::sqrt(2.0) / words_per_unit;
  return WeightsOf(per_word / std::max(entropy, kLeastNatsPerWord), per_word);
}

// H and s².
struct NatsOfVector {
  double mean;
  double variance;
};

// As if no two components overlapped: an upper bound of the mixture's entropy, and near it where
// they are apart.
NatsOfVector ExpectedNats(const gaussian::Components& components) {
  const size_t dimension = components.means.size() / components.weights.size();
  double mean = 0, squares = 0, varying = 0;
  for (size_t k = 0; k < components.weights.size(); ++k) {
    double nats = -std::log(components.weights[k]);
    for (size_t j = 0; j < dimension; ++j) {
      const double variance = components.variances[k * dimension + j];
      nats += 0.5 * std::log(2 * std::numbers::pi * variance);
      // Where it is the least, vectors vary by less, which says nothing of ½ χ².
      if (variance <= gaussian::kLeastVariance) continue;
      nats += 0.5;
      varying += components.weights[k];
    }
    mean += components.weights[k] * nats;
    squares += components.weights[k] * nats * nats;
  }
  const double within = std::max(varying, 1.0) / 2;  // of ½ χ² of so many
  return {.mean = mean, .variance = within + std::max(squares - mean * mean, 0.0)};
}

std::vector<float> WeightsOfVectors(const gaussian::Components& components, double vectors) {
  const double deviation = std::sqrt(ExpectedNats(components).variance);
  const double left = std::sqrt(1 - kShareOfVectors * kShareOfVectors);
  return WeightsOf(left / (kDeviationsWithin * deviation * vectors), kShareOfVectors / vectors);
}

// Means and variances are in units of it.
absl::Status CheckNormBound(const v1::ModelFile& model, const v1::CorpusDescription& description) {
  if (description.vectors().norm_bound() == model.gaussian().norm_bound()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the model must be of vectors of the norm bound of the corpus, ",
                   description.vectors().norm_bound(), "; it is of ", model.gaussian().norm_bound(),
                   ". Fit one to that corpus."));
}

// Gives C.
double SetWeights(std::vector<float> weights, v1::ReleaseSpec* plan) {
  float clip_norm = 1;
  while (clip_norm * std::min(weights[0], weights[1]) < kLeastWeight) clip_norm *= 2;
  for (float& weight : weights) weight *= clip_norm;
  plan->set_weights(proto::FloatsToLittleEndian(weights));
  return double{clip_norm};
}

}  // namespace

absl::StatusOr<double> AskAbout(const v1::ModelFile& model, double words_per_unit,
                                const v1::CorpusDescription& description, v1::ReleaseSpec* plan) {
  if (model.has_gaussian()) {
    TW_RETURN_IF_ERROR(CheckNormBound(model, description));
    v1::GaussianOptions options;
    options.set_num_components(model.num_topics());
    plan->set_model(kGaussianLikelihood);
    plan->set_options(options.SerializeAsString());
    // A vector that is a unit counts for itself: nothing is to be assumed of it.
    const bool owners = description.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
    return SetWeights(WeightsOfVectors(ComponentsOf(model), owners ? words_per_unit : 1), plan);
  }
  TW_ASSIGN_OR_RETURN(const lda::TopicModel topics, ModelOf(model));
  AskTopics(kDocumentCompletion, TopicsToAsk(model, description.limits()), plan);
  return SetWeights(WeightsOfTopics(topics, words_per_unit), plan);
}

absl::StatusOr<std::vector<float>> AskedParameters(const v1::ModelFile& model) {
  if (!model.has_gaussian()) return TopicsAsParameters(model);
  const gaussian::Components components = ComponentsOf(model);
  std::vector<float> parameters = gaussian::ParametersOf(components);
  const size_t row = parameters.size() / components.weights.size();
  const double taken_off = NatsTakenOff(model);
  for (size_t i = 0; i < parameters.size(); i += row) {
    // A constant in every log π is taken off the nats of every vector (likelihood_model.h);
    // LogLikelihoodOf gives it back.
    parameters[i] = static_cast<float>(double{parameters[i]} + taken_off);
  }
  return parameters;
}

model::CorpusShape AskedCorpus(const v1::ModelFile& model) {
  model::CorpusShape shape = {.vocabulary_size = model.vocabulary_size()};
  if (model.has_gaussian()) shape.vector_dimension = static_cast<int>(model.vocabulary_size());
  return shape;
}

double NatsTakenOff(const v1::ModelFile& model) {
  return model.has_gaussian() ? ExpectedNats(ComponentsOf(model)).mean : 0;
}

}  // namespace topicwall::client
