#include "client/paid_release.h"

#include "accountant/status_macros.h"
#include "client/release_check.h"
#include "proto/budget_refusal.h"
#include "proto/plan_model.h"
#include "proto/request_digest.h"

namespace topicwall::client {
namespace {

v1::EStepHeader HeaderOf(const ReleaseQuestion& question) {
  v1::EStepHeader header;
  header.set_plan_id(question.plan.plan_id());
  header.set_iteration(question.iteration);
  header.set_clip_norm(question.clip_norm);
  header.set_max_e_step_iterations(question.max_e_step_iterations);
  header.set_mean_change_threshold(question.mean_change_threshold);
  header.set_request_digest(
      proto::DigestBytes(proto::RequestDigest(header, question.log_topics.values())));
  return header;
}

}  // namespace

bool NothingWasReserved(const absl::Status& refusal) {
  return absl::IsInvalidArgument(refusal) || proto::BudgetExhaustedOf(refusal).has_value();
}

absl::StatusOr<Release> FetchRelease(WallPort& wall, const ReleaseQuestion& question) {
  const lda::LogTopics& log_topics = question.log_topics;
  const v1::EStepHeader header = HeaderOf(question);
  const proto::StatisticShape shape =
      proto::ReleaseShapeOf(question.plan.plan(), log_topics.vocabulary_size());
  ExpectedRelease expected = {.plan_id = question.plan.plan_id(),
                              .iteration = question.iteration,
                              .request_digest = proto::RequestDigest(header, log_topics.values()),
                              .shape = {.num_topics = shape.rows, .vocabulary_size = shape.columns},
                              .clip_norm = question.clip_norm,
                              .plan = question.plan.plan()};
  absl::StatusOr<Release> release = wall.RunEStep(header, log_topics.values(), expected.shape);
  if (absl::IsAlreadyExists(release.status()) && question.may_be_under_way) {
    release = wall.GetRelease(expected.plan_id, question.iteration, expected.shape);
    expected.request_digest.reset();
    if (absl::IsNotFound(release.status())) {
      return absl::UnavailableError("the release that is under way cannot be read yet.");
    }
  }
  TW_RETURN_IF_ERROR(release.status());
  TW_RETURN_IF_ERROR(CheckRelease(*release, expected));
  return release;
}

}  // namespace topicwall::client
