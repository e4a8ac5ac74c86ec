// A number of vectors that the compiler knows, so that loops over them unroll into registers.
#ifndef TOPICWALL_MODEL_LDA_MATH_SIMD_VECTOR_COUNT_H_
#define TOPICWALL_MODEL_LDA_MATH_SIMD_VECTOR_COUNT_H_

#include <cstddef>

namespace topicwall::lda {

// Up to so many vectors stay in registers.
inline constexpr size_t kMostVectors = 8;

template <class Simd, size_t kVectors>
struct VectorCount {
  static constexpr size_t value = kVectors;
};

// function(VectorCount<Simd, n>()) for n = vectors, or n = 0 where there are more than
// kMostVectors.
template <class Simd, class Function>
auto WithVectorCount(size_t vectors, Function function) {
  switch (vectors) {
    case 1:
      return function(VectorCount<Simd, 1>());
    case 2:
      return function(VectorCount<Simd, 2>());
    case 3:
      return function(VectorCount<Simd, 3>());
    case 4:
      return function(VectorCount<Simd, 4>());
    case 5:
      return function(VectorCount<Simd, 5>());
    case 6:
      return function(VectorCount<Simd, 6>());
    case 7:
      return function(VectorCount<Simd, 7>());
    case kMostVectors:
      return function(VectorCount<Simd, kMostVectors>());
    default:
      return function(VectorCount<Simd, 0>());
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_SIMD_VECTOR_COUNT_H_
