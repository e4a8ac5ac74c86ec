#include "client/fit/trainer.h"

#include <utility>

#include "base/status_macros.h"
#include "client/fit/checkpoint.h"
#include "client/wall/paid_release.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::client {
namespace {

// A fit under way: all that writes into a checkpoint.
class RunningFit {
 public:
  RunningFit(const TrainerParams& params, TrainedFit& fit) : params_(params), fit_(fit) {}

  absl::Status RunStage(int number) {
    v1::FitStage& stage = *fit_.checkpoint.mutable_stages(number);
    v1::FitPlan& plan = *stage.mutable_plan();
    if (plan.request_id().empty()) TW_RETURN_IF_ERROR(Complete(number, plan));
    // By an earlier run.
    bool may_be_under_way = !plan.plan_id().empty();
    if (!may_be_under_way) TW_RETURN_IF_ERROR(Reserve(number, plan));
    Show(stage);
    while (stage.iterations_done() < plan.plan().iterations()) {
      TW_RETURN_IF_ERROR(Iterate(stage, may_be_under_way));
      may_be_under_way = false;
      Show(stage);
    }
    return absl::OkStatus();
  }

 private:
  // Nothing of it is computed again once the request is durable: another machine might send another
  // plan under the same request_id, and would never have an answer.
  absl::Status Complete(int number, v1::FitPlan& plan) {
    TW_ASSIGN_OR_RETURN(*plan.mutable_plan(), fit_.algorithm->BeginStage(number, plan.plan()));
    fit_.checkpoint.set_state(fit_.algorithm->State());
    TW_ASSIGN_OR_RETURN(*plan.mutable_request_id(), NewRequestId());
    return absl::OkStatus();
  }

  absl::Status Reserve(int number, v1::FitPlan& plan) {
    TW_RETURN_IF_ERROR(params_.directory.WriteCheckpoint(fit_.checkpoint));
    v1::ReservePlanRequest request;
    request.set_request_id(plan.request_id());
    *request.mutable_plan() = plan.plan();
    const absl::StatusOr<v1::PlanState> state = params_.wall.ReservePlan(request);
    // What an earlier stage paid for is kept.
    if (NothingWasReserved(state.status()) && number == 0) {
      TW_RETURN_IF_ERROR(params_.directory.RemoveCheckpoint());
    }
    TW_RETURN_IF_ERROR(state.status());
    if (state->plan_id().empty()) return absl::InternalError("the wall gave a plan without an id.");
    plan.set_plan_id(state->plan_id());
    return params_.directory.WriteCheckpoint(fit_.checkpoint);
  }

  absl::Status Iterate(v1::FitStage& stage, bool may_be_under_way) {
    TW_ASSIGN_OR_RETURN(const lda::LogTopics log_topics, fit_.algorithm->NextLogTopics());
    TW_ASSIGN_OR_RETURN(
        const Release release,
        FetchRelease(params_.wall, {.plan = stage.plan(),
                                    .iteration = stage.iterations_done() + 1,
                                    .clip_norm = fit_.algorithm->clip_norm(),
                                    .log_topics = log_topics,
                                    .max_e_step_iterations = stage.max_e_step_iterations(),
                                    .mean_change_threshold = stage.mean_change_threshold(),
                                    .may_be_under_way = may_be_under_way}));
    TW_RETURN_IF_ERROR(fit_.algorithm->TakeIn(release));
    stage.set_iterations_done(stage.iterations_done() + 1);
    fit_.checkpoint.set_state(fit_.algorithm->State());
    return params_.directory.WriteCheckpoint(fit_.checkpoint);
  }

  void Show(const v1::FitStage& stage) const {
    if (params_.on_progress) params_.on_progress(stage);
  }

  const TrainerParams& params_;
  TrainedFit& fit_;
};

}  // namespace

absl::StatusOr<TrainedFit> Train(const TrainerParams& params, v1::CheckpointFile checkpoint) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<FitAlgorithm> algorithm, RestoreAlgorithm(checkpoint));
  TrainedFit fit = {.checkpoint = std::move(checkpoint), .algorithm = std::move(algorithm)};
  RunningFit running(params, fit);
  for (int stage = 0; stage < fit.checkpoint.stages_size(); ++stage) {
    TW_RETURN_IF_ERROR(running.RunStage(stage));
  }
  return fit;
}

}  // namespace topicwall::client
