// What is kept of a plan (paid_release.h) is the checkpoint: the completed plan, its ids, the
// algorithm's state and iterations_done, in one file written whole. A release is never taken in
// twice, because what it changed and the number that counts it are one write.
#include "client/fit/trainer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/fit/checkpoint.h"
#include "client/wall/paid_release.h"

namespace topicwall::client {
namespace {

// From wherever it is to its end.
absl::Status RunStage(const TrainerParams& params, int number, TrainedFit& fit) {
  v1::FitStage& stage = *fit.checkpoint.mutable_stages(number);
  v1::FitPlan& plan = *stage.mutable_plan();
  // Nothing of it is computed again once the request is durable: another machine might send another
  // plan under the same request_id, and would never have an answer.
  if (plan.request_id().empty()) {
    TW_ASSIGN_OR_RETURN(*plan.mutable_plan(), fit.algorithm->BeginStage(number, plan.plan()));
    fit.checkpoint.set_state(fit.algorithm->State());
  }
  const auto next = [&fit]() -> absl::StatusOr<ReleaseQuestion> {
    ReleaseQuestion question = {.clip_norm = fit.algorithm->clip_norm(),
                                .direction_noise = fit.algorithm->direction_noise()};
    TW_ASSIGN_OR_RETURN(question.parameters, fit.algorithm->NextParameters());
    TW_ASSIGN_OR_RETURN(question.corpus, CorpusShapeOf(fit.checkpoint));
    return question;
  };
  const auto take = [&fit, &stage](const Release& release) -> absl::Status {
    TW_RETURN_IF_ERROR(fit.algorithm->TakeIn(release));
    stage.set_iterations_done(stage.iterations_done() + 1);
    fit.checkpoint.set_state(fit.algorithm->State());
    return absl::OkStatus();
  };
  // What an earlier stage paid for is kept.
  const auto remove = [&params, number] {
    return number == 0 ? params.directory.RemoveCheckpoint() : absl::OkStatus();
  };
  return RunPlan(
      params.wall,
      {.plan = plan,
       .releases = [&stage] { return stage.iterations_done(); },
       .next = next,
       .take = take,
       .write = [&params, &fit] { return params.directory.WriteCheckpoint(fit.checkpoint); },
       .remove = remove,
       .check = [&plan](const v1::PlanState& reserved) { return CheckReserved(plan, reserved); },
       .on_progress =
           [&params, &stage] {
             if (params.on_progress) params.on_progress(stage);
           },
       .should_stop = params.should_stop,
       .of_what = absl::StrCat(" of its stage ", stage.name())});
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
