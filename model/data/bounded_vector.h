// Documents that are vectors: d numbers each, in units of a public bound on their Euclidean norm.
//
//   const VectorSpace space = {.dimension = 384, .norm_bound = 1};
//   TW_RETURN_IF_ERROR(CheckVectorSpace(space));
//   std::vector<float> vector(384);
//   if (!ScaleToBound(numbers, space.norm_bound, absl::MakeSpan(vector))) …  // not finite
//
// A vector x becomes float32 numbers close to x/B, or to x/‖x‖ where ‖x‖ > B, whose norm in double
// precision (SquaredNorm) is at most 1: where rounding would lift it above, the vector is shortened
// by as many parts in 2^24 as it takes. What a vector becomes depends on it and on B alone.
//
// Ingestion, and an analyst who compares vectors of their own with it, scale by this one rule.
// PUBLIC: the space, typed by the custodian, never computed from vectors. PRIVATE: vectors, on the
// server. Threads: pure functions. Cost: O(d).
#ifndef TOPICWALL_MODEL_DATA_BOUNDED_VECTOR_H_
#define TOPICWALL_MODEL_DATA_BOUNDED_VECTOR_H_

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace topicwall::model {

inline constexpr int kMaxVectorDimension = 1024;
// Of norm bounds: far from where a quotient of doubles could overflow or lose digits.
inline constexpr double kMinNormBound = 1e-30;
inline constexpr double kMaxNormBound = 1e30;

struct VectorSpace {
  int dimension;      // d, 1 .. kMaxVectorDimension
  double norm_bound;  // B, kMinNormBound .. kMaxNormBound

  friend bool operator==(const VectorSpace&, const VectorSpace&) = default;
};

// INVALID_ARGUMENT names what is out of its range.
absl::Status CheckVectorSpace(const VectorSpace& space);

// False, and `vector` is undefined, if a number is not finite. As many numbers as `vector` has.
bool ScaleToBound(absl::Span<const double> numbers, double norm_bound, absl::Span<float> vector);

// In double, from the first number to the last.
double SquaredNorm(absl::Span<const float> vector);

// Finite, and of a norm of at most 1: what ScaleToBound makes.
bool IsWithinBound(absl::Span<const float> vector);

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_DATA_BOUNDED_VECTOR_H_
