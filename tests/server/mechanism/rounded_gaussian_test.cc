// What the sampler does with given bits. Its distribution: tests/statistical.
#include "server/mechanism/rounded_gaussian.h"

#include <vector>

#include "tests/server/mechanism/scripted_bits.h"

namespace topicwall::mechanism {
namespace {

constexpr uint64_t kTop = uint64_t{1} << 63;
constexpr uint64_t kOnes = ~uint64_t{0};

// H, the coin of probability e^(-1/2): yes at once (first digit 1), or no (a digit 0, then a
// number that does not continue the descent).
const std::vector<uint64_t> kYes = {kTop};
const std::vector<uint64_t> kNo = {0, kOnes};

std::vector<uint64_t> Script(std::vector<std::vector<uint64_t>> parts) {
  std::vector<uint64_t> script;
  for (const std::vector<uint64_t>& part : parts) {
    script.insert(script.end(), part.begin(), part.end());
  }
  return script;
}

// Draws one sample of standard deviation 2^30 and expects the whole script to be used.
int64_t DrawFrom(std::vector<uint64_t> script) {
  ScriptedBits bits(std::move(script));
  RoundedGaussian<30> noise;
  const int64_t sample = noise.Draw(bits);
  EXPECT_EQ(bits.left(), 0U);
  return sample;
}

// k = 0, the fraction x, B's descent ends at once (kOnes is not below x), the sign.
int64_t DrawFraction(uint64_t x, uint64_t sign) {
  return DrawFrom(Script({kNo, {x, kOnes, sign}}));
}

TEST(RoundedGaussianTest, TheFirst31DigitsOfTheFractionDecideTheRounding) {
  EXPECT_EQ(DrawFraction(kTop, 0), int64_t{1} << 29) << "x = 1/2";
  EXPECT_EQ(DrawFraction(kTop, 1), -(int64_t{1} << 29));
  EXPECT_EQ(DrawFraction(0, 0), 0);
  EXPECT_EQ(DrawFraction(0, 1), 0);
  const uint64_t half_step = uint64_t{1} << 33;  // the 31st digit
  EXPECT_EQ(DrawFraction(half_step, 0), 1) << "2^30 x in [1/2, 1): up";
  EXPECT_EQ(DrawFraction(half_step, 1), -1);
  EXPECT_EQ(DrawFraction(half_step - 1, 0), 0) << "2^30 x just below 1/2: down";
  EXPECT_EQ(DrawFraction(3 * half_step - 1, 0), 1) << "just below 3/2";
  EXPECT_EQ(DrawFraction(3 * half_step, 0), 2);
  EXPECT_EQ(DrawFraction(kOnes - 1, 0), int64_t{1} << 30) << "rounds to the next integer k";
}

TEST(RoundedGaussianTest, TheIntegerPartCountsSuccesses) {
  // k = 1: H yes, H no; step 2 has no toss for k = 1; x; two tosses of B end at once.
  EXPECT_EQ(DrawFrom(Script({kYes, kNo, {kTop, kOnes, kOnes, 0}})), 3 * (int64_t{1} << 29));
  // k = 2: two tosses of H in step 2, three of B.
  EXPECT_EQ(DrawFrom(Script({kYes, kYes, kNo, kYes, kYes, {kTop, kOnes, kOnes, kOnes, 1}})),
            -5 * (int64_t{1} << 29));
}

TEST(RoundedGaussianTest, ARejectedIntegerStartsAgain) {
  EXPECT_EQ(
      DrawFrom(Script({kYes, kYes, kNo, /*step 2:*/ kYes, kNo, /*again:*/ kNo, {kTop, kOnes, 0}})),
      int64_t{1} << 29);
}

TEST(RoundedGaussianTest, ADescentOfOddLengthRejectsTheFraction) {
  // k = 0: below x = 1/2, then the coin (2k+x)/(2k+2) = x/2: choice 0 = 2k, decided by a number
  // below x: yes; the next one does not descend: length 1, odd. Then again from the start.
  EXPECT_EQ(
      DrawFrom(Script({kNo, {kTop, 5, /*choice*/ 0, /*below x*/ 7, kOnes}, kNo, {kTop, kOnes, 0}})),
      int64_t{1} << 29);
  // Choice 1 = 2k + 1 says no at once: length 0, even, kept.
  EXPECT_EQ(DrawFrom(Script({kNo, {kTop, 5, /*choice*/ 1, 0}})), int64_t{1} << 29);
  // Length 2: 5, then 4 below 5, then no descent. Kept.
  EXPECT_EQ(DrawFrom(Script({kNo, {kTop, 5, 0, 7, 4, 0, 7, kOnes, 0}})), int64_t{1} << 29);
}

TEST(RoundedGaussianTest, ATieIsDecidedByFurtherDigitsInBothDirections) {
  // The number of B's descent ties with x in 64 digits; the next 64 decide.
  EXPECT_EQ(DrawFrom(Script({kNo, {kTop, kTop, /*next*/ 9, /*x*/ 8, 0}})), int64_t{1} << 29)
      << "not below: kept";
  EXPECT_EQ(DrawFrom(Script({kNo, {kTop, kTop, /*next*/ 8, /*x*/ 9, /*choice*/ 1, 0}})),
            int64_t{1} << 29)
      << "below, then the coin says no: kept";
  // A tie between the coin's number and x after x was extended keeps x's digits.
  EXPECT_EQ(DrawFrom(Script({kNo,
                             {kTop, kTop, /*next*/ 8, /*x*/ 9, /*choice*/ 0, /*ties*/ kTop, 10,
                              /*sign*/ 0}})),
            int64_t{1} << 29)
      << "10 is not below x's 9: the coin says no";
  // In H: a descent 3, 3… decided by further digits.
  EXPECT_EQ(DrawFrom(Script({{3, 3, /*second*/ 6, /*first*/ 5}, {kTop, kOnes, 0}})),
            int64_t{1} << 29)
      << "not below: H says no, k = 0";
}

}  // namespace
}  // namespace topicwall::mechanism
