// A model in which topics that say the same are one.
//
// A merged topic stands where the first of its group stood, and the others keep their order. What λ
// has beyond η adds up (each topic holds η once), and is never less than in one of the group; α
// adds up, and of a mixture the weights. So do the sizes that topics had, with the noise in them:
// what is read of the model says the shares that were read before, of merged topics their sum, and
// the same corpus. What else the model said of its noise is of the topics that were released, and
// goes; so does where its first topics came from.
//
// Errors: INVALID_ARGUMENT unless each group has two topics or more, of those there are, and no
// topic is named twice; FAILED_PRECONDITION of a mixture of Gaussians. PUBLIC: post-processing,
// which costs nothing. Pure. Cost: a pass over K×V.
#ifndef TOPICWALL_CLIENT_TOPICS_TOPIC_MERGE_H_
#define TOPICWALL_CLIENT_TOPICS_TOPIC_MERGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "proto/model.pb.h"

namespace topicwall::client {

using TopicGroups = std::vector<std::vector<int>>;  // topics from 0, in any order

// Which topic of the merged model each of `num_topics` is in.
absl::StatusOr<std::vector<int>> PlacesAfterMerge(int num_topics, const TopicGroups& groups);

absl::StatusOr<v1::ModelFile> MergeTopics(const v1::ModelFile& file, const TopicGroups& groups);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_TOPIC_MERGE_H_
