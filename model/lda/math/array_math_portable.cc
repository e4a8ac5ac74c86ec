// Two doubles at a time: runs on any processor, on baseline x86-64 as SSE2.
#include <cstdint>

#include "model/lda/math/array_math_loops.h"

namespace topicwall::lda {
namespace {

struct SimdPortableDoubles {
  using Doubles = double __attribute__((vector_size(16), may_alias));
  using Longs = int64_t __attribute__((vector_size(16), may_alias));
  using Floats = float __attribute__((vector_size(8), may_alias));
};

}  // namespace

extern const ArrayMath kArrayMathPortable;
constexpr ArrayMath kArrayMathPortable = ArrayMathLoops<SimdPortableDoubles>::Named("portable");

}  // namespace topicwall::lda
