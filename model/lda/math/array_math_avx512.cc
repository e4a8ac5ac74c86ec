// Compiled for AVX-512 F and DQ (CMakeLists.txt). Nothing is fused: -ffp-contract=off.
#ifdef __AVX512DQ__
#include <cstdint>

#include "model/lda/math/array_math_loops.h"

namespace topicwall::lda {
namespace {

struct SimdAvx512Doubles {
  // Eight lanes, the most there can be: the sum of array_math.h is eight sums.
  using Doubles = double __attribute__((vector_size(64), may_alias));
  using Longs = int64_t __attribute__((vector_size(64), may_alias));
  using Floats = float __attribute__((vector_size(32), may_alias));
};

}  // namespace

extern const ArrayMath kArrayMathAvx512;
constexpr ArrayMath kArrayMathAvx512 = ArrayMathLoops<SimdAvx512Doubles>::Named("avx512");

}  // namespace topicwall::lda
#endif
