#include "model/lda/math/portable_exp.h"

#include <cstdint>

#include "model/lda/math/simd/vector_functions.h"

namespace topicwall::lda {
namespace {

// The narrowest vector there is: every width has the same bits.
struct SimdNarrow {
  using Doubles = double __attribute__((vector_size(16), may_alias));
  using Longs = int64_t __attribute__((vector_size(16), may_alias));
};

}  // namespace

double PortableExp(double y) {
  using Functions = VectorFunctions<SimdNarrow>;
  return Functions::Exp(Functions::Broadcast(y))[0];
}

}  // namespace topicwall::lda
