#include "server/audit/walls/in_process_release.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "proto/request_digest.h"
#include "server/random/secure_random.h"
#include "server/release/release_queue.h"
#include "server/vault/private_e_step.h"

namespace topicwall::audit {
namespace {

// Keeps nothing, so that an answer takes no memory.
class Answer final : public ledger::ReleaseSink {
 public:
  absl::Status Header(const v1::ReleaseHeader& header) override {
    release_.waited_ms = header.readable_at_ms() - header.charged_at_ms();
    return absl::OkStatus();
  }
  absl::Status Statistics(int64_t /*first_entry*/, absl::string_view values) override {
    release_.bytes += static_cast<int64_t>(values.size());
    return absl::OkStatus();
  }

  const InProcessRelease& release() const { return release_; }

 private:
  InProcessRelease release_ = {};
};

absl::StatusOr<std::string> Reserve(AuditedWall& wall, const v1::ReleaseSpec& plan) {
  TW_ASSIGN_OR_RETURN(const auto id, random::Random128());
  const ledger::ReserveRequest request{
      .purse = {.principal = AuditedWall::kAlice,
                .epsilon_cap = std::nullopt,
                .max_releases = std::numeric_limits<int64_t>::max()},
      .request_id = std::string(id.begin(), id.end()),
      .plan = plan,
      .now_ms = wall.clock().NowMs()};
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall.wall().ledger().Reserve(request));
  return state.plan_id();
}

}  // namespace

absl::StatusOr<InProcessRequest> InProcessRequest::Make(AuditedWall& wall,
                                                        const v1::ReleaseSpec& plan,
                                                        const ReleaseQuestion& question) {
  TW_ASSIGN_OR_RETURN(const std::string plan_id, Reserve(wall, plan));
  v1::RunReleaseHeader header;
  header.set_plan_id(plan_id);
  header.set_iteration(1);
  header.set_clip_norm(question.clip_norm);
  header.set_request_digest(
      base::DigestBytes(proto::RequestDigest(header, plan, question.log_topics)));
  TW_ASSIGN_OR_RETURN(
      server::AdmittedRequest admitted,
      server::AdmittedRequest::Admit(
          wall.wall(), {.principal = AuditedWall::kAlice, .is_auditor = false}, header));
  TW_ASSIGN_OR_RETURN(server::ReleaseRequest request,
                      std::move(admitted).WithParameters(question.log_topics));
  return InProcessRequest(&wall.wall(), std::move(request));
}

absl::StatusOr<InProcessRelease> InProcessRequest::Run() {
  const v1::CorpusConfig& corpus = request_.corpus().config;
  std::optional<release::ReleaseQueue::Place> place =
      wall_->queue().Enter({.corpus = corpus.name(),
                            .length = corpus.limits().queue_length(),
                            .principal = request_.caller().principal});
  if (!place.has_value()) return absl::UnavailableError("the queue is full");
  Answer answer;
  TW_RETURN_IF_ERROR(server::RunPrivateEStep(*wall_, request_, *std::move(place), answer));
  return answer.release();
}

}  // namespace topicwall::audit
