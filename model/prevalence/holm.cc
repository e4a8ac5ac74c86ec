#include "model/prevalence/holm.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace topicwall::prevalence {

std::vector<double> HolmAdjusted(absl::Span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double before = 0;
  for (size_t j = 0; j < order.size(); ++j) {
    // m − j + 1 of Holm's, whose j counts from 1.
    const double tests_left = static_cast<double>(order.size() - j);
    // Never below a smaller p's: no test may stand where a clearer one does not.
    before = std::max(before, std::min(1.0, tests_left * p_values[order[j]]));
    adjusted[order[j]] = before;
  }
  return adjusted;
}

}  // namespace topicwall::prevalence
