// Which topics are near each other: a hierarchy.
//
// Two topics are 1 − likeness apart (model/lda/reading/topic_matching.h): 0 for equal ones, 1 for
// those without a common word of their own. Two branches are as far apart as their topics are in
// the mean (average linkage). The nearest two are joined first, equal ones by their numbers.
//
// Nodes are numbered as in scipy.cluster.hierarchy: 0 … K − 1 are the topics, K + i is joint i.
// PUBLIC, pure. Cost: K²·V, and K³ for the joints.
#ifndef TOPICWALL_CLIENT_TOPICS_TOPIC_TREE_H_
#define TOPICWALL_CLIENT_TOPICS_TOPIC_TREE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {

struct TopicJoint {
  int left, right;  // nodes, left < right
  double distance;  // of the two, in [0, 1]
  int topics;       // below it
};

// K − 1 joints, by distance.
std::vector<TopicJoint> TopicTree(const TopicReading& reading);

// The same of any distances, n×n and symmetric; n >= 1.
std::vector<TopicJoint> AverageLinkage(std::vector<double> distances, int n);

// Indented lines: the distance at which two branches join, then what is below it, the left one
// first. names: K.
std::string TreeText(absl::Span<const TopicJoint> joints, const std::vector<std::string>& names);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_TOPIC_TREE_H_
