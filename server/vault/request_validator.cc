#include "server/vault/request_validator.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "proto/matrix_codec.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/wall_config.h"

namespace topicwall::server {
namespace {

template <typename Number>
absl::Status InRange(absl::string_view field, Number value, Number low, Number high,
                     absl::string_view advice) {
  // NaN is in no range.
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " must be in [", low, ", ", high, "]; got ", value, ". ", advice));
}

constexpr char kSeeLimits[] = "The corpus description states the limits.";

// Where columns count in different units, a norm without weights would be ruled by whichever has
// the larger numbers, and the clip would cut away the others.
absl::Status ValidateWeights(const v1::ReleaseSpec& plan, const model::StatisticModel& model) {
  absl::StatusOr<std::vector<float>> weights = proto::FloatsFromLittleEndian(plan.weights());
  if (!weights.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("weights: ", weights.status().message()));
  }
  const int64_t period = model.shape().period;
  if (model.demand().needs_weights && weights->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("weights must be ", period, " for the model ", plan.model(),
                     ", whose columns count in different units; got none."));
  }
  return mechanism::ValidateWeights(*weights, period);
}

// The mechanism's range first, which the arithmetic was proved for, then the custodian's. That sums
// fit is asked of both noises: each has an M of its own.
absl::Status ValidateGaussian(const v1::Gaussian& gaussian, const v1::Limits& limits) {
  TW_RETURN_IF_ERROR(mechanism::ValidateNoiseMultiplier(gaussian.noise_multiplier()));
  TW_RETURN_IF_ERROR(InRange("noise_multiplier", gaussian.noise_multiplier(),
                             limits.min_noise_multiplier(), mechanism::kMaxNoiseMultiplier,
                             kSeeLimits));
  TW_RETURN_IF_ERROR(mechanism::ValidateSumFits(MaxUnits(limits), gaussian.noise_multiplier()));
  if (!gaussian.has_histogram_noise_multiplier()) return absl::OkStatus();
  const double histogram = gaussian.histogram_noise_multiplier();
  TW_RETURN_IF_ERROR(mechanism::ValidateHistogramNoiseMultiplier(histogram));
  TW_RETURN_IF_ERROR(InRange("histogram_noise_multiplier", histogram, limits.min_noise_multiplier(),
                             mechanism::kMaxNoiseMultiplier, kSeeLimits));
  return mechanism::ValidateSumFits(MaxUnits(limits), histogram);
}

}  // namespace

// The version comes first: whatever else is wrong with a plan for another one, it must be made
// anew.
absl::Status ValidatePlan(const v1::ReleaseSpec& plan, const PlanBounds& bounds) {
  const v1::Limits& limits = bounds.limits;
  const corpus::CorpusVersion& version = bounds.corpus.version;
  if (plan.corpus_version() != std::string(version.begin(), version.end())) {
    return absl::FailedPreconditionError(
        "corpus_version is not the version that is served now; describe the corpus and plan again");
  }
  TW_RETURN_IF_ERROR(corpus::RequireWholeUnits(bounds.corpus));
  TW_RETURN_IF_ERROR(mechanism::ValidateSamplingRate(plan.sampling_rate()));
  if (!plan.has_gaussian()) {
    return absl::InvalidArgumentError("mechanism must be gaussian; got none. Name its noise.");
  }
  TW_RETURN_IF_ERROR(ValidateGaussian(plan.gaussian(), limits));
  TW_RETURN_IF_ERROR(
      InRange("iterations", plan.iterations(), 1, limits.max_iterations(), kSeeLimits));
  TW_RETURN_IF_ERROR(mechanism::ValidateHeldOutShare(plan.held_out_share(), plan.held_out_only()));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      ModelOf(plan, bounds.corpus));
  TW_RETURN_IF_ERROR(ValidateEffort(plan, *model, bounds));
  return ValidateWeights(plan, *model);
}

absl::StatusOr<std::unique_ptr<model::StatisticModel>> ModelOf(
    const v1::ReleaseSpec& plan, const corpus::CorpusDescription& corpus) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(plan.model(), plan.options(), corpus::ShapeOf(corpus)));
  TW_RETURN_IF_ERROR(mechanism::ValidateShape(model->shape()));
  return model;
}

// What a model with these options takes is asked of the model, before it is given anything: this
// bounds the upload, the memory and the time of a release.
absl::Status ValidateEffort(const v1::ReleaseSpec& plan, const model::StatisticModel& model,
                            const PlanBounds& bounds) {
  TW_RETURN_IF_ERROR(
      InRange("max_tokens", plan.max_tokens(), int64_t{1}, bounds.limits.max_tokens(), kSeeLimits));
  const auto terms = static_cast<int64_t>(bounds.corpus.vocabulary->size());
  const model::Demand demand = model.demand();
  const int64_t most = bounds.limits.max_parameters_per_term() * terms;
  if (!(demand.parameters <= most)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the model's parameters must be at most max_parameters_per_term = ",
        bounds.limits.max_parameters_per_term(), " for each of ", terms, " terms, ", most,
        "; they are ", demand.parameters, ". Ask for a smaller model. ", kSeeLimits));
  }
  const int64_t bytes = demand.parameters * int64_t{sizeof(float)};
  if (!(bytes <= bounds.max_matrix_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("the model's parameters must need at most ",
                                                   bounds.max_matrix_bytes, " bytes; got ", bytes,
                                                   ". Ask for a smaller model."));
  }
  TW_RETURN_IF_ERROR(InRange("the model's iterations", demand.iterations, int64_t{1},
                             int64_t{bounds.limits.max_model_iterations()}, kSeeLimits));
  // Few parameters may ask for many numbers: of topics in groups of documents, for one.
  if (model.shape().dimension <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the model's statistic must have at most max_parameters_per_term = ",
      bounds.limits.max_parameters_per_term(), " numbers for each of ", terms, " terms, ", most,
      "; it has ", model.shape().dimension, ". Ask for fewer. ", kSeeLimits));
}

absl::Status ValidateReleaseHeader(const v1::RunReleaseHeader& header, const v1::ReleaseSpec& plan,
                                   const v1::Limits& limits) {
  TW_RETURN_IF_ERROR(InRange("iteration", header.iteration(), 1, plan.iterations(),
                             "A plan's iterations are numbered from 1."));
  TW_RETURN_IF_ERROR(mechanism::ValidateClipNorm(header.clip_norm()));
  const double noise_multiplier = plan.gaussian().noise_multiplier();
  TW_RETURN_IF_ERROR(mechanism::ValidateDirectionNoise(header.direction_noise(), noise_multiplier));
  // Asked again: along directions a unit that was clipped may be longer than M.
  TW_RETURN_IF_ERROR(
      mechanism::ValidateSumFits(MaxUnits(limits), noise_multiplier, header.direction_noise()));
  if (header.request_digest().size() != base::Digest().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_digest must be 32 bytes; got ", header.request_digest().size()));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::server
