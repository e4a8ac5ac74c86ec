#include "client/fit/fit_outcome.h"

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"

namespace topicwall::client {
namespace {

v1::UnfinishedFit ProgressOf(const v1::CheckpointFile& fit) {
  v1::UnfinishedFit progress;
  for (const v1::FitStage& stage : fit.stages()) {
    progress.set_releases_done(progress.releases_done() + stage.iterations_done());
    progress.set_releases(progress.releases() + stage.plan().plan().iterations());
  }
  return progress;
}

absl::StatusOr<v1::ModelFile> ReadOutcome(const v1::CheckpointFile& fit,
                                          const std::string& directory) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<FitAlgorithm> algorithm, RestoreAlgorithm(fit));
  if (!algorithm->HasTopics()) {
    const v1::UnfinishedFit progress = ProgressOf(fit);
    return absl::FailedPreconditionError(absl::StrCat(
        directory, " holds a fit of which no release says anything of topics yet: ",
        progress.releases_done(), " of ", progress.releases(),
        " are in. Run its `topicwall fit` again; if its plan was cancelled, nothing more comes: "
        "begin another fit with another --model."));
  }
  // Through the checks of every model: what is in a checkpoint may have been edited.
  return ParseModelFile(OutcomeOf(fit, *algorithm).SerializeAsString(), CheckpointPath(directory));
}

}  // namespace

v1::ModelFile OutcomeOf(const v1::CheckpointFile& fit, const FitAlgorithm& algorithm) {
  v1::ModelFile model = fit.model();
  // Of the last stage, whose releases the topics are made of.
  model.set_plan_id(fit.stages(fit.stages_size() - 1).plan().plan_id());
  if (const std::optional<lda::TopicModel> topics = algorithm.Model()) SetTopics(*topics, model);
  model.set_epsilon_taken(fit.epsilon_taken());
  model.set_epsilon_before(fit.epsilon_before());
  *model.mutable_spec() = fit.spec();
  algorithm.Annotate(fit, model);
  const v1::UnfinishedFit progress = ProgressOf(fit);
  const int to_come = progress.releases() - progress.releases_done();
  if (to_come > 0) {
    *model.mutable_unfinished() = progress;
    // Those that it saw: what stands beside the iterations comes before them.
    model.set_iterations(model.iterations() - to_come);
  }
  return model;
}

absl::StatusOr<v1::ModelFile> ReadModelSoFar(const std::string& directory) {
  absl::StatusOr<v1::ModelFile> finished = ReadModel(directory);
  if (!absl::IsNotFound(finished.status())) return finished;
  TW_ASSIGN_OR_RETURN(const std::optional<v1::CheckpointFile> fit, ReadCheckpoint(directory));
  if (fit.has_value()) return ReadOutcome(*fit, directory);
  // The fit may have ended in between.
  return ReadModel(directory);
}

absl::Status CheckHasEnded(WallPort& wall, const v1::ModelFile& model,
                           const std::string& directory) {
  if (!model.has_unfinished()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const std::optional<v1::CheckpointFile> fit, ReadCheckpoint(directory));
  if (!fit.has_value()) return absl::OkStatus();
  for (const v1::FitStage& stage : fit->stages()) {
    // One that is not reserved yet follows one that may be cancelled.
    if (stage.plan().plan_id().empty()) break;
    TW_ASSIGN_OR_RETURN(const v1::PlanState plan, wall.GetPlan(stage.plan().plan_id()));
    if (plan.state() == v1::PlanState::CANCELLED) return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      directory,
      " holds a fit that is not finished, and whose plan is not cancelled: its next release is of "
      "other topics. Run its `topicwall fit` again, or `topicwall cancel`."));
}

std::string UnfinishedText(const v1::UnfinishedFit& progress, const std::string& directory) {
  return absl::StrCat(
      directory, " is unfinished: ", progress.releases_done(), " of ", progress.releases(),
      " releases are in, and this is what they say. ",
      base::FileExists(CheckpointPath(directory))
          ? "Unless its plan was cancelled, the same `topicwall fit` goes on with it."
          : "It is a copy of a fit, which goes on in the folder where it was begun.");
}

NotedPrice NotedPriceOf(const v1::ModelFile& file) {
  NotedPrice price = {.what = "the model",
                      .plan_ids = {},
                      .epsilon = file.epsilon(),
                      .delta = file.delta(),
                      .sum = file.sum()};
  if (file.has_unfinished() || file.plan_id().empty()) return price;
  for (const v1::ModelStage& stage : file.gaussian().stages()) {
    price.plan_ids.push_back(stage.plan_id());
  }
  if (!price.plan_ids.empty()) return price;
  if (!file.unigram_plan_id().empty()) price.plan_ids.push_back(file.unigram_plan_id());
  price.plan_ids.push_back(file.plan_id());
  return price;
}

}  // namespace topicwall::client
