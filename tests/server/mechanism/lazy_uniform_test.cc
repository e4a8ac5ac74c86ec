#include "server/mechanism/lazy_uniform.h"

#include "tests/server/mechanism/scripted_bits.h"

namespace topicwall::mechanism {
namespace {

TEST(LazyUniformTest, TheFirstDifferentGroupDecides) {
  ScriptedBits bits({5, 6});
  LazyUniform<3> a, b;
  a.Restart(bits);
  b.Restart(bits);
  EXPECT_TRUE(a.IsBelow(b, bits));
  EXPECT_FALSE(b.IsBelow(a, bits));
  EXPECT_EQ(bits.left(), 0U) << "no further digits were drawn";
}

TEST(LazyUniformTest, TiesDrawFurtherGroupsOfBothUntilOneDiffers) {
  ScriptedBits bits({5, 5, /*second groups*/ 2, 2, /*third groups*/ 7, 1});
  LazyUniform<3> a, b;
  a.Restart(bits);
  b.Restart(bits);
  EXPECT_FALSE(a.IsBelow(b, bits));  // 7 against 1
  EXPECT_EQ(bits.left(), 0U);
  EXPECT_TRUE(b.IsBelow(a, bits)) << "digits once drawn stay";
}

TEST(LazyUniformTest, ANumberAlreadyExtendedMeetsAFreshOne) {
  ScriptedBits bits({1, 1, 4, 6, /*c*/ 1, /*c's second group*/ 5});
  LazyUniform<3> a, b, c;
  a.Restart(bits);
  b.Restart(bits);
  EXPECT_TRUE(a.IsBelow(b, bits));
  c.Restart(bits);
  EXPECT_FALSE(c.IsBelow(a, bits));  // 1 5 against 1 4
  EXPECT_TRUE(c.IsBelow(b, bits));   // against 1 6
  EXPECT_EQ(bits.left(), 0U);
}

TEST(LazyUniformTest, RestartForgetsTheOldNumber) {
  ScriptedBits bits({1, 1, 4, 6, /*a again*/ 1, /*its second group*/ 7});
  LazyUniform<3> a, b;
  a.Restart(bits);
  b.Restart(bits);
  EXPECT_TRUE(a.IsBelow(b, bits));
  a.Restart(bits);
  EXPECT_FALSE(a.IsBelow(b, bits));
  EXPECT_EQ(bits.left(), 0U);
}

TEST(LazyUniformTest, TheFirstDigitTellsTheHalf) {
  for (uint64_t group = 0; group < 8; ++group) {
    ScriptedBits bits({group});
    LazyUniform<3> number;
    number.Restart(bits);
    EXPECT_EQ(number.IsBelowHalf(), group < 4) << group;
  }
}

TEST(LazyUniformTest, LeadingBitsCrossGroups) {
  ScriptedBits bits({0b101, 0b001, 0b110});
  LazyUniform<3> number;
  number.Restart(bits);
  EXPECT_EQ(number.LeadingBits(2, bits), 0b10U);
  EXPECT_EQ(number.LeadingBits(3, bits), 0b101U);
  EXPECT_EQ(bits.left(), 2U) << "only what is asked for is drawn";
  EXPECT_EQ(number.LeadingBits(8, bits), 0b10100111U);
  EXPECT_EQ(bits.left(), 0U);
}

TEST(LazyUniformTest, LeadingBitsOfAWholeWord) {
  ScriptedBits bits({0xFEDCBA9876543210});
  LazyUniform<64> number;
  number.Restart(bits);
  EXPECT_EQ(number.LeadingBits(1, bits), 1U);
  EXPECT_EQ(number.LeadingBits(31, bits), 0xFEDCBA98U >> 1);
  EXPECT_EQ(number.LeadingBits(63, bits), 0xFEDCBA9876543210U >> 1);
}

}  // namespace
}  // namespace topicwall::mechanism
