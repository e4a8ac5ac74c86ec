#include "model/lda/kernel/word_blocks.h"

#include <gtest/gtest.h>

#include "model/lda/math/aligned_floats.h"
#include "model/lda/math/simd/simd_portable.h"

namespace topicwall::lda {
namespace {

// A million times 0.1 in float32 drifts by 1 % when added up plainly.
TEST(WordBlocksTest, CompensatedSumsDoNotDrift) {
  AlignedFloats part(4, 0.1f), total(4, 0.0f), compensation(4, 0.0f);
  float plain = 0;
  for (int i = 0; i < 1000000; ++i) {
    AddCompensated<SimdPortable>(part.data(), 4, total.data(), compensation.data());
    plain += 0.1f;
  }
  EXPECT_GT(plain, 100900);
  for (const float sum : total) EXPECT_NEAR(sum, 100000, 0.01);
}

TEST(WordBlocksTest, BlocksCoverEveryWordOnceInOrder) {
  for (const size_t words : {1, 63, 64, 65, 128, 200}) {
    AlignedFloats sum(16), block_sum(16), compensation(16, 1e30f);
    KernelTask task = {};
    task.num_words = words;
    task.padded_topics = 16;
    task.sum = sum.data();
    task.block_sum = block_sum.data();
    task.compensation = compensation.data();
    size_t next = 0;
    SumOverBlocks<SimdPortable>(task, [&next](size_t begin, size_t end, float* out) {
      EXPECT_EQ(begin, next);
      EXPECT_LE(end - begin, kWordsPerBlock);
      next = end;
      for (size_t k = 0; k < 16; ++k) out[k] = static_cast<float>(end - begin);
    });
    EXPECT_EQ(next, words);
    for (const float entry : sum) EXPECT_EQ(entry, static_cast<float>(words));
  }
}

}  // namespace
}  // namespace topicwall::lda
