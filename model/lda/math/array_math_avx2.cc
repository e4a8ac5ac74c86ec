// Compiled for AVX2 (CMakeLists.txt). Nothing is fused: -ffp-contract=off.
#ifdef __AVX2__
#include <cstdint>

#include "model/lda/math/array_math_loops.h"

namespace topicwall::lda {
namespace {

struct SimdAvx2Doubles {
  using Doubles = double __attribute__((vector_size(32), may_alias));
  using Longs = int64_t __attribute__((vector_size(32), may_alias));
  using Floats = float __attribute__((vector_size(16), may_alias));
};

}  // namespace

extern const ArrayMath kArrayMathAvx2;
constexpr ArrayMath kArrayMathAvx2 = ArrayMathLoops<SimdAvx2Doubles>::Named("avx2");

}  // namespace topicwall::lda
#endif
