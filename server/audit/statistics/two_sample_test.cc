#include "server/audit/statistics/two_sample_test.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace topicwall::audit {
namespace {

// Distances are counted in steps of 1/nm, in which they are whole numbers.
int64_t StepsBetween(std::vector<double> first, std::vector<double> second) {
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  const auto n = static_cast<int64_t>(first.size());
  const auto m = static_cast<int64_t>(second.size());
  int64_t most = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() && j < second.size()) {
    const double value = std::min(first[i], second[j]);
    while (i < first.size() && first[i] <= value) ++i;
    while (j < second.size() && second[j] <= value) ++j;
    const int64_t steps = static_cast<int64_t>(i) * m - static_cast<int64_t>(j) * n;
    most = std::max(most, std::abs(steps));
  }
  return most;
}

// That a random path from (0, 0) to (n, m) comes to a point (i, j) with |im - jn| >= steps. The
// last step into (i, j) is one of i + j equally likely values, i of them of the first sample; only
// probabilities of having been there are added, so that small ones lose nothing.
double PathsThatReach(int64_t n, int64_t m, int64_t steps) {
  if (steps <= 0) return 1;
  std::vector<double> reached(static_cast<std::size_t>(m) + 1, 0);  // of row i, by j
  for (int64_t i = 0; i <= n; ++i) {
    for (int64_t j = 0; j <= m; ++j) {
      double& here = reached[static_cast<std::size_t>(j)];
      if (std::abs(i * m - j * n) >= steps) {
        here = 1;
      } else if (i + j > 0) {
        const double left = j > 0 ? reached[static_cast<std::size_t>(j) - 1] : 0;
        here = (static_cast<double>(i) * here + static_cast<double>(j) * left) /
               static_cast<double>(i + j);
      }
    }
  }
  // Each of n + m roundings is within 2^-52; a false alarm is the worse error.
  return std::min(1.0, reached.back() * (1 + 1e-9));
}

}  // namespace

TwoSampleTest CompareSamples(std::vector<double> first, std::vector<double> second) {
  const auto n = static_cast<int64_t>(first.size());
  const auto m = static_cast<int64_t>(second.size());
  const int64_t steps = StepsBetween(std::move(first), std::move(second));
  return {.distance = static_cast<double>(steps) / static_cast<double>(n * m),
          .p_value = PathsThatReach(n, m, steps)};
}

double SmallestDistanceSeen(int64_t first_size, int64_t second_size, double p) {
  const int64_t most = first_size * second_size;
  int64_t unseen = 0;
  int64_t seen = most + 1;
  while (seen - unseen > 1) {
    const int64_t middle = unseen + (seen - unseen) / 2;
    (PathsThatReach(first_size, second_size, middle) <= p ? seen : unseen) = middle;
  }
  return static_cast<double>(seen) / static_cast<double>(most);
}

}  // namespace topicwall::audit
