#include "server/vault/asked_model.h"

#include "model/models.h"
#include "proto/models/lda.pb.h"
#include "proto/plan_model.h"

namespace topicwall::server {
namespace {

AskedTopics OfPlan(const v1::PlanSpec& plan) {
  const auto [num_topics, prior] = proto::ModelOf(plan);
  return {.evaluates = plan.has_document_completion(),
          .num_topics = num_topics,
          .document_topic_prior = {prior.begin(), prior.end()},
          .max_iterations = 0,
          .mean_change_threshold = 0};
}

}  // namespace

AskedTopics TopicsOf(const v1::PlanSpec& plan, const v1::EStepHeader& header) {
  AskedTopics asked = OfPlan(plan);
  asked.max_iterations = header.max_e_step_iterations();
  asked.mean_change_threshold = header.mean_change_threshold();
  return asked;
}

AskedTopics TopicsOf(const v1::PlanSpec& plan, const v1::Limits& limits) {
  AskedTopics asked = OfPlan(plan);
  asked.max_iterations = limits.max_e_step_iterations();
  return asked;
}

absl::StatusOr<std::unique_ptr<model::StatisticModel>> AskedModel(const AskedTopics& asked,
                                                                  int64_t vocabulary_size) {
  v1::LdaOptions options;
  options.set_num_topics(asked.num_topics);
  options.mutable_document_topic_prior()->Add(asked.document_topic_prior.begin(),
                                              asked.document_topic_prior.end());
  options.set_max_iterations(asked.max_iterations);
  options.set_mean_change_threshold(asked.mean_change_threshold);
  return model::MakeModel(asked.evaluates ? "document_completion" : "lda",
                          options.SerializeAsString(), vocabulary_size);
}

}  // namespace topicwall::server
