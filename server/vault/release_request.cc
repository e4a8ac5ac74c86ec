#include "server/vault/release_request.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/request_digest.h"
#include "server/vault/request_validator.h"

namespace topicwall::server {
namespace {

bool IsCharged(const v1::PlanState& state, int iteration) {
  return std::any_of(
      state.iterations().begin(), state.iterations().end(),
      [&](const v1::IterationState& charged) { return charged.iteration() == iteration; });
}

}  // namespace

// The right to the corpus is asked for again: a plan outlives an access that was withdrawn. And the
// limits are today's, for what the custodian has lowered since must hold: of what is not yet paid.
absl::StatusOr<AdmittedRequest> AdmittedRequest::Admit(Wall& wall, const Caller& caller,
                                                       const v1::RunReleaseHeader& header) {
  TW_ASSIGN_OR_RETURN(v1::PlanState state,
                      wall.ledger().GetPlan(caller.principal, header.plan_id()));
  TW_RETURN_IF_ERROR(
      wall.authorizer().Authorize(caller, state.plan().corpus(), Activity::kQuery).status());
  ServedCorpus* corpus = wall.FindVersion(state.plan().corpus_version());
  if (corpus == nullptr || corpus->config.name() != state.plan().corpus()) {
    return absl::FailedPreconditionError(
        "the plan's version of the corpus is no longer served; cancel the plan");
  }
  TW_RETURN_IF_ERROR(ValidateReleaseHeader(header, state.plan(), corpus->config.limits()));
  const PlanBounds bounds = {.corpus = corpus->store->description(),
                             .limits = corpus->config.limits(),
                             .max_matrix_bytes = wall.config().max_matrix_bytes()};
  TW_ASSIGN_OR_RETURN(std::unique_ptr<model::StatisticModel> model,
                      ModelOf(state.plan(), bounds.corpus));
  const absl::Status allowed = IsCharged(state, header.iteration())
                                   ? absl::OkStatus()
                                   : ValidateEffort(state.plan(), *model, bounds);
  if (!allowed.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        allowed.message(),
        " The plan was reserved under a higher limit, and nothing was charged: ask the custodian "
        "to put it back, or cancel the plan, which gives back what was not charged."));
  }
  return AdmittedRequest(caller, corpus, header, std::move(*state.mutable_plan()),
                         std::move(model));
}

// The digest is worked out here, over what came. The noise derives from it, and by it a charge is
// found again: taken on trust it would let another sum be computed under the same charge and the
// same noise, and in their difference there is no noise.
absl::StatusOr<ReleaseRequest> AdmittedRequest::WithParameters(std::vector<float> parameters) && {
  const base::Digest digest = proto::RequestDigest(header_, plan_, parameters);
  if (base::DigestBytes(digest) != header_.request_digest()) {
    return absl::InvalidArgumentError(
        "request_digest must be the digest of the header, the plan's model and the parameters that "
        "were received; it is not. Send the request again.");
  }
  TW_RETURN_IF_ERROR(model_->Check(parameters));
  return ReleaseRequest(std::move(*this), std::move(parameters), digest);
}

}  // namespace topicwall::server
