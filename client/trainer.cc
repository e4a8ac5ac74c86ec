#include "client/trainer.h"

#include <utility>

#include "accountant/status_macros.h"
#include "client/checkpoint.h"
#include "client/release_check.h"
#include "lda/for_each_block.h"
#include "proto/budget_refusal.h"
#include "proto/request_digest.h"

namespace topicwall::client {
namespace {

// Whether the wall has decided, for good, that nothing is reserved under this request_id.
bool NothingWasReserved(const absl::Status& refusal) {
  return absl::IsInvalidArgument(refusal) || proto::BudgetExhaustedOf(refusal).has_value();
}

absl::Status Reserve(const TrainerParams& params, v1::CheckpointFile& checkpoint) {
  TW_RETURN_IF_ERROR(params.directory.WriteCheckpoint(checkpoint));
  v1::ReservePlanRequest request;
  request.set_request_id(checkpoint.request_id());
  *request.mutable_plan() = checkpoint.plan();
  const absl::StatusOr<v1::PlanState> plan = params.wall.ReservePlan(request);
  if (NothingWasReserved(plan.status())) {
    TW_RETURN_IF_ERROR(params.directory.RemoveCheckpoint());
  }
  TW_RETURN_IF_ERROR(plan.status());
  if (plan->plan_id().empty()) return absl::InternalError("the wall gave a plan without an id.");
  checkpoint.set_plan_id(plan->plan_id());
  return params.directory.WriteCheckpoint(checkpoint);
}

v1::EStepHeader HeaderOf(const v1::CheckpointFile& checkpoint, int32_t iteration,
                         const lda::LogTopics& log_topics) {
  v1::EStepHeader header;
  header.set_plan_id(checkpoint.plan_id());
  header.set_iteration(iteration);
  header.set_clip_norm(checkpoint.clip_norm());
  header.set_max_e_step_iterations(checkpoint.max_e_step_iterations());
  header.set_mean_change_threshold(checkpoint.mean_change_threshold());
  header.set_request_digest(proto::DigestBytes(proto::RequestDigest(header, log_topics.values())));
  return header;
}

// The noisy sum of one iteration. `may_be_under_way`: an earlier run may have asked for it.
absl::StatusOr<Release> Ask(WallPort& wall, const v1::CheckpointFile& checkpoint,
                            const lda::LogTopics& log_topics, bool may_be_under_way) {
  const int32_t iteration = checkpoint.iterations_done() + 1;
  const v1::EStepHeader header = HeaderOf(checkpoint, iteration, log_topics);
  ExpectedRelease expected = {.plan_id = checkpoint.plan_id(),
                              .iteration = iteration,
                              .request_digest = proto::RequestDigest(header, log_topics.values()),
                              .shape = {.num_topics = log_topics.num_topics(),
                                        .vocabulary_size = log_topics.vocabulary_size()},
                              .clip_norm = checkpoint.clip_norm(),
                              .noise_multiplier = checkpoint.plan().noise_multiplier()};
  absl::StatusOr<Release> release = wall.RunEStep(header, log_topics.values(), expected.shape);
  if (absl::IsAlreadyExists(release.status()) && may_be_under_way) {
    release = wall.GetRelease(expected.plan_id, iteration, expected.shape);
    expected.request_digest.reset();
    if (absl::IsNotFound(release.status())) {
      return absl::UnavailableError("the release that is under way cannot be read yet.");
    }
  }
  TW_RETURN_IF_ERROR(release.status());
  TW_RETURN_IF_ERROR(CheckRelease(*release, expected));
  return release;
}

}  // namespace

absl::StatusOr<std::unique_ptr<lda::MStep>> Train(const TrainerParams& params,
                                                  v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<lda::MStep> m_step, RestoreMStep(checkpoint));
  m_step->UseThreads(lda::NumProcessors());
  bool may_be_under_way = !checkpoint.plan_id().empty();
  if (!may_be_under_way) {
    TW_RETURN_IF_ERROR(Reserve(params, checkpoint));
  }
  if (params.on_progress) params.on_progress(checkpoint);
  while (checkpoint.iterations_done() < checkpoint.plan().iterations()) {
    TW_ASSIGN_OR_RETURN(const Release release,
                        Ask(params.wall, checkpoint, m_step->NextLogTopics(), may_be_under_way));
    TW_RETURN_IF_ERROR(m_step->Update(release.statistics));
    SaveMStep(*m_step, checkpoint);
    TW_RETURN_IF_ERROR(params.directory.WriteCheckpoint(checkpoint));
    may_be_under_way = false;
    if (params.on_progress) params.on_progress(checkpoint);
  }
  return m_step;
}

}  // namespace topicwall::client
