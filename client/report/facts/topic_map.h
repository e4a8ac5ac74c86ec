// Where each topic stands on a map: near those that it is like.
//
// Classical scaling (Torgerson 1952) of the Hellinger distances √(1 − likeness), likeness being
// that of model/lda/reading/topic_matching.h: the two axes that hold most of them, the largest
// distance from the middle 1. Each axis points to where its largest coordinate is positive, so that
// the picture does not depend on the solver's signs. K = 1 stands in the middle. Places are rounded
// to 1e-4.
//
// PUBLIC. Pure. Cost: K³.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_TOPIC_MAP_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_TOPIC_MAP_H_

#include <Eigen/Core>
#include <vector>

namespace topicwall::client {

struct MapPlace {
  double x;
  double y;
};
// likeness: K×K, symmetric, 1 on the diagonal.
std::vector<MapPlace> PlacesOf(const Eigen::MatrixXd& likeness);
// The same of squared distances: n×n, symmetric, 0 on the diagonal. Of points in a space they are
// the points projected on their two principal axes.
std::vector<MapPlace> PlacesBy(const Eigen::MatrixXd& squared_distances);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_TOPIC_MAP_H_
