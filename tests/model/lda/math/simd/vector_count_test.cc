#include "model/lda/math/simd/vector_count.h"

#include <gtest/gtest.h>

#include "model/lda/math/simd/simd_portable.h"

namespace topicwall::lda {
namespace {

size_t CountFor(size_t vectors) {
  return WithVectorCount<SimdPortable>(vectors,
                                       [](auto count) -> size_t { return decltype(count)::value; });
}

TEST(VectorCountTest, TellsTheCompilerEveryNumberThatFitsInRegisters) {
  for (size_t vectors = 1; vectors <= kMostVectors; ++vectors) {
    EXPECT_EQ(CountFor(vectors), vectors);
  }
}

TEST(VectorCountTest, IsZeroForMore) {
  EXPECT_EQ(CountFor(kMostVectors + 1), 0u);
  EXPECT_EQ(CountFor(1000), 0u);
}

}  // namespace
}  // namespace topicwall::lda
