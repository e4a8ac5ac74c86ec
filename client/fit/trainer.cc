#include "client/fit/trainer.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/initial_model.h"
#include "client/wall/paid_release.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::client {
namespace {

// Reserves `plan`, a part of the checkpoint, and notes its id.
absl::Status Reserve(const TrainerParams& params, v1::CheckpointFile& checkpoint,
                     v1::FitPlan& plan) {
  TW_RETURN_IF_ERROR(params.directory.WriteCheckpoint(checkpoint));
  v1::ReservePlanRequest request;
  request.set_request_id(plan.request_id());
  *request.mutable_plan() = plan.plan();
  const absl::StatusOr<v1::PlanState> state = params.wall.ReservePlan(request);
  if (NothingWasReserved(state.status()) && checkpoint.unigram_sums().empty()) {
    TW_RETURN_IF_ERROR(params.directory.RemoveCheckpoint());
  }
  TW_RETURN_IF_ERROR(state.status());
  if (state->plan_id().empty()) return absl::InternalError("the wall gave a plan without an id.");
  plan.set_plan_id(state->plan_id());
  return params.directory.WriteCheckpoint(checkpoint);
}

// One iteration that is wanted of the wall.
struct Question {
  const v1::FitPlan& plan;
  int32_t iteration;
  double clip_norm;
  const lda::LogTopics& log_topics;
  bool may_be_under_way;  // an earlier run may have asked for it
};

absl::StatusOr<Release> Ask(WallPort& wall, const v1::CheckpointFile& checkpoint,
                            const Question& question) {
  return FetchRelease(wall, {.plan = question.plan,
                             .iteration = question.iteration,
                             .clip_norm = question.clip_norm,
                             .log_topics = question.log_topics,
                             .max_e_step_iterations = checkpoint.max_e_step_iterations(),
                             .mean_change_threshold = checkpoint.mean_change_threshold(),
                             .may_be_under_way = question.may_be_under_way});
}

// Reserves and runs the unigram's plan of one release.
absl::Status FindUnigram(const TrainerParams& params, v1::CheckpointFile& checkpoint) {
  v1::FitPlan& plan = *checkpoint.mutable_unigram();
  const bool may_be_under_way = !plan.plan_id().empty();
  if (!may_be_under_way) TW_RETURN_IF_ERROR(Reserve(params, checkpoint, plan));
  TW_ASSIGN_OR_RETURN(const lda::LogTopics one_topic,
                      lda::FlatLogTopics(1, static_cast<int>(checkpoint.vocabulary_size())));
  TW_ASSIGN_OR_RETURN(const Release release, Ask(params.wall, checkpoint,
                                                 {.plan = plan,
                                                  .iteration = 1,
                                                  .clip_norm = kUnigramClipNorm,
                                                  .log_topics = one_topic,
                                                  .may_be_under_way = may_be_under_way}));
  TW_RETURN_IF_ERROR(BeginUnigram(release, checkpoint));
  return params.directory.WriteCheckpoint(checkpoint);
}

// What follows from the unigram: term weights, and whether a warm start is one.
absl::Status UseUnigram(v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(const std::vector<double> unigram, UnigramOf(checkpoint));
  TW_ASSIGN_OR_RETURN(*checkpoint.mutable_topics()->mutable_plan()->mutable_term_weights(),
                      TermWeightsOf(unigram));
  return DecideWarmStart(unigram, checkpoint);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FitAlgorithm>> Train(const TrainerParams& params,
                                                    v1::CheckpointFile& checkpoint) {
  v1::FitPlan& plan = *checkpoint.mutable_topics();
  if (checkpoint.has_unigram()) {
    if (checkpoint.unigram_sums().empty()) TW_RETURN_IF_ERROR(FindUnigram(params, checkpoint));
    if (plan.plan().term_weights().empty()) TW_RETURN_IF_ERROR(UseUnigram(checkpoint));
  }
  TW_ASSIGN_OR_RETURN(std::unique_ptr<FitAlgorithm> algorithm, RestoreAlgorithm(checkpoint));
  bool may_be_under_way = !plan.plan_id().empty();
  if (!may_be_under_way) TW_RETURN_IF_ERROR(Reserve(params, checkpoint, plan));
  if (params.on_progress) params.on_progress(checkpoint);
  while (checkpoint.iterations_done() < plan.plan().iterations()) {
    TW_ASSIGN_OR_RETURN(const Release release, Ask(params.wall, checkpoint,
                                                   {.plan = plan,
                                                    .iteration = checkpoint.iterations_done() + 1,
                                                    .clip_norm = checkpoint.clip_norm(),
                                                    .log_topics = algorithm->NextLogTopics(),
                                                    .may_be_under_way = may_be_under_way}));
    TW_RETURN_IF_ERROR(algorithm->TakeIn(release));
    algorithm->Save(checkpoint);
    TW_RETURN_IF_ERROR(params.directory.WriteCheckpoint(checkpoint));
    may_be_under_way = false;
    if (params.on_progress) params.on_progress(checkpoint);
  }
  return algorithm;
}

}  // namespace topicwall::client
