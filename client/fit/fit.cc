#include "client/fit/fit.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/fit/checkpoint.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/fit/fit_planner.h"
#include "client/fit/initial_model.h"
#include "client/fit/model_file.h"
#include "client/fit/trainer.h"

namespace topicwall::client {
namespace {

// What a fit needs of the wall beside releases.
struct Setting {
  v1::CorpusDescription description;
  accountant::AdmissionPolicy policy;
};

absl::StatusOr<Setting> SettingOf(v1::CorpusDescription description,
                                  const v1::BudgetStatus& budget) {
  TW_ASSIGN_OR_RETURN(accountant::AdmissionPolicy policy, PolicyOf(budget));
  return Setting{std::move(description), std::move(policy)};
}

// The plan, as asked for or as the planner chooses it.
absl::StatusOr<PlanRequest> RequestFor(WallPort& wall, const FitSettings& settings) {
  PlanRequest request = settings.plan;
  if (!settings.automatic.has_value()) return request;
  TW_ASSIGN_OR_RETURN(const ProposedFit proposed,
                      ProposeFit(wall, request.corpus, *settings.automatic));
  request.num_topics = proposed.num_topics;
  request.iterations = proposed.iterations;
  return request;
}

// What an initial model has seen of the corpus, the new one has too. So with every further one:
// each began with a model that left as much out.
absl::Status CheckHeldOut(const PlanRequest& request, const v1::ModelFile& initial) {
  if (initial.corpus() != request.corpus || initial.held_out_share() >= request.held_out_share) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("held-out-share must be at most that of an initial model of the same corpus, ",
                   initial.held_out_share(), "; got ", request.held_out_share,
                   ". Begin without --init, or hold as few units out."));
}

// With the warm start that goes with an initial model.
absl::StatusOr<FitChoices> ChoicesFor(WallPort& wall, const FitSettings& settings,
                                      const PlanOffer& offer) {
  FitChoices choices = settings.choices;
  if (!settings.initial_model.has_value()) return choices;
  TW_RETURN_IF_ERROR(CheckHeldOut(settings.plan, *settings.initial_model));
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, FetchVocabulary(wall, offer.description));
  TW_ASSIGN_OR_RETURN(choices.warm_start, NewWarmStart(*settings.initial_model, vocabulary,
                                                       offer.plans.topics.lda().num_topics()));
  return choices;
}

// Nothing is reserved before this returns OK, and only the offer was asked for.
absl::StatusOr<Setting> Begin(WallPort& wall, const FitSettings& settings, const FitHooks& hooks,
                              v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(const PlanRequest request, RequestFor(wall, settings));
  TW_ASSIGN_OR_RETURN(PlanOffer offer, MakeOffer(wall, request));
  TW_RETURN_IF_ERROR(RefusalOf(offer));
  TW_ASSIGN_OR_RETURN(const FitChoices choices, ChoicesFor(wall, settings, offer));
  TW_ASSIGN_OR_RETURN(checkpoint, NewCheckpoint(offer.plans, offer.description, choices));
  TW_RETURN_IF_ERROR(hooks.agree(offer));
  return SettingOf(std::move(offer.description), offer.budget);
}

absl::StatusOr<Setting> Resume(WallPort& wall, const FitSettings& settings,
                               const v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(v1::CorpusDescription description, wall.DescribeCorpus(settings.plan.corpus));
  if (description.corpus_version() != checkpoint.topics().plan().corpus_version() ||
      description.vocabulary_size() != checkpoint.vocabulary_size()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the fit was begun on another version of corpus ", settings.plan.corpus,
        ", which is no longer served. Choose another --model to fit the new version."));
  }
  v1::GetBudgetRequest request;
  request.set_corpus(settings.plan.corpus);
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall.GetBudget(request));
  TW_ASSIGN_OR_RETURN(Setting setting, SettingOf(std::move(description), budget));
  TW_RETURN_IF_ERROR(CheckSameFit(settings, checkpoint,
                                  {.policy = setting.policy, .description = setting.description}));
  return setting;
}

absl::StatusOr<v1::ModelFile> Complete(WallPort& wall, ModelDirectory& directory,
                                       const FitHooks& hooks, const Setting& setting,
                                       v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, FetchVocabulary(wall, setting.description));
  TW_ASSIGN_OR_RETURN(const double epsilon, PriceAlone(setting.policy, checkpoint));
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<FitAlgorithm> algorithm,
      Train({.wall = wall, .directory = directory, .on_progress = hooks.on_progress}, checkpoint));
  v1::ModelFile model = MakeModelFile(algorithm->Model(), vocabulary,
                                      {.checkpoint = checkpoint,
                                       .description = setting.description,
                                       .epsilon = epsilon,
                                       .delta = setting.policy.budget().delta});
  algorithm->Annotate(model);
  TW_RETURN_IF_ERROR(directory.Finish(model));
  return model;
}

}  // namespace

absl::StatusOr<FitResult> Fit(WallPort& wall, ModelDirectory& directory,
                              const FitSettings& settings, const FitHooks& hooks) {
  TW_ASSIGN_OR_RETURN(std::optional<v1::ModelFile> finished, directory.FinishedModel());
  if (finished.has_value()) {
    TW_RETURN_IF_ERROR(CheckSameModel(settings, *finished));
    TW_RETURN_IF_ERROR(directory.RemoveCheckpoint());
    return FitResult{.model = *std::move(finished), .was_finished = true};
  }
  TW_ASSIGN_OR_RETURN(std::optional<v1::CheckpointFile> begun, directory.Checkpoint());
  v1::CheckpointFile checkpoint;
  if (begun.has_value()) checkpoint = *std::move(begun);
  const bool is_new = !begun.has_value();
  TW_ASSIGN_OR_RETURN(const Setting setting, is_new ? Begin(wall, settings, hooks, checkpoint)
                                                    : Resume(wall, settings, checkpoint));
  TW_ASSIGN_OR_RETURN(v1::ModelFile model, Complete(wall, directory, hooks, setting, checkpoint));
  return FitResult{.model = std::move(model), .was_finished = false};
}

}  // namespace topicwall::client
