#include "model/gaussian/merged_components.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace topicwall::gaussian {
namespace {

// Of components i and j together, into the place of i.
class Pair {
 public:
  Pair(const Components& all, size_t dimension, size_t i, size_t j)
      : all_(all), dimension_(dimension), i_(i), j_(j), weight_(all.weights[i] + all.weights[j]) {}

  double weight() const { return weight_; }
  double mean(size_t d) const {
    return (all_.weights[i_] * all_.means[i_ * dimension_ + d] +
            all_.weights[j_] * all_.means[j_ * dimension_ + d]) /
           weight_;
  }
  double variance(size_t d) const {
    const auto part = [&](size_t k) {
      // So that the pair's first two moments are those of both: what a unit adds to the sums stays
      // as it is.
      const double apart = all_.means[k * dimension_ + d] - mean(d);
      return all_.weights[k] * (all_.variances[k * dimension_ + d] + apart * apart);
    };
    return (part(i_) + part(j_)) / weight_;
  }
  // By how much the bound grows.
  double cost() const {
    double cost = 0;
    for (size_t d = 0; d < dimension_; ++d) {
      cost += weight_ * std::log(variance(d)) -
              all_.weights[i_] * std::log(all_.variances[i_ * dimension_ + d]) -
              all_.weights[j_] * std::log(all_.variances[j_ * dimension_ + d]);
    }
    return cost / 2;
  }

 private:
  const Components& all_;
  size_t dimension_;
  size_t i_, j_;
  double weight_;
};

void Remove(std::vector<double>& rows, size_t row, size_t columns) {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * columns);
  rows.erase(begin, begin + static_cast<std::ptrdiff_t>(columns));
}

void Merge(Components& all, size_t dimension, size_t i, size_t j) {
  Components merged = all;
  const Pair pair(all, dimension, i, j);
  merged.weights[i] = pair.weight();
  for (size_t d = 0; d < dimension; ++d) {
    merged.means[i * dimension + d] = pair.mean(d);
    merged.variances[i * dimension + d] = pair.variance(d);
  }
  Remove(merged.weights, j, 1);
  Remove(merged.means, j, dimension);
  Remove(merged.variances, j, dimension);
  all = std::move(merged);
}

}  // namespace

Components MergedTo(Components many, size_t num_components) {
  const size_t dimension = many.means.size() / many.weights.size();
  // Of every pair i < j, at [j][i]. A merge changes those of one component.
  std::vector<std::vector<double>> costs(many.weights.size());
  // Nothing is computed of what stays as it is.
  if (many.weights.size() > num_components) {
    for (size_t j = 1; j < costs.size(); ++j) {
      for (size_t i = 0; i < j; ++i) costs[j].push_back(Pair(many, dimension, i, j).cost());
    }
  }
  while (many.weights.size() > num_components) {
    size_t first = 0, second = 1;
    double least = std::numeric_limits<double>::infinity();
    for (size_t j = 1; j < costs.size(); ++j) {
      for (size_t i = 0; i < j; ++i) {
        // Strictly less, so that of equal pairs the first is merged and the same mixture comes of
        // them.
        if (costs[j][i] < least) {
          least = costs[j][i];
          first = i;
          second = j;
        }
      }
    }
    Merge(many, dimension, first, second);
    costs.erase(costs.begin() + static_cast<std::ptrdiff_t>(second));
    for (size_t j = second; j < costs.size(); ++j) {
      costs[j].erase(costs[j].begin() + static_cast<std::ptrdiff_t>(second));
    }
    // Only the merged one's costs are new; second > first, so its own row is where it was.
    for (size_t i = 0; i < first; ++i) costs[first][i] = Pair(many, dimension, i, first).cost();
    for (size_t j = first + 1; j < costs.size(); ++j) {
      costs[j][first] = Pair(many, dimension, first, j).cost();
    }
  }
  return many;
}

}  // namespace topicwall::gaussian
