// A mixture of Gaussians whose numbers are round: two components in three dimensions, of vectors at
// most 2 long.
#ifndef TOPICWALL_TESTS_CLIENT_TOPICS_MADE_UP_GAUSSIANS_H_
#define TOPICWALL_TESTS_CLIENT_TOPICS_MADE_UP_GAUSSIANS_H_

#include "client/fit/model_file.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline v1::ModelFile MadeUpGaussians() {
  v1::ModelFile file;
  file.set_format_version(kModelFormatVersion);
  file.set_algorithm("gaussian");
  file.set_corpus("faces");
  file.set_tokenizer("vectors");
  file.set_num_topics(2);
  file.set_vocabulary_size(3);
  for (const char* name : {"x1", "x2", "x3"}) file.add_terms(name);
  for (const double weight : {0.25, 0.75}) file.add_component_weights(weight);
  v1::GaussianComponents& gaussian = *file.mutable_gaussian();
  for (const double mean : {0.5, 0.0, 0.0, 0.0, -0.25, 0.5}) gaussian.add_means(mean);
  for (int i = 0; i < 6; ++i) gaussian.add_variances(0.01);
  gaussian.set_norm_bound(2);
  gaussian.set_count_deviation(0.1);
  return file;
}

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_TOPICS_MADE_UP_GAUSSIANS_H_
