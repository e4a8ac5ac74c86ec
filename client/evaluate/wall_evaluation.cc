// A plan whose J releases all ask the same (ask_paid.h): the model, and two numbers back.
//
// Averaging over J is not the same as one release with less noise: each cuts the documents into
// other halves, which evens out the chance of the split as well.
#include "client/evaluate/wall_evaluation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/spend.h"
#include "client/evaluate/evaluation_question.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/fit_planner.h"
#include "client/fit/fit_spec.h"
#include "client/fit/model_file.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

absl::Status CheckWish(const EvaluationWish& wish) {
  TW_RETURN_IF_ERROR(CheckNoise(wish.noise));
  if (!(wish.held_out_share > 0 && wish.held_out_share <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("held-out-share must be in (0, 1]; got ", wish.held_out_share,
                     ". Fit with --held-out-share, or name the share of the units to evaluate."));
  }
  TW_RETURN_IF_ERROR(CheckFromOne("releases", wish.releases));
  TW_RETURN_IF_ERROR(CheckFromOne("max-words", wish.max_words));
  const double words = wish.words_per_unit.value_or(kWordsPerUnit);
  if (words >= 1 && words <= 1e6) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("words-per-unit must be in [1, 1000000]; got ", words, "."));
}

// Everything but σ.
v1::ReleaseSpec UnpricedPlan(const EvaluationWish& wish, const v1::CorpusDescription& description) {
  v1::ReleaseSpec plan;
  plan.set_corpus(wish.corpus);
  plan.set_corpus_version(description.corpus_version());
  // Everybody who is held out: they are few, and drawing some of them would make the noise count
  // for more.
  plan.set_sampling_rate(1);
  plan.set_iterations(wish.releases);
  plan.set_max_tokens(wish.max_words.value_or(description.limits().max_tokens()));
  plan.set_held_out_share(wish.held_out_share);
  plan.set_held_out_only(true);
  return plan;
}

void Note(const EvaluationQuote& quote, const v1::ModelFile& model, v1::EvaluationFile& file) {
  file.set_topics_sha256(TopicsSha256(model));
  file.set_format_version(kEvaluationFormatVersion);
  *file.mutable_unit_naming() = UnitNamingOf(quote.description);
  file.set_clip_norm(quote.clip_norm);
  file.set_nats_taken_off(NatsTakenOff(model));
  // A vector that is a unit by itself is of no number of words.
  const bool is_of_owners = quote.description.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
  if (!model.has_gaussian() || is_of_owners) file.set_words_per_unit(quote.words_per_unit);
}

// Two numbers there are: the shape was checked with the release.
void Take(const Release& release, v1::EvaluationFile& file) {
  file.add_negative_log_likelihoods(double{release.statistics[0]});
  file.add_words(double{release.statistics[1]});
  file.set_noise_standard_deviation(release.header.noise_standard_deviation());
}

}  // namespace

std::optional<double> ExpectedError(const EvaluationQuote& quote) {
  const v1::ReleaseSpec& plan = quote.plan;
  const auto weights = proto::FloatsFromLittleEndian(plan.weights());
  if (quote.description.nominal_size() < 1 || !weights.ok() || weights->size() != 2) {
    return std::nullopt;
  }
  const double units =
      static_cast<double>(quote.description.nominal_size()) * plan.held_out_share();
  // C counts for nothing: a0 = C/weights[0] and n0 = C/weights[1] are only needed as a0/n0.
  const double noise = plan.gaussian().noise_multiplier() / std::sqrt(plan.iterations());
  const double nats_per_item = double{(*weights)[1]} / double{(*weights)[0]};
  // ΣA of vectors is about 0, so that n's noise counts for nothing: σ·a0 over h·D units of 0.9·n0.
  if (plan.model() == kGaussianLikelihood) return noise * nats_per_item / (units * kShareOfVectors);
  // EstimateOf's error with h·D typical units for Σn = h·D·n0/√2: √2·σ·a0 over it.
  return 2 * noise * nats_per_item / units;
}

absl::StatusOr<EvaluationQuote> QuoteEvaluation(WallPort& wall, const EvaluationWish& wish,
                                                const v1::ModelFile& model) {
  TW_RETURN_IF_ERROR(CheckWish(wish));
  EvaluationQuote quote;
  TW_ASSIGN_OR_RETURN(static_cast<PlanQuote&>(quote), BeginQuote(wall, wish.corpus, model));
  quote.plan = UnpricedPlan(wish, quote.description);
  // Longer than counts no unit can be, and the noise would be that of units so long.
  quote.words_per_unit =
      std::min(WordsPerUnit(wish, model),
               static_cast<double>(MostWordsPerUnit(quote.description, wish.max_words)));
  TW_ASSIGN_OR_RETURN(quote.clip_norm,
                      AskAbout(model, quote.words_per_unit, quote.description, &quote.plan));
  TW_RETURN_IF_ERROR(PriceAtMost(wall, wish.noise, quote));
  quote.was_trained_on = SawHeldOut(model, quote.plan, UnitNamingOf(quote.description));
  return quote;
}

absl::StatusOr<WallEvaluation> EvaluateBehindTheWall(WallPort& wall, ModelDirectory& directory,
                                                     const EvaluationWish& wish,
                                                     const EvaluationHooks& hooks) {
  TW_RETURN_IF_ERROR(CheckWish(wish));
  TW_ASSIGN_OR_RETURN(const v1::ModelFile model, ReadModelSoFar(directory.path()));
  using File = v1::EvaluationFile;
  TW_ASSIGN_OR_RETURN(
      Asked<File> asked,
      (AskPaid<File, EvaluationQuote>(
          wall, directory,
          {.corpus = wish.corpus,
           .path = EvaluationPath(directory.path(), wish, model),
           .read = ReadEvaluation,
           .quote = [&]() -> absl::StatusOr<EvaluationQuote> {
             TW_RETURN_IF_ERROR(CheckHasEnded(wall, model, directory.path()));
             return QuoteEvaluation(wall, wish, model);
           },
           .note = [&](const EvaluationQuote& quote, File& file) { Note(quote, model, file); },
           .custodian_id = [&](const File&) { return model.custodian_id(); },
           .parameters = [&](const File&) { return AskedParameters(model); },
           .corpus_shape = [&](const File&) { return AskedCorpus(model); },
           .releases = [](const File& file) { return file.words_size(); },
           .take = Take},
          hooks)));
  const bool was_trained_on = SawHeldOut(model, asked.file.plan().plan(), asked.file.unit_naming());
  return WallEvaluation{std::move(asked), was_trained_on};
}

}  // namespace topicwall::client
