// The norm of numbers as large as doubles get is taken after division by the largest, so that no
// square overflows. Products of two float32 are exact in double, so that the norm of what is kept
// is the same whether or not a compiler fuses them with the sum.
#include "model/data/bounded_vector.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace topicwall::model {

absl::Status CheckVectorSpace(const VectorSpace& space) {
  if (space.dimension < 1 || space.dimension > kMaxVectorDimension) {
    return absl::InvalidArgumentError(absl::StrCat("the dimension of vectors must be in [1, ",
                                                   kMaxVectorDimension, "]; got ", space.dimension,
                                                   ". Project longer ones before."));
  }
  if (!(space.norm_bound >= kMinNormBound) || !(space.norm_bound <= kMaxNormBound)) {
    return absl::InvalidArgumentError(absl::StrCat("the norm bound must be in [", kMinNormBound,
                                                   ", ", kMaxNormBound, "]; got ", space.norm_bound,
                                                   ". Take 1 for vectors of length 1."));
  }
  return absl::OkStatus();
}

bool ScaleToBound(absl::Span<const double> numbers, double norm_bound, absl::Span<float> vector) {
  double largest = 0;
  for (const double number : numbers) {
    if (!std::isfinite(number)) return false;
    largest = std::max(largest, std::abs(number));
  }
  if (largest == 0) {
    std::fill(vector.begin(), vector.end(), 0.0F);
    return true;
  }
  double squares = 0;
  for (const double number : numbers) squares += (number / largest) * (number / largest);
  const double length = std::sqrt(squares);  // in [1, √d]
  // In this order: largest · length might overflow. An infinite quotient is outside, as it should
  // be.
  const bool inside = largest / norm_bound * length <= 1;
  // Each rounding to float32 moves a number by at most one part in 2^24, and so the norm: two or
  // three steps end it.
  for (double factor = 1;; factor -= 0x1p-24) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double exact = inside ? numbers[i] / norm_bound : numbers[i] / largest / length;
      vector[i] = static_cast<float>(exact * factor);
    }
    if (SquaredNorm(vector) <= 1) return true;
  }
}

double SquaredNorm(absl::Span<const float> vector) {
  double squares = 0;
  for (const float number : vector) squares += double{number} * double{number};
  return squares;
}

// NaN and infinity fail the comparison.
bool IsWithinBound(absl::Span<const float> vector) { return SquaredNorm(vector) <= 1; }

}  // namespace topicwall::model
