#include "model/lda/math/aligned_floats.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace topicwall::lda {
namespace {

TEST(AlignedFloatsTest, BeginOnACacheLineWhateverTheSize) {
  AlignedFloats floats;
  for (size_t size = 1; size < 5000; size += 37) {
    floats.resize(size, 1.0f);
    floats.shrink_to_fit();
    ASSERT_EQ(reinterpret_cast<uintptr_t>(floats.data()) % kCacheLineBytes, 0u) << size;
  }
  EXPECT_EQ(floats.front(), 1.0f);
}

}  // namespace
}  // namespace topicwall::lda
