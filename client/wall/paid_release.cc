// A request is a function of plan, iteration, C, r and ℓ, and the wall keeps a release under its
// digest: with other bits it is ALREADY_EXISTS, and nothing is charged.
#include "client/wall/paid_release.h"

#include <sys/random.h>

#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/name.h"
#include "base/status_macros.h"
#include "client/wall/release_check.h"
#include "model/models.h"
#include "proto/budget_refusal.h"
#include "proto/request_digest.h"

namespace topicwall::client {
namespace {

// The digest is over all that is sent, so it is set last.
v1::RunReleaseHeader HeaderOf(const v1::FitPlan& plan, int iteration,
                              const ReleaseQuestion& question) {
  v1::RunReleaseHeader header;
  header.set_plan_id(plan.plan_id());
  header.set_iteration(iteration);
  header.set_clip_norm(question.clip_norm);
  header.set_direction_noise(question.direction_noise);
  header.set_request_digest(
      base::DigestBytes(proto::RequestDigest(header, plan.plan(), question.parameters)));
  return header;
}

// What to say instead of `error`, if the wall will never have a release of the iteration, or never
// one more of the plan: it would be asked for, and refused, for ever.
absl::Status OrVoided(WallPort& wall, const v1::FitPlan& plan, int iteration, absl::Status error) {
  // Nobody would answer the next question either, or somebody wants none asked.
  if (absl::IsUnavailable(error) || absl::IsCancelled(error)) return error;
  const absl::StatusOr<v1::PlanState> state = wall.GetPlan(plan.plan_id());
  if (!state.ok()) return error;
  const int32_t all = plan.plan().iterations();
  if (state->state() == v1::PlanState::CANCELLED) {
    return absl::FailedPreconditionError(absl::StrCat(
        "plan ", plan.plan_id(), " was cancelled: ", state->iterations_size(), " of its ", all,
        " releases are paid, and no more will come. What they say is kept, and `topicwall topics` "
        "reads it if any of it is of topics; begin another fit with another --model, or another "
        "question with another --spend."));
  }
  for (const v1::IterationState& one : state->iterations()) {
    if (one.iteration() != iteration || !one.voided()) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "iteration ", iteration, " of plan ", plan.plan_id(),
        " was charged and will never have a release: its documents could not be read, or it was "
        "lost. Paid are ",
        state->iterations_size(), " of ", all,
        " iterations, this one among them; nothing is paid twice, and asking again gives this "
        "answer again. Tell the custodian. `topicwall cancel ",
        plan.plan_id(),
        "` ends the plan and says what is given back: what was not charged, but nothing after a "
        "restore; another fit takes another --model."));
  }
  return error;
}

// Whether this answer to ReservePlan says that nothing is reserved under its request_id, for good.
bool NothingWasReserved(const absl::Status& refusal, bool is_first) {
  // A list of the answers that are certain to come before anything is set aside. Every other error
  // may have come after it, and who then forgets the request_id reserves, and pays, a second time.
  if (proto::BudgetExhaustedOf(refusal).has_value()) return true;  // counted for new ids alone
  // What was taken once may be against a limit that the wall was given since.
  return is_first && absl::IsInvalidArgument(refusal);
}

absl::Status Reserve(WallPort& wall, const PlanRun& run) {
  v1::FitPlan& plan = run.plan;
  TW_ASSIGN_OR_RETURN(const ReleaseQuestion question, run.next());
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<model::StatisticModel> model,
      model::MakeModel(plan.plan().model(), plan.plan().options(), question.corpus));
  TW_RETURN_IF_ERROR(model->Check(question.parameters));
  // Else an earlier run drew it, and may have sent it.
  const bool is_first = plan.request_id().empty();
  if (is_first) {
    TW_ASSIGN_OR_RETURN(*plan.mutable_request_id(), NewRequestId());
  }
  TW_RETURN_IF_ERROR(run.write());
  v1::ReservePlanRequest request;
  request.set_request_id(plan.request_id());
  *request.mutable_plan() = plan.plan();
  const absl::StatusOr<v1::PlanState> state = wall.ReservePlan(request);
  if (NothingWasReserved(state.status(), is_first)) TW_RETURN_IF_ERROR(run.remove());
  TW_RETURN_IF_ERROR(state.status());
  if (!base::IsName(state->plan_id())) {
    return absl::InternalError(
        absl::StrCat("the wall gave a plan without an id of ", base::kNameRule, "."));
  }
  TW_RETURN_IF_ERROR(run.check(*state));
  plan.set_plan_id(state->plan_id());
  return run.write();
}

// `may_be_under_way`: an earlier run may have asked for it.
absl::StatusOr<Release> Fetch(WallPort& wall, const v1::FitPlan& reserved, int iteration,
                              const ReleaseQuestion& question, bool may_be_under_way) {
  // It stands in a command that is shown, and may be from a file of anybody's.
  if (!base::IsName(reserved.plan_id())) {
    return absl::InvalidArgumentError(absl::StrCat("plan_id must be ", base::kNameRule, "; got \"",
                                                   reserved.plan_id(), "\". Ask the custodian."));
  }
  const v1::RunReleaseHeader header = HeaderOf(reserved, iteration, question);
  const v1::ReleaseSpec& plan = reserved.plan();
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(plan.model(), plan.options(), question.corpus));
  ExpectedRelease expected = {
      .plan_id = reserved.plan_id(),
      .iteration = iteration,
      .request_digest = proto::RequestDigest(header, plan, question.parameters),
      .shape = model->shape(),
      .clip_norm = question.clip_norm,
      .direction_noise = question.direction_noise,
      .plan = plan};
  absl::StatusOr<Release> release = wall.RunRelease(header, question.parameters, expected.shape);
  // Only for that one iteration. Anywhere else the answer means that somebody else drives this
  // plan, and what they asked for is no part of this fit.
  if (absl::IsAlreadyExists(release.status()) && may_be_under_way) {
    release = wall.GetRelease(expected.plan_id, iteration, expected.shape);
    // It answers other bits of ℓ. Everything else must be as it was asked for.
    expected.request_digest.reset();
    // Charged, and its instant has not come. UNAVAILABLE tells whoever asked to come again;
    // NOT_FOUND would not.
    if (absl::IsNotFound(release.status())) {
      return absl::UnavailableError("the release that is under way cannot be read yet.");
    }
  }
  if (!release.ok()) return OrVoided(wall, reserved, iteration, release.status());
  TW_RETURN_IF_ERROR(CheckRelease(*release, expected));
  return release;
}

}  // namespace

// From the system and not from a seed: two fits with one id would be one plan to the wall.
absl::StatusOr<std::string> NewRequestId() {
  std::string id(kRequestIdSize, '\0');
  ssize_t got;
  do {
    got = ::getrandom(id.data(), id.size(), 0);
  } while (got < 0 && errno == EINTR);
  // The system call never splits a request this short.
  if (got != static_cast<ssize_t>(id.size())) {
    return absl::UnavailableError("the operating system gave no random bytes. Try again.");
  }
  return id;
}

absl::Status RunPlan(WallPort& wall, const PlanRun& run) {
  // A plan with an id is an earlier run's, which may have died between asking for a release and
  // keeping it. Without one nothing can have been asked for.
  bool may_be_under_way = !run.plan.plan_id().empty();
  if (!may_be_under_way) TW_RETURN_IF_ERROR(Reserve(wall, run));
  run.on_progress();
  const int all = run.plan.plan().iterations();
  while (run.releases() < all) {
    if (run.should_stop && run.should_stop()) {
      return absl::CancelledError(
          absl::StrCat("stopped: plan ", run.plan.plan_id(), " is reserved, ", run.releases(),
                       " of ", all, " releases", run.of_what,
                       " are paid and kept. The same command goes on, and pays nothing twice."));
    }
    TW_ASSIGN_OR_RETURN(const ReleaseQuestion question, run.next());
    TW_ASSIGN_OR_RETURN(const Release release,
                        Fetch(wall, run.plan, run.releases() + 1, question, may_be_under_way));
    TW_RETURN_IF_ERROR(run.take(release));
    TW_RETURN_IF_ERROR(run.write());
    // No earlier run has asked for what follows.
    may_be_under_way = false;
    run.on_progress();
  }
  return absl::OkStatus();
}

}  // namespace topicwall::client
