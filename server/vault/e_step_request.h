// A request for a release on its way in: who asks, for which paid plan, with which parameters.
//
//   header ──Admit──> AdmittedEStep ──WithTopics──> EStepRequest ──> RunPrivateEStep
//
// Admit checks the header's numbers, that the plan is the caller's, and that the
// caller may still query the plan's corpus. WithTopics lets the plan's model check the parameters
// and recomputes the digest over what was really received. Only an
// EStepRequest can be run, and nothing else makes one.
//
// Privacy: PUBLIC to the plan's owner: all of it comes from the analyst.
// Threads: values; not shared.
#ifndef TOPICWALL_SERVER_VAULT_E_STEP_REQUEST_H_
#define TOPICWALL_SERVER_VAULT_E_STEP_REQUEST_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/sha256.h"
#include "model/statistic_model.h"
#include "proto/plan_model.h"
#include "proto/topicwall.pb.h"
#include "server/access/authorizer.h"
#include "server/vault/wall.h"

namespace topicwall::server {

class EStepRequest {
 public:
  const Caller& caller() const { return caller_; }
  ServedCorpus& corpus() const { return *corpus_; }
  const v1::EStepHeader& header() const { return header_; }
  const v1::PlanSpec& plan() const { return plan_; }
  const model::StatisticModel& model() const { return *model_; }
  absl::Span<const float> parameters() const { return parameters_; }  // checked by the model
  const base::Digest& digest() const { return digest_; }

 private:
  friend class AdmittedEStep;
  EStepRequest(Caller caller, ServedCorpus* corpus, v1::EStepHeader header, v1::PlanSpec plan,
               std::unique_ptr<model::StatisticModel> model, std::vector<float> parameters,
               const base::Digest& digest);

  Caller caller_;
  ServedCorpus* corpus_;
  v1::EStepHeader header_;
  v1::PlanSpec plan_;
  std::unique_ptr<model::StatisticModel> model_;
  std::vector<float> parameters_;
  base::Digest digest_;
};

class AdmittedEStep {
 public:
  // INVALID_ARGUMENT for the header, PERMISSION_DENIED for the plan or its corpus.
  static absl::StatusOr<AdmittedEStep> Admit(Wall& wall, const Caller& caller,
                                             const v1::EStepHeader& header);

  const Caller& caller() const { return caller_; }
  ServedCorpus& corpus() const { return *corpus_; }
  int num_topics() const { return proto::ModelOf(plan_).num_topics; }  // K of the topics
  int64_t vocabulary_size() const;                                     // V

  // `log_topics`: K×V, row = topic. INVALID_ARGUMENT for parameters that the model refuses, and for
  // a digest that is not the header's.
  absl::StatusOr<EStepRequest> WithTopics(std::vector<float> log_topics) &&;

 private:
  AdmittedEStep(Caller caller, ServedCorpus* corpus, v1::EStepHeader header, v1::PlanSpec plan)
      : caller_(std::move(caller)),
        corpus_(corpus),
        header_(std::move(header)),
        plan_(std::move(plan)) {}

  Caller caller_;
  ServedCorpus* corpus_;
  v1::EStepHeader header_;
  v1::PlanSpec plan_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_E_STEP_REQUEST_H_
