// From a request of today's protocol, which knows two models by their fields, to a model of the
// table (model/models.h). The only place in the server that knows what a model's options say.
//
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<model::StatisticModel> model,
//                       AskedModel(TopicsOf(plan, header), vocabulary_size));
//
// PUBLIC. Threads: pure functions.
#ifndef TOPICWALL_SERVER_VAULT_ASKED_MODEL_H_
#define TOPICWALL_SERVER_VAULT_ASKED_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "proto/topicwall.pb.h"

namespace topicwall::server {

// What is asked of topics.
struct AskedTopics {
  bool evaluates;                            // document_completion; else lda
  int num_topics;                            // K
  std::vector<double> document_topic_prior;  // α: 1 or K
  int max_iterations;                        // of the E-step
  double mean_change_threshold;
};

AskedTopics TopicsOf(const v1::PlanSpec& plan, const v1::EStepHeader& header);

// The most that any request of the plan may ask.
AskedTopics TopicsOf(const v1::PlanSpec& plan, const v1::Limits& limits);

// INVALID_ARGUMENT as model::MakeModel.
absl::StatusOr<std::unique_ptr<model::StatisticModel>> AskedModel(const AskedTopics& asked,
                                                                  int64_t vocabulary_size);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_ASKED_MODEL_H_
