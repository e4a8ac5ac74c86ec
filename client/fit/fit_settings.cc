#include "client/fit/fit_settings.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/fit/initial_model.h"

namespace topicwall::client {
namespace {

template <typename T>
absl::Status CheckFlag(absl::string_view flag, const T& asked, const T& there) {
  if (asked == there) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the model folder holds a fit with ", flag, " ", there, "; this command says ",
                   asked, ". Give the same flags to go on with it, or choose another --model."));
}

// σ_eff of each release of the fit: the unigram's is written as it was found.
double NoiseMultiplierOf(const v1::CheckpointFile& checkpoint) {
  return checkpoint.has_unigram() ? checkpoint.unigram().plan().noise_multiplier()
                                  : checkpoint.topics().plan().noise_multiplier();
}

absl::Status CheckNoise(const PlanRequest& asked, const v1::CheckpointFile& checkpoint,
                        const NoiseRules& rules) {
  constexpr double kTolerance = 1e-3;
  const double there = NoiseMultiplierOf(checkpoint);
  if (asked.noise_multiplier.has_value()) {
    return CheckFlag("noise-multiplier", *asked.noise_multiplier, there);
  }
  TW_ASSIGN_OR_RETURN(const double again,
                      ChooseNoiseMultiplier(rules.policy, TargetOf(asked, rules.description)));
  if (std::abs(again - there) <= kTolerance * there) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const double epsilon, PriceAlone(rules.policy, checkpoint));
  return CheckFlag("epsilon", *asked.epsilon, epsilon);
}

// `there`: of the fit that was begun.
absl::Status CheckSameStart(const FitSettings& settings, const v1::WarmStart& there) {
  const std::string asked =
      settings.initial_model.has_value() ? SourceDigest(*settings.initial_model) : "";
  if (asked == there.source_sha256()) return absl::OkStatus();
  const auto shown = [](const std::string& digest) {
    return digest.empty() ? std::string("none")
                          : absl::StrCat("a model of digest ", base::Hex(digest));
  };
  return CheckFlag("init", shown(asked), shown(there.source_sha256()));
}

// With what a fit that has begun says of K and J, where nothing else was wished.
PlanRequest AskedOf(const FitSettings& settings, int num_topics, int iterations) {
  PlanRequest asked = settings.plan;
  if (!settings.automatic.has_value()) return asked;
  asked.num_topics = settings.automatic->num_topics.value_or(num_topics);
  asked.iterations = settings.automatic->iterations.value_or(iterations);
  return asked;
}

}  // namespace

absl::Status CheckSameFit(const FitSettings& settings, const v1::CheckpointFile& checkpoint,
                          const NoiseRules& rules) {
  const v1::PlanSpec& plan = checkpoint.topics().plan();
  const PlanRequest asked = AskedOf(settings, plan.lda().num_topics(), plan.iterations());
  TW_RETURN_IF_ERROR(CheckFlag("corpus", asked.corpus, plan.corpus()));
  TW_RETURN_IF_ERROR(CheckFlag("algorithm", asked.algorithm, checkpoint.algorithm()));
  TW_RETURN_IF_ERROR(CheckFlag("topics", asked.num_topics, plan.lda().num_topics()));
  TW_RETURN_IF_ERROR(CheckFlag("iterations", asked.iterations, plan.iterations()));
  TW_RETURN_IF_ERROR(CheckFlag("sampling-rate", asked.sampling_rate, plan.sampling_rate()));
  if (asked.max_words.has_value()) {
    TW_RETURN_IF_ERROR(CheckFlag("max-words", *asked.max_words, int64_t{plan.max_words()}));
  }
  TW_RETURN_IF_ERROR(CheckFlag("held-out-share", asked.held_out_share, plan.held_out_share()));
  TW_RETURN_IF_ERROR(CheckSameStart(settings, checkpoint.warm_start()));
  TW_RETURN_IF_ERROR(CheckNoise(asked, checkpoint, rules));
  TW_RETURN_IF_ERROR(
      CheckFlag("clip-norm", settings.choices.clip_norm, checkpoint.first_clip_norm()));
  return CheckFlag("seed", settings.choices.seed, uint64_t{checkpoint.seed()});
}

absl::Status CheckSameModel(const FitSettings& settings, const v1::ModelFile& model) {
  const PlanRequest asked = AskedOf(settings, model.num_topics(), model.iterations());
  TW_RETURN_IF_ERROR(CheckFlag("corpus", asked.corpus, model.corpus()));
  TW_RETURN_IF_ERROR(CheckFlag("topics", asked.num_topics, model.num_topics()));
  TW_RETURN_IF_ERROR(CheckFlag("iterations", asked.iterations, model.iterations()));
  TW_RETURN_IF_ERROR(CheckFlag("held-out-share", asked.held_out_share, model.held_out_share()));
  TW_RETURN_IF_ERROR(CheckSameStart(settings, model.warm_start()));
  return CheckFlag("algorithm", asked.algorithm, model.algorithm());
}

}  // namespace topicwall::client
