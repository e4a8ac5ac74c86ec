#include "model/lda/reading/quality_calibration.h"

#include <cmath>
#include <cstddef>

#include "absl/types/span.h"

namespace topicwall::lda {
namespace {

struct Point {
  double x;
  double probability;
};

// Of 17,000 shown words of seeds 1 to 3 of both corpora, all ε together: the three ε and the two
// corpora were the same to within what chance allows.
constexpr Point kAbove[] = {{0, .08}, {.25, .2},  {.5, .33}, {.75, .46}, {1, .58},  {1.5, .78},
                            {2, .88}, {2.5, .93}, {3, .965}, {4, .987},  {5, .996}, {6, 1}};

// Of 1,200 topics of seeds 1 to 4 of both corpora, each beside the three other fits of its corpus
// and ε: the rising line nearest in squares.
constexpr Point kAgain[] = {{.18, .11}, {.22, .18}, {.25, .34}, {.27, .43}, {.29, .6},
                            {.31, .67}, {.34, .87}, {.37, .95}, {.4, .99}};

// Of any number but NaN.
double Interpolate(absl::Span<const Point> points, double x) {
  // −infinity too: the grade of a topic without a typical word.
  if (!(x > points.front().x)) return points.front().probability;
  for (size_t i = 1; i < points.size(); ++i) {
    const Point &left = points[i - 1], &right = points[i];
    if (x <= right.x) {
      const double t = (x - left.x) / (right.x - left.x);
      return left.probability + t * (right.probability - left.probability);
    }
  }
  return points.back().probability;
}

}  // namespace

double ProbabilityAbove(double z) { return std::isnan(z) ? 0 : Interpolate(kAbove, z); }

double ProbabilityOfComingAgain(double grade) {
  return std::isnan(grade) ? 0 : Interpolate(kAgain, grade);
}

}  // namespace topicwall::lda
