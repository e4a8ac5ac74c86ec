// How many words topics have of what a model was fitted to, where its noise is not known.
#ifndef TOPICWALL_CLIENT_TOPICS_TOPIC_MASSES_H_
#define TOPICWALL_CLIENT_TOPICS_TOPIC_MASSES_H_

#include <vector>

#include "model/lda/topics/topic_model.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// Of each topic what λ has beyond the prior, in words, at least 0: K. λ itself would tell small
// topics too large, since each holds all of η·V. `model` is the one of `file`. PUBLIC. Pure.
std::vector<double> MassesBeyondPrior(const v1::ModelFile& file, const lda::TopicModel& model);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_TOPIC_MASSES_H_
