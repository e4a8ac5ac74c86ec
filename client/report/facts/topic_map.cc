#include "client/report/facts/topic_map.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace topicwall::client {
namespace {

// An axis that holds nothing is 0, not what a solver's rounding left there, and not −0 (+ 0.0),
// which JSON would tell.
double ToGrid(double coordinate) { return std::round(coordinate * 1e4) / 1e4 + 0.0; }

}  // namespace

std::vector<MapPlace> PlacesOf(const Eigen::MatrixXd& likeness) {
  // Squared Hellinger distances.
  Eigen::MatrixXd squares = 1.0 - likeness.array();
  squares.diagonal().setZero();
  return PlacesBy(squares);
}

std::vector<MapPlace> PlacesBy(const Eigen::MatrixXd& squared_distances) {
  const Eigen::Index n = squared_distances.rows();
  std::vector<MapPlace> places(static_cast<size_t>(n), {.x = 0, .y = 0});
  if (n < 2) return places;
  // Centred in both directions: scalar products of places.
  const Eigen::MatrixXd centre = Eigen::MatrixXd::Identity(n, n) -
                                 Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
  // Torgerson's double centring; its eigenvectors, times the roots of their eigenvalues, are the
  // axes.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(-0.5 * centre * squared_distances *
                                                              centre);
  Eigen::MatrixXd axes(n, 2);
  for (Eigen::Index axis = 0; axis < 2; ++axis) {
    const Eigen::Index from_last = n - 1 - axis;  // eigenvalues ascend
    // Below 0 by rounding alone, where an axis holds nothing.
    const double value = std::max(solver.eigenvalues()[from_last], 0.0);
    axes.col(axis) = solver.eigenvectors().col(from_last) * std::sqrt(value);
    Eigen::Index largest = 0;
    axes.col(axis).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, axis) < 0) axes.col(axis) *= -1;
  }
  const double farthest = axes.rowwise().norm().maxCoeff();
  if (!(farthest > 0)) return places;
  for (Eigen::Index k = 0; k < n; ++k) {
    places[static_cast<size_t>(k)] = {.x = ToGrid(axes(k, 0) / farthest),
                                      .y = ToGrid(axes(k, 1) / farthest)};
  }
  return places;
}

}  // namespace topicwall::client
