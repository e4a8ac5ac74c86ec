// What is kept of a plan (paid_release.h) is the checkpoint: the completed plan, its ids, the
// algorithm's state and iterations_done, in one file written whole. A release is never taken in
// twice, because what it changed and the number that counts it are one write.
#include "client/fit/trainer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/audit/takings.h"
#include "client/exit_code.h"
#include "client/fit/checkpoint.h"
#include "client/wall/paid_release.h"
#include "proto/budget_refusal.h"
#include "proto/told_numbers.h"
#include "proto/wall.pb.h"

namespace topicwall::client {
namespace {

// The first stage without a reservation, once all before it are done; 0 if there is none.
int StageToReserve(const v1::CheckpointFile& fit) {
  for (int i = 0; i < fit.stages_size(); ++i) {
    const v1::FitStage& stage = fit.stages(i);
    if (stage.plan().plan_id().empty()) return i;
    if (stage.iterations_done() < stage.plan().plan().iterations()) break;
  }
  return 0;
}

int IterationsFrom(const v1::CheckpointFile& fit, int first) {
  int iterations = 0;
  for (int i = first; i < fit.stages_size(); ++i) {
    iterations += fit.stages(i).plan().plan().iterations();
  }
  return iterations;
}

// ", 0.5797 of the budget" as `plans` lists it; "" if the wall does not say just now.
std::string PaidText(WallPort& wall, const v1::CheckpointFile& fit) {
  const absl::StatusOr<v1::BudgetStatus> budget = wall.GetBudget(fit.spec().corpus());
  if (!budget.ok()) return "";
  const absl::StatusOr<Takings> takings = TakingsOf(wall, *budget);
  if (!takings.ok()) return "";
  std::set<std::string> own;
  for (const v1::FitStage& stage : fit.stages()) own.insert(stage.plan().plan_id());
  double paid = 0;
  for (const PlanTaking& plan : takings->plans) {
    if (own.count(plan.plan_id) > 0) paid += plan.taken.told;
  }
  return absl::StrCat(", ", proto::EpsilonText(paid), " of the budget");
}

// A refusal of stage `number`, which was quoted as fitting when the stages before were agreed to.
absl::Status WithPaid(WallPort& wall, const v1::CheckpointFile& fit, int number,
                      absl::Status error) {
  const std::optional<v1::PrivacyBudgetExhausted> refusal = proto::BudgetExhaustedOf(error);
  if (number == 0 || !refusal.has_value()) return error;
  const int rest = IterationsFrom(fit, number);
  // All releases of a fit have one price, so that it does not matter of which stage they are.
  const auto fits = static_cast<int>(std::min<int64_t>(refusal->most_iterations(), rest));
  std::string text =
      absl::StrCat("Since the quote others have taken of the budget. The fit's releases so far",
                   PaidText(wall, fit),
                   ", are paid: they stay in the folder, and are not paid again.\n  Of its ", rest,
                   " releases to come ");
  if (fits < fit.stages_size() - number) {
    absl::StrAppend(&text, fits == 0 ? "none fits" : "too few fit",
                    " just now. The same command goes on once there is room again; what fits now "
                    "is another fit with more noise, with another --model.");
  } else {
    const int iterations = fit.spec().iterations() - rest + fits;
    absl::StrAppend(&text, fits, fits == 1 ? " still fits" : " still fit",
                    ": the same command with --iterations ", iterations,
                    " goes on with so many, here. As it was it goes on once there is room again.");
  }
  return WithReason(std::move(error), text);
}

// That nothing is reserved for the stage, nor will be.
absl::Status CheckNotReserved(WallPort& wall, const v1::FitPlan& plan) {
  if (plan.request_id().empty()) return absl::OkStatus();
  // A run may have died before it had its answer.
  v1::ReservePlanRequest request;
  request.set_request_id(plan.request_id());
  *request.mutable_plan() = plan.plan();
  const absl::StatusOr<v1::PlanState> state = wall.ReservePlan(request);
  if (proto::BudgetExhaustedOf(state.status()).has_value()) return absl::OkStatus();
  TW_RETURN_IF_ERROR(state.status());
  return absl::FailedPreconditionError(absl::StrCat(
      "there is room for the fit as it was begun: its plan ", state->plan_id(), " of ",
      plan.plan().iterations(),
      " iterations is reserved, and nothing of it is charged yet. Give the command that it was "
      "begun with to go on with it; `topicwall cancel ",
      state->plan_id(), "` gives the plan back, and ends the fit."));
}

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
  absl::Status end = RunPlan(
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
  return plan.plan_id().empty() ? WithPaid(params.wall, fit.checkpoint, number, std::move(end))
                                : end;
}

}  // namespace

bool MayBeShortened(const v1::CheckpointFile& fit) { return StageToReserve(fit) > 0; }

absl::StatusOr<v1::CheckpointFile> Shortened(WallPort& wall, v1::CheckpointFile fit,
                                             int iterations) {
  const int first = StageToReserve(fit);
  int rest = IterationsFrom(fit, first);
  const int fixed = fit.spec().iterations() - rest;
  const int least = fixed + fit.stages_size() - first;
  if (!(iterations >= least)) {
    return absl::InvalidArgumentError(
        absl::StrCat("iterations must be at least ", least,
                     " for what this fit has paid and one a stage to come; got ", iterations, "."));
  }
  TW_RETURN_IF_ERROR(CheckNotReserved(wall, fit.stages(first).plan()));
  // Before anything is changed, for a state is of its stages.
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<FitAlgorithm> algorithm, RestoreAlgorithm(fit));
  int left = iterations - fixed;
  for (int i = first; i < fit.stages_size(); ++i) {
    v1::ReleaseSpec& plan = *fit.mutable_stages(i)->mutable_plan()->mutable_plan();
    const int behind = fit.stages_size() - 1 - i;
    const auto share = static_cast<int>(int64_t{left} * plan.iterations() / rest);
    rest -= plan.iterations();
    // In the shares of before, rounded down: what is over goes to the last, the result.
    plan.set_iterations(behind == 0 ? left : std::clamp(share, 1, left - behind));
    left -= plan.iterations();
  }
  fit.mutable_spec()->set_iterations(iterations);
  v1::FitPlan& next = *fit.mutable_stages(first)->mutable_plan();
  TW_ASSIGN_OR_RETURN(*next.mutable_plan(), algorithm->BeginStage(first, next.plan()));
  fit.set_state(algorithm->State());
  // Of another plan.
  TW_ASSIGN_OR_RETURN(*next.mutable_request_id(), NewRequestId());
  return fit;
}

absl::StatusOr<TrainedFit> Train(const TrainerParams& params, v1::CheckpointFile checkpoint) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<FitAlgorithm> algorithm, RestoreAlgorithm(checkpoint));
  TrainedFit fit = {.checkpoint = std::move(checkpoint), .algorithm = std::move(algorithm)};
  for (int stage = 0; stage < fit.checkpoint.stages_size(); ++stage) {
    TW_RETURN_IF_ERROR(RunStage(params, stage, fit));
  }
  return fit;
}

}  // namespace topicwall::client
