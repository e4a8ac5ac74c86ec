#include "server/vault/e_step_request.h"

#include "base/status_macros.h"
#include "proto/request_digest.h"
#include "server/vault/asked_model.h"
#include "server/vault/request_validator.h"

namespace topicwall::server {

EStepRequest::EStepRequest(Caller caller, ServedCorpus* corpus, v1::EStepHeader header,
                           v1::PlanSpec plan, std::unique_ptr<model::StatisticModel> model,
                           std::vector<float> parameters, const base::Digest& digest)
    : caller_(std::move(caller)),
      corpus_(corpus),
      header_(std::move(header)),
      plan_(std::move(plan)),
      model_(std::move(model)),
      parameters_(std::move(parameters)),
      digest_(digest) {}

absl::StatusOr<AdmittedEStep> AdmittedEStep::Admit(Wall& wall, const Caller& caller,
                                                   const v1::EStepHeader& header) {
  TW_ASSIGN_OR_RETURN(v1::PlanState state,
                      wall.ledger().GetPlan(caller.principal, header.plan_id()));
  TW_RETURN_IF_ERROR(
      wall.authorizer().Authorize(caller, state.plan().corpus(), Activity::kQuery).status());
  ServedCorpus* corpus = wall.FindVersion(state.plan().corpus_version());
  if (corpus == nullptr || corpus->config.name() != state.plan().corpus()) {
    return absl::FailedPreconditionError(
        "the plan's version of the corpus is no longer served; cancel the plan");
  }
  TW_RETURN_IF_ERROR(ValidateEStepHeader(header, state.plan(), corpus->config.limits()));
  return AdmittedEStep(caller, corpus, header, std::move(*state.mutable_plan()));
}

int64_t AdmittedEStep::vocabulary_size() const {
  return static_cast<int64_t>(corpus_->store->vocabulary().size());
}

absl::StatusOr<EStepRequest> AdmittedEStep::WithTopics(std::vector<float> log_topics) && {
  const base::Digest digest = proto::RequestDigest(header_, log_topics);
  if (base::DigestBytes(digest) != header_.request_digest()) {
    return absl::InvalidArgumentError(
        "request_digest must be the digest of the header and the topics that were received; it is "
        "not. Send the request again.");
  }
  TW_ASSIGN_OR_RETURN(std::unique_ptr<model::StatisticModel> model,
                      AskedModel(TopicsOf(plan_, header_), vocabulary_size()));
  TW_RETURN_IF_ERROR(model->Check(log_topics));
  return EStepRequest(std::move(caller_), corpus_, std::move(header_), std::move(plan_),
                      std::move(model), std::move(log_topics), digest);
}

}  // namespace topicwall::server
