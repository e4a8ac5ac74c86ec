#include "client/report/facts/topic_likeness.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace topicwall::client {

DistinctParts PartsOf(const lda::TopicModel& topics, absl::Span<const double> corpus_shares) {
  DistinctParts parts(topics.num_topics(), topics.vocabulary_size());
  for (int k = 0; k < topics.num_topics(); ++k) {
    const absl::Span<const float> lambda = topics.topic(k);
    const double sum = topics.topic_sum(k);
    double beyond = 0;
    for (size_t v = 0; v < lambda.size(); ++v) {
      const double excess = std::max(static_cast<double>(lambda[v]) / sum - corpus_shares[v], 0.0);
      parts(k, static_cast<Eigen::Index>(v)) = static_cast<float>(std::sqrt(excess));
      beyond += excess;
    }
    if (beyond > 0) parts.row(k) /= static_cast<float>(std::sqrt(beyond));
  }
  return parts;
}

Eigen::MatrixXd Likeness(const DistinctParts& a, const DistinctParts& b) {
  // In double: a sum of thousands of products must not depend on how they were grouped.
  const Eigen::MatrixXd likeness = a.cast<double>() * b.cast<double>().transpose();
  return likeness.cwiseMin(1.0).cwiseMax(0.0);
}

std::vector<MapPlace> PlacesOf(const Eigen::MatrixXd& likeness) {
  const Eigen::Index n = likeness.rows();
  std::vector<MapPlace> places(static_cast<size_t>(n), {.x = 0, .y = 0});
  if (n < 2) return places;
  // Squared Hellinger distances, centred in both directions: scalar products of places.
  Eigen::MatrixXd squares = 1.0 - likeness.array();
  squares.diagonal().setZero();
  const Eigen::MatrixXd centre =
      Eigen::MatrixXd::Identity(n, n) - Eigen::MatrixXd::Constant(n, n, 1.0 / n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(-0.5 * centre * squares * centre);
  Eigen::MatrixXd axes(n, 2);
  for (Eigen::Index axis = 0; axis < 2; ++axis) {
    const Eigen::Index from_last = n - 1 - axis;  // eigenvalues ascend
    const double value = std::max(solver.eigenvalues()[from_last], 0.0);
    axes.col(axis) = solver.eigenvectors().col(from_last) * std::sqrt(value);
    Eigen::Index largest = 0;
    axes.col(axis).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, axis) < 0) axes.col(axis) *= -1;
  }
  const double farthest = axes.rowwise().norm().maxCoeff();
  if (!(farthest > 0)) return places;
  for (Eigen::Index k = 0; k < n; ++k) {
    places[static_cast<size_t>(k)] = {.x = axes(k, 0) / farthest, .y = axes(k, 1) / farthest};
  }
  return places;
}

}  // namespace topicwall::client
