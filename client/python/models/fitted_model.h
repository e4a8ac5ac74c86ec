// A model's file as Python holds it: read once, never changed, and the owner of every view of it.
#ifndef TOPICWALL_CLIENT_PYTHON_MODELS_FITTED_MODEL_H_
#define TOPICWALL_CLIENT_PYTHON_MODELS_FITTED_MODEL_H_

#include <string>

#include "client/topics/topic_labels.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct FittedModel {
  v1::ModelFile file;  // parsed (client/fit/model_file.h)
  std::string path;    // folder; empty if it is in none
  // Of one in none: what its topics are called, or nothing. In a folder they are as it says.
  TopicLabels labels;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_MODELS_FITTED_MODEL_H_
