// labels.txt, beside a model: what the analyst calls its topics.
//
//   absl::StatusOr<TopicLabels> labels = ReadLabels("notes.model", file);
//   (*labels)[2] = "heart disease";                                // topic 3
//   absl::Status status = WriteLabels("notes.model", *labels);    // durable when it returns
//
// A line for each topic that has a label: its number from 1, a blank, the label. The file may be
// written by hand. It is beside the model and not in it: what was released stays, byte for byte,
// what it was. A topic of an anchor (client/fit/anchors.h) that has no line is called by its name.
//
// Errors: INVALID_ARGUMENT, naming the line and what is wrong: a label is one line of valid UTF-8,
// of 1 to 100 bytes, and no topic has two. PUBLIC: the analyst's own words. Threads: one writer a
// folder.
#ifndef TOPICWALL_CLIENT_TOPICS_TOPIC_LABELS_H_
#define TOPICWALL_CLIENT_TOPICS_TOPIC_LABELS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/model.pb.h"

namespace topicwall::client {

using TopicLabels = std::vector<std::string>;  // K, "" for a topic without one

// Of the model in the folder; without such a file the names of its anchors.
absl::StatusOr<TopicLabels> ReadLabels(const std::string& folder, const v1::ModelFile& model);

// INVALID_ARGUMENT unless it may be a label.
absl::Status CheckLabel(absl::string_view label);
// What topics are called after a merge (client/topics/topic_merge.h), by the places that they are at
// then: of a group as the first that has a label.
TopicLabels LabelsAt(const std::vector<int>& places, const TopicLabels& labels);

// Replaces the file; without any label there is none.
absl::Status WriteLabels(const std::string& folder, const TopicLabels& labels);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_TOPIC_LABELS_H_
