#include "server/mechanism/noise/natural.h"

#include <gtest/gtest.h>

namespace topicwall::mechanism {
namespace {

absl::uint128 Wide(uint64_t high, uint64_t low) { return absl::MakeUint128(high, low); }

Natural FromWide(absl::uint128 value) {
  Natural natural(absl::Uint128High64(value));
  natural.ShiftLeft(64);
  natural += Natural(absl::Uint128Low64(value));
  return natural;
}

// Numbers of every length up to 127 bits, the ends of limbs among them.
std::vector<absl::uint128> SomeNumbers() {
  std::vector<absl::uint128> numbers = {0, 1, 2, 3};
  for (int bits = 2; bits < 127; bits += 5) {
    const absl::uint128 power = absl::uint128(1) << bits;
    numbers.insert(numbers.end(), {power - 1, power, power + power / 3});
  }
  return numbers;
}

TEST(NaturalTest, AgreesWith128BitsOnSumsAndOrder) {
  for (const absl::uint128 a : SomeNumbers()) {
    EXPECT_EQ(FromWide(a).ToUint128(), a);
    EXPECT_EQ(FromWide(a).IsZero(), a == 0);
    for (const absl::uint128 b : SomeNumbers()) {
      Natural sum = FromWide(a);
      sum += FromWide(b);
      EXPECT_EQ(sum.ToUint128(), a + b);
      const int order = Compare(FromWide(a), FromWide(b));
      EXPECT_EQ(order < 0, a < b);
      EXPECT_EQ(order > 0, a > b);
    }
  }
}

TEST(NaturalTest, AgreesWith128BitsOnProducts) {
  for (const absl::uint128 a : SomeNumbers()) {
    for (const absl::uint128 b : SomeNumbers()) {
      if (b != 0 && a > ~absl::uint128(0) / b) continue;
      EXPECT_EQ((FromWide(a) * FromWide(b)).ToUint128(), a * b);
    }
  }
}

TEST(NaturalTest, LongProductsObeyTheRulesOfAlgebra) {
  Natural a(0xFFFFFFFFFFFFFFFF);
  a.ShiftLeft(321);
  a += Natural(0xFFFFFFFF00000001);
  Natural b(0x123456789ABCDEF0);
  b.ShiftLeft(77);
  b += Natural(7);
  Natural sum = a;
  sum += b;  // (a + b)² = a² + 2ab + b²
  Natural expected = a * b;
  expected.ShiftLeft(1);
  expected += a * a;
  expected += b * b;
  EXPECT_EQ(Compare(sum * sum, expected), 0);
  expected += Natural(1);
  EXPECT_LT(Compare(sum * sum, expected), 0);
}

TEST(NaturalTest, DivisionsRoundTheWayTheyAreNamed) {
  for (const absl::uint128 a : SomeNumbers()) {
    for (const uint32_t divisor : {1U, 2U, 3U, 7U, 65536U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
      Natural down = FromWide(a);
      down.DivideDown(divisor);
      EXPECT_EQ(down.ToUint128(), a / divisor);
      Natural up = FromWide(a);
      up.DivideUp(divisor);
      EXPECT_EQ(up.ToUint128(), a / divisor + (a % divisor != 0 ? 1 : 0));
    }
    for (const int bits : {0, 1, 31, 32, 33, 63, 64, 65, 96, 120, 127}) {
      const absl::uint128 floor = a >> bits;
      Natural down = FromWide(a);
      down.ShiftRightDown(bits);
      EXPECT_EQ(down.ToUint128(), floor);
      Natural up = FromWide(a);
      up.ShiftRightUp(bits);
      EXPECT_EQ(up.ToUint128(), floor + ((floor << bits) != a ? 1 : 0)) << bits;
    }
  }
}

TEST(NaturalTest, ShiftsPastEverythingLeaveZeroOrOne) {
  Natural down(5);
  down.ShiftRightDown(1000);
  EXPECT_TRUE(down.IsZero());
  Natural up(5);
  up.ShiftRightUp(1000);
  EXPECT_EQ(Compare(up, Natural(1)), 0);
  Natural zero;
  zero.ShiftRightUp(1000);
  zero.ShiftLeft(1000);
  zero.DivideUp(3);
  EXPECT_TRUE(zero.IsZero());
  EXPECT_TRUE((zero * Natural(9)).IsZero());
}

TEST(NaturalTest, PowersOfTwo) {
  EXPECT_EQ(Natural::PowerOfTwo(0).ToUint128(), 1);
  EXPECT_EQ(Natural::PowerOfTwo(100).ToUint128(), Wide(uint64_t{1} << 36, 0));
  Natural power = Natural::PowerOfTwo(5000);
  power.ShiftRightDown(4999);
  EXPECT_EQ(power.ToUint128(), 2);
}

}  // namespace
}  // namespace topicwall::mechanism
