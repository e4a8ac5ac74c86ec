// To an evaluation this file is what a checkpoint is to a fit, but simpler: nothing that is asked
// depends on what came back, so the numbers found so far are all there is to remember.
#include "client/evaluate/evaluation_file.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "client/evaluate/paid_plan.h"
#include "client/fit/fit_spec.h"
#include "client/fit/model_file.h"
#include "client/wall/paid_release.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// Beyond it the error of a ratio is no longer that of first order: Σn may be half of what it seems,
// and exp makes much of that.
constexpr double kMostRelativeNoise = 0.25;

// What is read without a further look: the two weights, and as many A as n.
bool IsWhole(const v1::EvaluationFile& file) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  return file.format_version() == kEvaluationFormatVersion &&
         file.plan().request_id().size() == kRequestIdSize &&
         (plan.model() == kDocumentCompletion || plan.model() == kGaussianLikelihood) &&
         plan.weights().size() == 2 * sizeof(float) && plan.iterations() >= 1 &&
         file.words_size() == file.negative_log_likelihoods_size() &&
         file.words_size() <= plan.iterations() &&
         (file.words_size() == 0 || !file.plan().plan_id().empty());
}

template <typename Numbers>
double Mean(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / numbers.size();
}

// ΣA/Σn, and what is known of it.
struct NoisyRatio {
  double items = 0;  // words or vectors
  double items_deviation = 0;
  std::optional<double> ratio = {};
  double standard_error = 0;  // of the ratio
};

NoisyRatio RatioOf(const v1::EvaluationFile& file) {
  NoisyRatio found;
  const auto weights = proto::FloatsFromLittleEndian(file.plan().plan().weights());
  if (!weights.ok() || weights->size() != 2 || file.words_size() == 0) return found;
  // The releases' noises are independent and equal, and their means are taken. As stated it is that
  // of an entry of weight 1.
  const double noise = file.noise_standard_deviation() / std::sqrt(file.words_size());
  const double nats_deviation = noise / double{(*weights)[0]};
  found.items = Mean(file.words());
  found.items_deviation = noise / double{(*weights)[1]};
  if (!(found.items_deviation < kMostRelativeNoise * found.items)) return found;
  found.ratio = Mean(file.negative_log_likelihoods()) / found.items;
  found.standard_error =
      std::hypot(nats_deviation, *found.ratio * found.items_deviation) / found.items;
  return found;
}

// Every word of a document is scored or not by a coin of its own (model/completion/token_halves.h):
// half of W words have the variance W/4. Clipped units vary by less.
double SplitVariance(double scored, int releases) {
  return std::max(scored, 0.0) / 2 / std::max(releases, 1);
}

}  // namespace

double WordsPerUnit(const EvaluationWish& wish, const v1::ModelFile& model) {
  if (wish.words_per_unit.has_value()) return *wish.words_per_unit;
  // None in a model that no wall was asked for.
  return model.spec().words_per_unit() > 0 ? model.spec().words_per_unit() : kWordsPerUnit;
}

std::string EvaluationPath(const std::string& directory, const EvaluationWish& wish,
                           const v1::ModelFile& model) {
  base::Sha256 hash;
  hash.UpdateString("topicwall.client.evaluation");
  hash.UpdateString(wish.corpus);
  hash.UpdateNumber(wish.held_out_share);
  hash.UpdateInteger(static_cast<uint64_t>(wish.releases));
  hash.UpdateNumber(WordsPerUnit(wish, model));
  UpdateWithNoise(wish.noise, &hash);
  hash.UpdateInteger(static_cast<uint64_t>(wish.max_words.value_or(0)));
  // The model may be replaced in its folder; its evaluations are not those of the new one.
  UpdateWithTopics(model, &hash);
  return PaidPath(directory, "evaluation", std::move(hash));
}

absl::StatusOr<std::optional<v1::EvaluationFile>> ReadEvaluation(const std::string& path) {
  return ReadPaid<v1::EvaluationFile>(path, "evaluation", IsWhole);
}

bool IsFinished(const v1::EvaluationFile& file) {
  return file.words_size() == file.plan().plan().iterations();
}

bool IsOfVectors(const v1::EvaluationFile& file) {
  return file.plan().plan().model() == kGaussianLikelihood;
}

PerplexityEstimate EstimateOf(const v1::EvaluationFile& file) {
  const NoisyRatio found = RatioOf(file);
  PerplexityEstimate estimate = {
      .words = found.items,
      .words_deviation = std::hypot(found.items_deviation,
                                    std::sqrt(SplitVariance(found.items, file.words_size()))),
      .perplexity = std::nullopt,
      .standard_error = 0};
  if (!found.ratio.has_value()) return estimate;
  // Words that are known do not make a perplexity known: r, some 7 nats, multiplies their error.
  if (!(found.standard_error < kMostRelativeError)) return estimate;
  // Noise may have made ΣA negative: there is no perplexity below 1.
  estimate.perplexity = std::exp(std::max(0.0, *found.ratio));
  estimate.standard_error = *estimate.perplexity * found.standard_error;
  return estimate;
}

LogLikelihoodEstimate LogLikelihoodOf(const v1::EvaluationFile& file) {
  const NoisyRatio found = RatioOf(file);
  LogLikelihoodEstimate estimate = {.vectors = found.items,
                                    .vectors_deviation = found.items_deviation,
                                    .log_likelihood = std::nullopt,
                                    .standard_error = found.standard_error,
                                    .expected = -file.nats_taken_off()};
  if (found.ratio.has_value()) estimate.log_likelihood = estimate.expected - *found.ratio;
  return estimate;
}

}  // namespace topicwall::client
