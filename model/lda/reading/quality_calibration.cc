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

// Of 900 topics of the same fits, each beside the two others of its corpus and ε.
constexpr Point kAgain[] = {{.1, .1},  {.2, .22}, {.25, .41}, {.3, .53},
                            {.35, .7}, {.4, .83}, {.45, .92}, {.53, .99}};

// Of any number but NaN.
double Interpolate(absl::Span<const Point> points, double x) {
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
