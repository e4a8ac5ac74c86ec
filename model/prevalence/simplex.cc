#include "model/prevalence/simplex.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace topicwall::prevalence {

std::vector<double> NearestShares(absl::Span<const double> point) {
  std::vector<double> descending(point.begin(), point.end());
  std::sort(descending.begin(), descending.end(), std::greater<>());
  // t of the largest j of them, for as long as the smallest of these stays above 0.
  double t = descending[0] - 1;
  double sum = 0;
  for (size_t j = 0; j < descending.size(); ++j) {
    sum += descending[j];
    const double next = (sum - 1) / static_cast<double>(j + 1);
    // The j + 1 largest stay above 0 exactly as long as this holds, and never again behind the
    // first that does not (Held, Wolfe, Crowder 1974).
    if (!(descending[j] > next)) break;
    t = next;
  }
  std::vector<double> shares;
  for (const double x : point) shares.push_back(std::max(x - t, 0.0));
  return shares;
}

}  // namespace topicwall::prevalence
