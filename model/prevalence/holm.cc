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
    const double tests_left = static_cast<double>(order.size() - j);
    before = std::max(before, std::min(1.0, tests_left * p_values[order[j]]));
    adjusted[order[j]] = before;
  }
  return adjusted;
}

}  // namespace topicwall::prevalence
