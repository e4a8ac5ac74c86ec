#include "tests/support/chi_square.h"

#include <cmath>
#include <cstddef>

namespace topicwall::testing {
namespace {

constexpr double kLeastExpectation = 100;

struct Cell {
  double count = 0;
  double expectation = 0;
  void Add(const Cell& other) {
    count += other.count;
    expectation += other.expectation;
  }
};

// The regularised incomplete gamma functions by series (P, for x < a + 1) and continued
// fraction (Q, else): Numerical Recipes, section 6.2.
double LowerBySeries(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (double n = a + 1; term > sum * 1e-17; ++n) {
    term *= x / n;
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

double UpperByFraction(double a, double x) {
  double b = x + 1 - a;
  double c = 1e300;
  double d = 1 / b;
  double fraction = d;
  for (int n = 1; n < 100'000; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    fraction *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return fraction * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double ChiSquareUpperTail(double statistic, int degrees_of_freedom) {
  const double a = degrees_of_freedom / 2.0;
  const double x = statistic / 2;
  if (x <= 0) return 1;
  return x < a + 1 ? 1 - LowerBySeries(a, x) : UpperByFraction(a, x);
}

double ChiSquarePValue(const std::vector<int64_t>& counts,
                       const std::vector<double>& probabilities) {
  double total = 0;
  for (int64_t count : counts) total += static_cast<double>(count);
  std::vector<Cell> cells;
  Cell pool;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Cell cell = {static_cast<double>(counts[i]), total * probabilities[i]};
    if (cell.expectation == 0 && cell.count > 0) return 0;
    if (cell.expectation >= kLeastExpectation) {
      cells.push_back(cell);
    } else {
      pool.Add(cell);
    }
  }
  if (pool.expectation >= kLeastExpectation || cells.empty()) {
    cells.push_back(pool);
  } else {
    cells.back().Add(pool);
  }
  if (cells.size() < 2) return -1;
  double statistic = 0;
  for (const Cell& cell : cells) {
    const double excess = cell.count - cell.expectation;
    statistic += excess * excess / cell.expectation;
  }
  return ChiSquareUpperTail(statistic, static_cast<int>(cells.size()) - 1);
}

}  // namespace topicwall::testing
