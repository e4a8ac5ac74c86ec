// What tests ask of topics in a plan: the models "lda" and "document_completion".
#ifndef TOPICWALL_TESTS_SUPPORT_TOPIC_PLANS_H_
#define TOPICWALL_TESTS_SUPPORT_TOPIC_PLANS_H_

#include <vector>

#include "proto/models/lda_options.h"
#include "proto/wall.pb.h"

namespace topicwall::testing {

// K topics, α, and an E-step of at most 10 iterations.
inline void AskTopics(v1::ReleaseSpec* plan, const char* model, int num_topics,
                      const std::vector<double>& prior, int max_iterations = 10) {
  plan->set_model(model);
  plan->set_options(proto::LdaOptionBytes(num_topics, prior, max_iterations, 1e-3));
}

// Of a plan that asks for topics.
inline v1::LdaOptions OptionsOf(const v1::ReleaseSpec& plan) {
  v1::LdaOptions options;
  options.ParseFromString(plan.options());
  return options;
}

template <typename Change>
void ChangeOptions(v1::ReleaseSpec* plan, Change change) {
  v1::LdaOptions options = OptionsOf(*plan);
  change(options);
  plan->set_options(options.SerializeAsString());
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_TOPIC_PLANS_H_
