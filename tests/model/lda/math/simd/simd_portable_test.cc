#include "model/lda/math/simd/simd_portable.h"

#include <gtest/gtest.h>

#include <cmath>

namespace topicwall::lda {
namespace {

using Simd = SimdPortable;
using Floats = Simd::Floats;

TEST(SimdPortableTest, SumsAreThoseOfTheLanes) {
  const Floats a = {1, 2, 4, 8}, b = {16, 32, 64, 128}, c = {256, 512, 1024, 2048};
  EXPECT_EQ(Simd::Sum(a), 15);
  const Simd::Four sums = Simd::SumEach(a, b, c, Simd::Broadcast(-1));
  EXPECT_EQ(sums[0], 15);
  EXPECT_EQ(sums[1], 240);
  EXPECT_EQ(sums[2], 3840);
  EXPECT_EQ(sums[3], -4);
}

TEST(SimdPortableTest, MaskHasABitForEveryLaneThatIsGreater) {
  EXPECT_EQ(Simd::MaskGreater(Floats{1, 2, 3, 4}, Simd::Broadcast(2)), 0b1100u);
  EXPECT_EQ(Simd::MaskGreater(Simd::Broadcast(2), Floats{1, 2, 3, std::nanf("")}), 0b0001u);
}

TEST(SimdPortableTest, KeepsAndClearsLaneByLane) {
  const Floats kept = Simd::KeepWhereLess(Simd::Broadcast(7), Floats{1, 2, 3, std::nanf("")},
                                          Simd::Broadcast(2.5f));
  EXPECT_EQ(kept[0], 7);
  EXPECT_EQ(kept[1], 7);
  EXPECT_EQ(kept[2], 0);
  EXPECT_EQ(kept[3], 0);
}

TEST(SimdPortableTest, MaxKeepsNotANumberOfItsSecond) {
  const Floats largest = Simd::Max(Floats{1, 5, 3, 3}, Floats{2, 4, 3, std::nanf("")});
  EXPECT_EQ(largest[0], 2);
  EXPECT_EQ(largest[1], 5);
  EXPECT_EQ(largest[2], 3);
  EXPECT_TRUE(std::isnan(largest[3]));
}

TEST(SimdPortableTest, AbsClearsTheSignOnly) {
  const Floats positive = Simd::Abs(Floats{-1, 2, -0.0f, -INFINITY});
  EXPECT_EQ(positive[0], 1);
  EXPECT_EQ(positive[1], 2);
  EXPECT_FALSE(std::signbit(positive[2]));
  EXPECT_EQ(positive[3], INFINITY);
}

}  // namespace
}  // namespace topicwall::lda
