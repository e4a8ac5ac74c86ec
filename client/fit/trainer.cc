// What is durable when, for one stage:
//   1. the completed plan, its request_id and the algorithm's state: before ReservePlan is sent;
//   2. plan_id: once it was answered;
//   3. state and iterations_done, in one file written whole: once a release was taken in.
// A crash before 1 has asked for nothing. After it, the same plan is asked for under the same id,
// and is the same plan. After 2, or between two of 3, one iteration is asked for again, which the
// wall answers from its store if it was charged. A release is never taken in twice, because what it
// changed and the number that counts it are one write.
#include "client/fit/trainer.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/fit/checkpoint.h"
#include "client/wall/paid_release.h"

namespace topicwall::client {
namespace {

// Nothing of it is computed again once the request is durable: another machine might send another
// plan under the same request_id, and would never have an answer.
absl::Status Complete(int number, v1::FitPlan& plan, TrainedFit& fit) {
  TW_ASSIGN_OR_RETURN(*plan.mutable_plan(), fit.algorithm->BeginStage(number, plan.plan()));
  fit.checkpoint.set_state(fit.algorithm->State());
  return absl::OkStatus();
}

absl::Status Reserve(const TrainerParams& params, int number, v1::FitPlan& plan, TrainedFit& fit) {
  if (plan.request_id().empty()) TW_RETURN_IF_ERROR(Complete(number, plan, fit));
  TW_ASSIGN_OR_RETURN(const std::vector<float> parameters, fit.algorithm->NextParameters());
  TW_ASSIGN_OR_RETURN(const model::CorpusShape corpus, CorpusShapeOf(fit.checkpoint));
  return ReserveDurably(
      params.wall, plan, corpus, parameters,
      [&] { return params.directory.WriteCheckpoint(fit.checkpoint); },
      // What an earlier stage paid for is kept.
      [&] { return number == 0 ? params.directory.RemoveCheckpoint() : absl::OkStatus(); },
      [&plan](const v1::PlanState& state) { return CheckReserved(plan, state); });
}

absl::Status Iterate(const TrainerParams& params, bool may_be_under_way, v1::FitStage& stage,
                     TrainedFit& fit) {
  TW_ASSIGN_OR_RETURN(const std::vector<float> parameters, fit.algorithm->NextParameters());
  TW_ASSIGN_OR_RETURN(model::CorpusShape corpus, CorpusShapeOf(fit.checkpoint));
  TW_ASSIGN_OR_RETURN(
      const Release release,
      FetchRelease(params.wall, {.plan = stage.plan(),
                                 .iteration = stage.iterations_done() + 1,
                                 .clip_norm = fit.algorithm->clip_norm(),
                                 .corpus = std::move(corpus),
                                 .parameters = parameters,
                                 .may_be_under_way = may_be_under_way,
                                 .direction_noise = fit.algorithm->direction_noise()}));
  TW_RETURN_IF_ERROR(fit.algorithm->TakeIn(release));
  stage.set_iterations_done(stage.iterations_done() + 1);
  fit.checkpoint.set_state(fit.algorithm->State());
  return params.directory.WriteCheckpoint(fit.checkpoint);
}

// From wherever it is to its end.
absl::Status RunStage(const TrainerParams& params, int number, TrainedFit& fit) {
  v1::FitStage& stage = *fit.checkpoint.mutable_stages(number);
  v1::FitPlan& plan = *stage.mutable_plan();
  // Without a plan_id nothing can have been asked for, whoever died.
  bool may_be_under_way = !plan.plan_id().empty();  // asked for by an earlier run
  if (!may_be_under_way) TW_RETURN_IF_ERROR(Reserve(params, number, plan, fit));
  if (params.on_progress) params.on_progress(stage);
  while (stage.iterations_done() < plan.plan().iterations()) {
    if (params.should_stop && params.should_stop()) {
      return StoppedAfter(plan, stage.iterations_done(),
                          absl::StrCat(" of its stage ", stage.name()));
    }
    TW_RETURN_IF_ERROR(Iterate(params, may_be_under_way, stage, fit));
    // From the second iteration on this run knows what was asked: it has asked itself.
    may_be_under_way = false;
    if (params.on_progress) params.on_progress(stage);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TrainedFit> Train(const TrainerParams& params, v1::CheckpointFile checkpoint) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<FitAlgorithm> algorithm, RestoreAlgorithm(checkpoint));
  TrainedFit fit = {.checkpoint = std::move(checkpoint), .algorithm = std::move(algorithm)};
  for (int stage = 0; stage < fit.checkpoint.stages_size(); ++stage) {
    TW_RETURN_IF_ERROR(RunStage(params, stage, fit));
  }
  return fit;
}

}  // namespace topicwall::client
