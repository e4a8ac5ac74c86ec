// A request for a release on its way in: who asks, for which paid plan, with which parameters.
//
//   header ──Admit──> AdmittedRequest ──WithParameters──> ReleaseRequest ──> RunPrivateEStep
//
// Admit checks the header's numbers, that the plan is the caller's, that the caller may still query
// the plan's corpus, and makes the plan's model. What is not charged yet is held to today's limits
// (ValidateEffort): what is charged is paid, and answered whatever they are now. WithParameters
// lets the model check the parameters and recomputes the digest over what was really received. Only
// a ReleaseRequest can be run, and nothing else makes one.
//
// Privacy: PUBLIC to the plan's owner: all of it comes from the analyst.
// Threads: values; not shared.
#ifndef TOPICWALL_SERVER_VAULT_RELEASE_REQUEST_H_
#define TOPICWALL_SERVER_VAULT_RELEASE_REQUEST_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/sha256.h"
#include "model/statistic_model.h"
#include "proto/wall.pb.h"
#include "server/access/authorizer.h"
#include "server/vault/wall.h"

namespace topicwall::server {

class ReleaseRequest;

class AdmittedRequest {
 public:
  // INVALID_ARGUMENT for the header; PERMISSION_DENIED for the plan or its corpus;
  // FAILED_PRECONDITION for a plan that today's limits do not allow any more.
  static absl::StatusOr<AdmittedRequest> Admit(Wall& wall, const Caller& caller,
                                               const v1::RunReleaseHeader& header);

  const Caller& caller() const { return caller_; }
  ServedCorpus& corpus() const { return *corpus_; }
  int64_t num_parameters() const { return model_->demand().parameters; }

  // INVALID_ARGUMENT for parameters that the model refuses, and for a digest that is not the
  // header's.
  absl::StatusOr<ReleaseRequest> WithParameters(std::vector<float> parameters) &&;

 private:
  friend class ReleaseRequest;
  AdmittedRequest(Caller caller, ServedCorpus* corpus, v1::RunReleaseHeader header,
                  v1::ReleaseSpec plan, std::unique_ptr<model::StatisticModel> model)
      : caller_(std::move(caller)),
        corpus_(corpus),
        header_(std::move(header)),
        plan_(std::move(plan)),
        model_(std::move(model)) {}

  Caller caller_;
  ServedCorpus* corpus_;
  v1::RunReleaseHeader header_;
  v1::ReleaseSpec plan_;
  std::unique_ptr<model::StatisticModel> model_;
};

class ReleaseRequest {
 public:
  const Caller& caller() const { return admitted_.caller_; }
  ServedCorpus& corpus() const { return *admitted_.corpus_; }
  const v1::RunReleaseHeader& header() const { return admitted_.header_; }
  const v1::ReleaseSpec& plan() const { return admitted_.plan_; }
  const model::StatisticModel& model() const { return *admitted_.model_; }
  absl::Span<const float> parameters() const { return parameters_; }  // checked by the model
  const base::Digest& digest() const { return digest_; }

 private:
  friend class AdmittedRequest;
  ReleaseRequest(AdmittedRequest admitted, std::vector<float> parameters,
                 const base::Digest& digest)
      : admitted_(std::move(admitted)), parameters_(std::move(parameters)), digest_(digest) {}

  AdmittedRequest admitted_;
  std::vector<float> parameters_;
  base::Digest digest_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_RELEASE_REQUEST_H_
