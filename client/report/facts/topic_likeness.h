// How alike topics are in what the corpus does not explain, and where each stands on a map.
//
//   const DistinctParts parts = PartsOf({.topics = model, .corpus_shares = p});
//   Eigen::MatrixXd likeness = Likeness(parts, parts);       // K×K, 1 on the diagonal
//   std::vector<MapPlace> places = PlacesOf(likeness);
//
// The distinct part of topic k is q_k ∝ max(β_kv − p_v, 0): the words that it has beyond the
// corpus's share p, so that words that all topics share make no two topics alike. Likeness is
// Σ_v √(q_jv q_kv), Bhattacharyya's coefficient, in [0, 1]. A topic that has nothing beyond p has
// an empty part, and is like no other.
//
// The map is classical scaling (Torgerson 1952) of the Hellinger distances √(1 − likeness): the two
// axes that hold most of them, the largest distance from the middle 1. Each axis points to where its
// largest coordinate is positive, so that the picture does not depend on the solver's signs. K = 1
// stands in the middle.
//
// PUBLIC. Pure. Cost: K²·V for likeness, K³ for the map.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_TOPIC_LIKENESS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_TOPIC_LIKENESS_H_

#include <Eigen/Core>
#include <vector>

#include "absl/types/span.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::client {

// √q: K×V, row = topic.
using DistinctParts = Eigen::MatrixXf;

// p: V, of the same terms.
DistinctParts PartsOf(const lda::TopicModel& topics, absl::Span<const double> corpus_shares);

// One row for each of `a`, one column for each of `b`, of the same V.
Eigen::MatrixXd Likeness(const DistinctParts& a, const DistinctParts& b);

struct MapPlace {
  double x;
  double y;
};
// `likeness`: K×K, symmetric.
std::vector<MapPlace> PlacesOf(const Eigen::MatrixXd& likeness);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_TOPIC_LIKENESS_H_
