#include "client/fit/fit_spec.h"

#include <type_traits>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/exit_code.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/initial_model.h"

namespace topicwall::client {
namespace {

std::string JsonValue(const std::string& value) { return base::JsonString(value); }
template <typename T>
std::string JsonValue(const T& value) {
  if constexpr (std::is_integral_v<T>) return absl::StrCat(value);
  return base::JsonNumber(static_cast<double>(value));
}

// Exactly, doubles as well: the same digits are typed again, and stand in the file as they were
// read.
template <typename T>
absl::Status CheckFlag(absl::string_view flag, const T& asked, const T& there) {
  if (asked == there) return absl::OkStatus();
  return WithDetail(
      absl::InvalidArgumentError(absl::StrCat(
          "the model folder holds a fit with ", flag, " ", there, "; this command says ", asked,
          ". Give the same flags to go on with it, or choose another --model.")),
      base::JsonObject()
          .SetString("kind", "plan_mismatch")
          .SetString("flag", flag)
          .SetRaw("was", JsonValue(there))
          .SetRaw("now", JsonValue(asked)));
}

// What is left open may be anything.
template <typename T>
absl::Status CheckFlag(absl::string_view flag, const std::optional<T>& asked, const T& there) {
  return asked.has_value() ? CheckFlag(flag, *asked, there) : absl::OkStatus();
}

std::string InitialDigest(const FitSpec& spec) {
  if (!spec.initial_sha256.empty()) return spec.initial_sha256;
  return spec.initial_model == nullptr ? "" : SourceDigest(*spec.initial_model);
}

absl::Status CheckSameStart(const FitSpec& asked, const std::string& there) {
  // By content: a path says nothing of what lay there when the fit was begun.
  const auto shown = [](const std::string& digest) {
    return digest.empty() ? std::string("none")
                          : absl::StrCat("a model of digest ", base::Hex(digest));
  };
  return CheckFlag("init", shown(InitialDigest(asked)), shown(there));
}

absl::Status CheckSameAnchors(const FitSpec& asked, const v1::FitSpec& begun) {
  const auto shown = [](const Anchors& anchors) {
    return anchors.empty() ? std::string("none") : AnchorsJson(anchors);
  };
  return CheckFlag("anchors", shown(asked.anchors),
                   shown({begun.anchors().begin(), begun.anchors().end()}));
}

// As it was said: what "all" was is the budget's of the day on which the fit was begun.
absl::Status CheckSameSpend(const FitSpec& asked, const v1::FitSpec& begun) {
  if (!asked.spend.has_value()) return absl::OkStatus();
  const absl::StatusOr<Spend> there = ParseSpend(begun.spend());
  if (there.ok() && there->kind == asked.spend->kind && there->amount == asked.spend->amount) {
    return absl::OkStatus();  // 2 and 2.0 are one wish
  }
  const std::string shown = begun.spend().empty() ? "none" : begun.spend();
  return CheckFlag("spend", asked.spend->text, shown);
}

}  // namespace

absl::StatusOr<FitSpec> WithDefaults(FitSpec spec) {
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(spec.algorithm));
  if (!spec.anchors.empty() && (!method->takes_anchors || spec.initial_model != nullptr)) {
    return absl::InvalidArgumentError(
        absl::StrCat("anchors are for algorithms denoised and mixture, without an initial model; "
                     "got ",
                     method->takes_anchors ? "one" : "algorithm " + spec.algorithm, "."));
  }
  if (!spec.num_topics.has_value() && spec.initial_model != nullptr) {
    spec.num_topics = spec.initial_model->num_topics();
  }
  // A planner chooses J with K and σ; a default here would be taken for the analyst's wish.
  if (!spec.iterations.has_value() && !spec.is_planned) spec.iterations = method->iterations;
  if (!spec.sampling_rate.has_value()) spec.sampling_rate = method->sampling_rate;
  if (!spec.clip_norm.has_value()) spec.clip_norm = method->clip_norm;
  return spec;
}

v1::FitSpec RecordOf(const FitSpec& spec) {
  v1::FitSpec record;
  record.set_corpus(spec.corpus);
  record.set_algorithm(spec.algorithm);
  record.set_num_topics(spec.num_topics.value_or(0));
  record.set_iterations(spec.iterations.value_or(0));
  record.set_sampling_rate(spec.sampling_rate.value_or(0));
  record.set_epsilon(spec.epsilon.value_or(0));
  record.set_noise_multiplier(spec.noise_multiplier.value_or(0));
  record.set_clip_norm(spec.clip_norm.value_or(0));
  record.set_max_words(spec.max_words.value_or(0));
  record.set_held_out_share(spec.held_out_share);
  record.set_seed(spec.seed);
  record.set_initial_model_sha256(InitialDigest(spec));
  record.mutable_anchors()->Assign(spec.anchors.begin(), spec.anchors.end());
  if (spec.spend.has_value()) record.set_spend(spec.spend->text);
  record.set_words_per_unit(spec.planning.WordsPerUnit());
  return record;
}

absl::Status CheckSameFit(const FitSpec& asked, const v1::FitSpec& begun) {
  TW_RETURN_IF_ERROR(CheckFlag("corpus", asked.corpus, begun.corpus()));
  TW_RETURN_IF_ERROR(CheckFlag("algorithm", asked.algorithm, begun.algorithm()));
  TW_RETURN_IF_ERROR(CheckFlag("topics", asked.num_topics, begun.num_topics()));
  TW_RETURN_IF_ERROR(CheckFlag("iterations", asked.iterations, begun.iterations()));
  TW_RETURN_IF_ERROR(CheckFlag("sampling-rate", asked.sampling_rate, begun.sampling_rate()));
  TW_RETURN_IF_ERROR(CheckFlag("max-words", asked.max_words, int64_t{begun.max_words()}));
  TW_RETURN_IF_ERROR(CheckFlag("held-out-share", asked.held_out_share, begun.held_out_share()));
  TW_RETURN_IF_ERROR(CheckSameStart(asked, begun.initial_model_sha256()));
  TW_RETURN_IF_ERROR(CheckSameAnchors(asked, begun));
  TW_RETURN_IF_ERROR(
      CheckFlag("noise-multiplier", asked.noise_multiplier, begun.noise_multiplier()));
  TW_RETURN_IF_ERROR(CheckFlag("epsilon-alone", asked.epsilon, begun.epsilon()));
  TW_RETURN_IF_ERROR(CheckSameSpend(asked, begun));
  TW_RETURN_IF_ERROR(CheckFlag("clip-norm", asked.clip_norm, begun.clip_norm()));
  return CheckFlag("seed", asked.seed, uint64_t{begun.seed()});
}

absl::Status CheckSameModel(const FitSpec& asked, const v1::ModelFile& model) {
  if (model.has_spec()) return CheckSameFit(asked, model.spec());
  TW_RETURN_IF_ERROR(CheckFlag("corpus", asked.corpus, model.corpus()));
  TW_RETURN_IF_ERROR(CheckFlag("topics", asked.num_topics, model.num_topics()));
  TW_RETURN_IF_ERROR(CheckFlag("iterations", asked.iterations, model.iterations()));
  TW_RETURN_IF_ERROR(CheckFlag("held-out-share", asked.held_out_share, model.held_out_share()));
  TW_RETURN_IF_ERROR(CheckSameStart(asked, model.warm_start().source_sha256()));
  return CheckFlag("algorithm", asked.algorithm, model.algorithm());
}

}  // namespace topicwall::client
