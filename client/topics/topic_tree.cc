#include "client/topics/topic_tree.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/lda/reading/topic_matching.h"

namespace topicwall::client {
namespace {

struct Branch {
  int node;
  int topics;
};

}  // namespace

std::vector<TopicJoint> TopicTree(const TopicReading& reading) {
  const int topics = reading.model().num_topics();
  const lda::OwnWords words = lda::OwnWordsOf(reading.model(), reading.corpus());
  std::vector<double> distances = lda::Likenesses(words, words);
  for (double& distance : distances) distance = 1 - distance;
  return AverageLinkage(std::move(distances), topics);
}

std::vector<TopicJoint> AverageLinkage(std::vector<double> distances, int n) {
  const auto size = static_cast<size_t>(n);
  const auto apart = [&](size_t a, size_t b) -> double& { return distances[a * size + b]; };
  std::vector<Branch> branches;  // of each row; those that were joined have no topics any more
  for (int k = 0; k < n; ++k) branches.push_back({.node = k, .topics = 1});
  std::vector<TopicJoint> joints;
  for (int joint = 0; joint + 1 < n; ++joint) {
    size_t nearest_a = size, nearest_b = size;
    for (size_t a = 0; a < size; ++a) {
      for (size_t b = a + 1; branches[a].topics > 0 && b < size; ++b) {
        if (branches[b].topics == 0) continue;
        // The first of equal ones: the same model has the same tree.
        if (nearest_a == size || apart(a, b) < apart(nearest_a, nearest_b)) {
          nearest_a = a;
          nearest_b = b;
        }
      }
    }
    Branch& a = branches[nearest_a];
    Branch& b = branches[nearest_b];
    joints.push_back({.left = std::min(a.node, b.node),
                      .right = std::max(a.node, b.node),
                      .distance = apart(nearest_a, nearest_b),
                      .topics = a.topics + b.topics});
    // The mean over pairs of topics: each branch counts by how many it has.
    for (size_t c = 0; c < size; ++c) {
      // Lance and Williams' update for average linkage. Rows of joined branches, and the diagonal,
      // get numbers that nobody reads.
      const double mean =
          (a.topics * apart(nearest_a, c) + b.topics * apart(nearest_b, c)) / (a.topics + b.topics);
      apart(nearest_a, c) = apart(c, nearest_a) = mean;
    }
    a = {.node = n + joint, .topics = a.topics + b.topics};
    b.topics = 0;
  }
  return joints;
}

std::string TreeText(absl::Span<const TopicJoint> joints, const std::vector<std::string>& names) {
  const int topics = static_cast<int>(names.size());
  struct Line {
    int node;
    int depth;
  };
  std::vector<Line> rest = {{.node = topics + static_cast<int>(joints.size()) - 1, .depth = 0}};
  std::string text;
  while (!rest.empty()) {
    const Line line = rest.back();
    rest.pop_back();
    absl::StrAppend(&text, text.empty() ? "" : "\n",
                    std::string(2 * static_cast<size_t>(line.depth), ' '));
    if (line.node < topics) {
      absl::StrAppend(&text, names[static_cast<size_t>(line.node)]);
      continue;
    }
    const TopicJoint& joint = joints[static_cast<size_t>(line.node - topics)];
    absl::StrAppendFormat(&text, "%.2f", joint.distance);
    // A stack of our own: a chain of as many joints as topics would be as deep a recursion. The
    // right branch first, since the last in is shown next.
    rest.push_back({.node = joint.right, .depth = line.depth + 1});
    rest.push_back({.node = joint.left, .depth = line.depth + 1});
  }
  return text;
}

}  // namespace topicwall::client
