// What is shown of a mixture of Gaussians: its components, of which component vectors of one's own
// are, and how well it predicts them. Components have the number of their row, from 1, as topics.
//
// `model`: of algorithm `gaussian`, parsed (client/fit/model_file.h). `vectors`: a file of them
// (client/evaluate/evaluator.h), whose errors these are. Threads: one.
#ifndef TOPICWALL_CLIENT_COMMANDS_TOPICS_GAUSSIAN_TEXT_H_
#define TOPICWALL_CLIENT_COMMANDS_TOPICS_GAUSSIAN_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/topics/topic_labels.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// Heaviest first: share, its 95 % margin for noise, the root of the summed variances and the
// distance of the mean from that of the whole, both in the units of the vectors as they were given;
// as JSON means and deviations as well.
std::string ComponentsText(const v1::ModelFile& model, const TopicLabels& labels, bool as_json);

absl::StatusOr<std::string> AssignedVectorsText(const v1::ModelFile& model,
                                                const std::string& vectors, bool as_json);

absl::StatusOr<std::string> LogLikelihoodText(const v1::ModelFile& model,
                                              const std::string& vectors, bool as_json);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_TOPICS_GAUSSIAN_TEXT_H_
