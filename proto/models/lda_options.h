// The bytes of an LdaOptions, for ReleaseSpec.options.
//
//   plan.set_model("lda");
//   plan.set_options(proto::LdaOptionBytes(50, {1.0 / 50}, 20, 1e-3));
//
// Of numbers out of any range too: the model refuses them. PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_PROTO_MODELS_LDA_OPTIONS_H_
#define TOPICWALL_PROTO_MODELS_LDA_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "proto/models/lda.pb.h"

namespace topicwall::proto {

inline std::string LdaOptionBytes(int32_t num_topics, const std::vector<double>& prior,
                                  int32_t max_iterations, double mean_change_threshold) {
  v1::LdaOptions options;
  options.set_num_topics(num_topics);
  options.mutable_document_topic_prior()->Add(prior.begin(), prior.end());
  options.set_max_iterations(max_iterations);
  options.set_mean_change_threshold(mean_change_threshold);
  return options.SerializeAsString();
}

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_MODELS_LDA_OPTIONS_H_
