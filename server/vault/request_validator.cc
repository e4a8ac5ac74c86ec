#include "server/vault/request_validator.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/statistic_model.h"
#include "proto/matrix_codec.h"
#include "proto/plan_model.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/vault/asked_model.h"
#include "server/wall_config.h"

namespace topicwall::server {
namespace {

template <typename Number>
absl::Status InRange(absl::string_view field, Number value, Number low, Number high,
                     absl::string_view advice) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " must be in [", low, ", ", high, "]; got ", value, ". ", advice));
}

constexpr char kSeeLimits[] = "The corpus description states the limits.";

absl::Status ValidateWeights(const v1::PlanSpec& plan, int64_t vocabulary_size) {
  absl::StatusOr<std::vector<float>> weights = proto::FloatsFromLittleEndian(plan.term_weights());
  if (!weights.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("term_weights: ", weights.status().message()));
  }
  if (plan.has_document_completion() && weights->empty()) {
    return absl::InvalidArgumentError(
        "term_weights must be 2 for document_completion, (1/a0, 1/n0); got none.");
  }
  return mechanism::ValidateWeights(*weights, proto::ReleaseShapeOf(plan, vocabulary_size).columns);
}

absl::Status ValidatePrior(absl::Span<const double> prior) {
  for (const double alpha : prior) {
    TW_RETURN_IF_ERROR(InRange("document_topic_prior", alpha, kMinDocumentTopicPrior,
                               kMaxDocumentTopicPrior, "1 / num_topics is usual."));
  }
  return absl::OkStatus();
}

absl::Status ValidateModel(const v1::PlanSpec& plan, const PlanBounds& bounds,
                           int64_t vocabulary_size) {
  if (plan.model_case() == v1::PlanSpec::MODEL_NOT_SET) {
    return absl::InvalidArgumentError(
        "model must be lda or document_completion; got none. Name a number of topics.");
  }
  const auto [num_topics, document_topic_prior] = proto::ModelOf(plan);
  TW_RETURN_IF_ERROR(InRange("num_topics", num_topics, 1, bounds.limits.max_topics(), kSeeLimits));
  const int64_t bytes = int64_t{num_topics} * vocabulary_size * 4;
  if (!(bytes <= bounds.max_matrix_bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_topics times the vocabulary must need at most ", bounds.max_matrix_bytes,
                     " bytes; got ", bytes, ". Ask for fewer topics."));
  }
  TW_RETURN_IF_ERROR(ValidatePrior(document_topic_prior));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      AskedModel(TopicsOf(plan, bounds.limits), vocabulary_size));
  return mechanism::ValidateShape(model->shape());
}

}  // namespace

absl::Status ValidatePlan(const v1::PlanSpec& plan, const PlanBounds& bounds) {
  const v1::Limits& limits = bounds.limits;
  const corpus::CorpusVersion& version = bounds.corpus.version;
  if (plan.corpus_version() != std::string(version.begin(), version.end())) {
    return absl::FailedPreconditionError(
        "corpus_version is not the version that is served now; describe the corpus and plan again");
  }
  TW_RETURN_IF_ERROR(corpus::RequireWholeUnits(bounds.corpus));
  TW_RETURN_IF_ERROR(mechanism::ValidateSamplingRate(plan.sampling_rate()));
  TW_RETURN_IF_ERROR(mechanism::ValidateNoiseMultiplier(plan.noise_multiplier()));
  TW_RETURN_IF_ERROR(InRange("noise_multiplier", plan.noise_multiplier(),
                             limits.min_noise_multiplier(), mechanism::kMaxNoiseMultiplier,
                             kSeeLimits));
  TW_RETURN_IF_ERROR(mechanism::ValidateSumFits(MaxUnits(limits), plan.noise_multiplier()));
  if (plan.has_histogram_noise_multiplier()) {
    TW_RETURN_IF_ERROR(
        mechanism::ValidateHistogramNoiseMultiplier(plan.histogram_noise_multiplier()));
    TW_RETURN_IF_ERROR(InRange("histogram_noise_multiplier", plan.histogram_noise_multiplier(),
                               limits.min_noise_multiplier(), mechanism::kMaxNoiseMultiplier,
                               kSeeLimits));
    TW_RETURN_IF_ERROR(
        mechanism::ValidateSumFits(MaxUnits(limits), plan.histogram_noise_multiplier()));
  }
  TW_RETURN_IF_ERROR(
      InRange("iterations", plan.iterations(), 1, limits.max_iterations(), kSeeLimits));
  TW_RETURN_IF_ERROR(
      InRange("max_words", plan.max_words(), int64_t{1}, limits.max_words(), kSeeLimits));
  const auto vocabulary_size = static_cast<int64_t>(bounds.corpus.vocabulary->size());
  TW_RETURN_IF_ERROR(ValidateWeights(plan, vocabulary_size));
  TW_RETURN_IF_ERROR(
      mechanism::ValidateHeldOutShare(plan.held_out_share(), plan.has_document_completion()));
  return ValidateModel(plan, bounds, vocabulary_size);
}

absl::Status ValidateEStepHeader(const v1::EStepHeader& header, const v1::PlanSpec& plan,
                                 const v1::Limits& limits) {
  TW_RETURN_IF_ERROR(InRange("iteration", header.iteration(), 1, plan.iterations(),
                             "A plan's iterations are numbered from 1."));
  TW_RETURN_IF_ERROR(mechanism::ValidateClipNorm(header.clip_norm()));
  TW_RETURN_IF_ERROR(InRange("max_e_step_iterations", header.max_e_step_iterations(), 1,
                             limits.max_e_step_iterations(), kSeeLimits));
  TW_RETURN_IF_ERROR(
      InRange("mean_change_threshold", header.mean_change_threshold(), 0.0, 1.0, "1e-3 is usual."));
  if (header.request_digest().size() != base::Digest().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_digest must be 32 bytes; got ", header.request_digest().size()));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::server
