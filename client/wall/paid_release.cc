// A request is a function of plan, iteration, C, r and ℓ, and the wall keeps a release under its
// digest. So the same question has three answers: the first time it is charged and computed; again
// with the same bits it is the stored release, free; again with other bits it is ALREADY_EXISTS,
// and nothing is charged. The third can happen to one iteration of a fit, the one that an earlier
// run asked for and did not live to take in, if this run's arithmetic gives ℓ other bits.
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
v1::RunReleaseHeader HeaderOf(const ReleaseQuestion& question) {
  v1::RunReleaseHeader header;
  header.set_plan_id(question.plan.plan_id());
  header.set_iteration(question.iteration);
  header.set_clip_norm(question.clip_norm);
  header.set_direction_noise(question.direction_noise);
  header.set_request_digest(
      base::DigestBytes(proto::RequestDigest(header, question.plan.plan(), question.parameters)));
  return header;
}

// What to say instead of `error`, if the wall will never have a release of the iteration, or never
// one more of the plan: it would be asked for, and refused, for ever.
absl::Status OrVoided(WallPort& wall, const ReleaseQuestion& question, absl::Status error) {
  // Nobody would answer the next question either, or somebody wants none asked.
  if (absl::IsUnavailable(error) || absl::IsCancelled(error)) return error;
  const absl::StatusOr<v1::PlanState> plan = wall.GetPlan(question.plan.plan_id());
  if (!plan.ok()) return error;
  if (plan->state() == v1::PlanState::CANCELLED) {
    return absl::FailedPreconditionError(absl::StrCat(
        "plan ", question.plan.plan_id(), " was cancelled: ", plan->iterations_size(), " of its ",
        question.plan.plan().iterations(),
        " releases are paid, and no more will come. What they say is kept and can be read "
        "(`topicwall topics`); begin another fit with another --model, or another question with "
        "another --spend."));
  }
  const int32_t all = question.plan.plan().iterations();
  for (const v1::IterationState& state : plan->iterations()) {
    if (state.iteration() != question.iteration || !state.voided()) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "iteration ", question.iteration, " of plan ", question.plan.plan_id(),
        " was charged and will never have a release: its documents could not be read, or it was "
        "lost. Paid are ",
        plan->iterations_size(), " of ", all,
        " iterations, this one among them; nothing is paid twice, and asking again gives this "
        "answer again. Tell the custodian. `topicwall cancel ",
        question.plan.plan_id(),
        "` gives back what was not charged; another fit takes another --model."));
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

absl::Status ReserveDurably(WallPort& wall, v1::FitPlan& plan, const model::CorpusShape& corpus,
                            absl::Span<const float> parameters,
                            absl::FunctionRef<absl::Status()> write,
                            absl::FunctionRef<absl::Status()> remove,
                            absl::FunctionRef<absl::Status(const v1::PlanState&)> check) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(plan.plan().model(), plan.plan().options(), corpus));
  TW_RETURN_IF_ERROR(model->Check(parameters));
  // Else an earlier run drew it, and may have sent it.
  const bool is_first = plan.request_id().empty();
  if (is_first) {
    TW_ASSIGN_OR_RETURN(*plan.mutable_request_id(), NewRequestId());
  }
  TW_RETURN_IF_ERROR(write());
  v1::ReservePlanRequest request;
  request.set_request_id(plan.request_id());
  *request.mutable_plan() = plan.plan();
  const absl::StatusOr<v1::PlanState> state = wall.ReservePlan(request);
  if (NothingWasReserved(state.status(), is_first)) TW_RETURN_IF_ERROR(remove());
  TW_RETURN_IF_ERROR(state.status());
  if (!base::IsName(state->plan_id())) {
    return absl::InternalError(
        absl::StrCat("the wall gave a plan without an id of ", base::kNameRule, "."));
  }
  TW_RETURN_IF_ERROR(check(*state));
  plan.set_plan_id(state->plan_id());
  return write();
}

absl::Status StoppedAfter(const v1::FitPlan& plan, int64_t done, absl::string_view what) {
  return absl::CancelledError(absl::StrCat(
      "stopped: plan ", plan.plan_id(), " is reserved, ", done, " of ", plan.plan().iterations(),
      " releases", what, " are paid and kept. The same command goes on, and pays nothing twice."));
}

absl::StatusOr<Release> FetchRelease(WallPort& wall, const ReleaseQuestion& question) {
  // It stands in a command that is shown, and may be from a file of anybody's.
  if (!base::IsName(question.plan.plan_id())) {
    return absl::InvalidArgumentError(absl::StrCat("plan_id must be ", base::kNameRule, "; got \"",
                                                   question.plan.plan_id(),
                                                   "\". Ask the custodian."));
  }
  const v1::RunReleaseHeader header = HeaderOf(question);
  const v1::ReleaseSpec& plan = question.plan.plan();
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(plan.model(), plan.options(), question.corpus));
  ExpectedRelease expected = {
      .plan_id = question.plan.plan_id(),
      .iteration = question.iteration,
      .request_digest = proto::RequestDigest(header, plan, question.parameters),
      .shape = model->shape(),
      .clip_norm = question.clip_norm,
      .direction_noise = question.direction_noise,
      .plan = plan};
  absl::StatusOr<Release> release = wall.RunRelease(header, question.parameters, expected.shape);
  // Only for that one iteration. Anywhere else the answer means that somebody else drives this
  // plan, and what they asked for is no part of this fit.
  if (absl::IsAlreadyExists(release.status()) && question.may_be_under_way) {
    release = wall.GetRelease(expected.plan_id, question.iteration, expected.shape);
    // It answers other bits of ℓ. Everything else must be as it was asked for.
    expected.request_digest.reset();
    // Charged, and its instant has not come. UNAVAILABLE tells whoever asked to come again;
    // NOT_FOUND would not.
    if (absl::IsNotFound(release.status())) {
      return absl::UnavailableError("the release that is under way cannot be read yet.");
    }
  }
  if (!release.ok()) return OrVoided(wall, question, release.status());
  TW_RETURN_IF_ERROR(CheckRelease(*release, expected));
  return release;
}

}  // namespace topicwall::client
