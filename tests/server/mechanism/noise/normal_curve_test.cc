// Golden values: e^(-z²/2) to 192 binary digits, from Python's decimal module at 200 decimal
// digits (an arithmetic that shares nothing with this one).
#include "server/mechanism/noise/normal_curve.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

namespace topicwall::mechanism {
namespace {

struct Golden {
  uint64_t numerator;  // z = numerator·2^-bits
  int bits;
  std::array<uint64_t, 3> digits;  // ⌊2^192 e^(-z²/2)⌋, high word first
};
constexpr Golden kGolden[] = {
    {1, 1, {0xe1eb51276c110c3c, 0x3eb1269f2f5d4afa, 0xbd8029f1b77328d9}},
    {3, 2, {0xc13d2b0c44b8af4a, 0x68aa4e7ef9fa5308, 0x584a7ff4a3b15ecd}},
    {293, 6, {0x0001d77fe048561d, 0x941dc7ee3ada948b, 0x3df3e2dfd127a544}},
    {1, 6, {0xfff8001fffaaab55, 0x544445b0596597f9, 0x7e261c6d26b1524d}},
    {6, 0, {0x00000041698a31a6, 0x7e832211c55e95af, 0xd5b86789e02e85a6}},
    {11, 1, {0x0000048775cba2e2, 0x89df220a71f65d9b, 0x40e13bf310a69d34}},
    {1371, 8, {0x000009ecae0faa6e, 0x9e6ded9559fee6df, 0x83f5bf76a6733380}},
    {12345, 10, {0x0000000000000000, 0x00000000008f0473, 0xa5db7d2d553a942a}},
};

// z and the 256 zeros that follow it.
DyadicInterval At(const Golden& golden) {
  DyadicInterval z = {.low = Natural(golden.numerator), .bits = golden.bits};
  for (int i = 0; i < 4; ++i) z.Extend(64, 0);
  return z;
}

// The 192 digits plus `offset` (-1, 0 or 1) in the last one.
DyadicInterval Height(const Golden& golden, int offset) {
  DyadicInterval y = {.low = Natural(0), .bits = 0};
  y.Extend(64, golden.digits[0]);
  y.Extend(64, golden.digits[1]);
  y.Extend(64, golden.digits[2] + static_cast<uint64_t>(static_cast<int64_t>(offset)));
  return y;
}

TEST(NormalCurveTest, DecidesAboutTheLastOf192Digits) {
  for (const Golden& golden : kGolden) {
    EXPECT_EQ(SideOf(At(golden), Height(golden, -1)), CurveSide::kBelow) << golden.numerator;
    EXPECT_EQ(SideOf(At(golden), Height(golden, 0)), CurveSide::kUnknown) << golden.numerator;
    EXPECT_EQ(SideOf(At(golden), Height(golden, 1)), CurveSide::kAbove) << golden.numerator;
  }
}

TEST(NormalCurveTest, BoundsOfTheExponentialEncloseItClosely) {
  for (const int precision : {8, 20, 40}) {
    for (const uint64_t numerator : {0U, 1U, 7U, 64U, 100U, 200U, 292U, 400U}) {
      const long double z = static_cast<long double>(numerator) / 64;
      const long double value = std::ldexp(std::exp(z * z / 2), precision);
      const auto low =
          static_cast<double>(ExpOfHalfSquareLowerBound(Natural(numerator), 6, precision));
      const auto high =
          static_cast<double>(ExpOfHalfSquareUpperBound(Natural(numerator), 6, precision));
      EXPECT_LE(low, value * (1 + 0x1p-50L));
      EXPECT_GE(high, value * (1 - 0x1p-50L));
      EXPECT_LE(high - low, 200 * std::ldexp(value, -precision) + value * 0x1p-50L);
    }
  }
}

TEST(NormalCurveTest, ASquareThatTheCurveCrossesIsUnknown) {
  // z in [1/2, 1], f from 0.88 to 0.61.
  const DyadicInterval z = {.low = Natural(1), .bits = 1};
  EXPECT_EQ(SideOf(z, {.low = Natural(1), .bits = 1}), CurveSide::kUnknown) << "[0.5, 1]";
  EXPECT_EQ(SideOf(z, {.low = Natural(0), .bits = 1}), CurveSide::kBelow) << "[0, 0.5]";
  EXPECT_EQ(SideOf(z, {.low = Natural(2), .bits = 2}), CurveSide::kUnknown) << "[0.5, 0.75]";
  EXPECT_EQ(SideOf(z, {.low = Natural(7), .bits = 3}), CurveSide::kUnknown) << "[0.875, 1]";
  EXPECT_EQ(SideOf(z, {.low = Natural(15), .bits = 4}), CurveSide::kAbove) << "[0.9375, 1]";
  EXPECT_EQ(SideOf({.low = Natural(0), .bits = 6}, {.low = Natural(1), .bits = 0}),
            CurveSide::kAbove)
      << "f(0) = 1";
}

TEST(NormalCurveTest, FarOutOnlyTheFloorIsBelow) {
  const DyadicInterval z = {.low = Natural(40), .bits = 0};                    // f(41) = 2^-1212.6
  EXPECT_EQ(SideOf(z, {.low = Natural(1), .bits = 1100}), CurveSide::kAbove);  // f(40) = 2^-1154
  EXPECT_EQ(SideOf(z, {.low = Natural(0), .bits = 1212}), CurveSide::kUnknown);
  EXPECT_EQ(SideOf(z, {.low = Natural(0), .bits = 1213}), CurveSide::kBelow);
}

TEST(NormalCurveTest, ExtendingHalvesTheInterval) {
  DyadicInterval interval = {.low = Natural(5), .bits = 3};
  interval.Extend(2, 3);
  EXPECT_EQ(interval.low, 23);
  EXPECT_EQ(interval.bits, 5);
  interval.Extend(64, ~uint64_t{0});
  EXPECT_EQ(interval.low, (Natural(24) << 64) - 1);
  EXPECT_EQ(interval.bits, 69);
}

}  // namespace
}  // namespace topicwall::mechanism
