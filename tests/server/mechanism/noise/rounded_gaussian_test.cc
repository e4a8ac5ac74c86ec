// What the sampler does with given bits. Its distribution: tests/statistical.
#include "server/mechanism/noise/rounded_gaussian.h"

#include <vector>

#include "tests/server/mechanism/scripted_bits.h"

namespace topicwall::mechanism {
namespace {

constexpr uint64_t kOnes = ~uint64_t{0};
constexpr int64_t kUnit = int64_t{1} << 30;  // the standard deviation
constexpr int kStripDigits = 25;             // of x within a strip, in the first word

const StripTable& Table() { return StripTable::Production(); }

// The word that chooses this cell, these digits and this sign: cell = ⌊(word >> 32)·n/2^32⌋.
uint64_t Word(uint64_t cell, uint64_t digits, uint64_t sign) {
  // The first that gives the cell, and one more, which is never among those discarded.
  const uint64_t chooser = ((cell << 32) + Table().num_cells() - 1) / Table().num_cells() + 1;
  return (chooser << 32) | (digits << 1) | sign;
}

// The number of the first inside cell of a strip, and of the boundary cell at a level.
uint64_t InsideCell(uint64_t strip) {
  uint64_t cell = 0;
  while (Table().inside(cell) != strip) ++cell;
  return cell;
}
uint64_t BoundaryCell(uint64_t strip, uint64_t level) {
  uint64_t cell = Table().num_inside();
  while (Table().boundary(cell).strip != strip || Table().boundary(cell).level != level) ++cell;
  return cell;
}

// Draws one sample of standard deviation 2^30 and expects the whole script to be used.
template <int kDigitBits = 64>
int64_t DrawFrom(std::vector<uint64_t> script) {
  ScriptedBits bits(std::move(script));
  RoundedGaussian<30, kDigitBits> noise;
  const int64_t sample = noise.Draw(bits);
  EXPECT_EQ(bits.left(), 0U);
  return sample;
}

TEST(RoundedGaussianTest, AnInsideCellTakesOneWord) {
  const uint64_t half = uint64_t{1} << (kStripDigits - 1);
  EXPECT_EQ(DrawFrom({Word(InsideCell(0), 0, 0)}), 0);
  EXPECT_EQ(DrawFrom({Word(InsideCell(64), 0, 0)}), kUnit);
  EXPECT_EQ(DrawFrom({Word(InsideCell(64), 0, 1)}), -kUnit);
  EXPECT_EQ(DrawFrom({Word(InsideCell(64), half, 0)}), kUnit + kUnit / 128);
  EXPECT_EQ(DrawFrom({Word(InsideCell(200), half / 2, 1)}), -(kUnit * 801 / 256));
}

TEST(RoundedGaussianTest, The31stDigitDecidesTheRounding) {
  EXPECT_EQ(DrawFrom({Word(InsideCell(0), 1, 0)}), 1) << "2^30 z in [1/2, 1): up";
  EXPECT_EQ(DrawFrom({Word(InsideCell(0), 1, 1)}), -1);
  EXPECT_EQ(DrawFrom({Word(InsideCell(0), 2, 0)}), 1);
  EXPECT_EQ(DrawFrom({Word(InsideCell(0), 3, 0)}), 2);
  const uint64_t last = (uint64_t{1} << kStripDigits) - 1;
  EXPECT_EQ(DrawFrom({Word(InsideCell(0), last, 0)}), kUnit / 64) << "into the next strip";
}

TEST(RoundedGaussianTest, WordsThatWouldPreferACellAreThrownAway) {
  // (word >> 32)·n has its low half below 2^32 mod n: word 0 is such a one.
  ASSERT_GT((uint64_t{1} << 32) % Table().num_cells(), 0U);
  EXPECT_EQ(DrawFrom({0, 5, Word(InsideCell(64), 0, 0)}), kUnit);
}

// Strip 64 begins at z = 1: f from 0.60653 = 155.27/256 down to f(65/64) = 152.86/256.
TEST(RoundedGaussianTest, InTheBoundaryTheHeightDecides) {
  const uint64_t cell = BoundaryCell(64, 155);
  EXPECT_EQ(DrawFrom({Word(cell, 0, 0), 0, 0}), kUnit) << "at the lower left corner: kept";
  EXPECT_EQ(DrawFrom({Word(cell, 0, 1), 0, 0}), -kUnit);
  // Half up the cell at its left edge: 155.5 > 155.27. Then another draw.
  EXPECT_EQ(DrawFrom({Word(cell, 0, 0), 0, uint64_t{1} << 63, Word(InsideCell(0), 0, 0)}), 0);
  // At its right edge the curve is below 155.
  const uint64_t last = (uint64_t{1} << kStripDigits) - 1;
  EXPECT_EQ(DrawFrom({Word(cell, last, 0), kOnes, 0, Word(InsideCell(0), 0, 0)}), 0);
}

// 256·f(1) = 155.2718889… = 155 + 0.0100010110011010…b. y agrees with it for a while; x is all
// zeros, so that the curve is met at z = 1 itself.
TEST(RoundedGaussianTest, AnAmbiguousHeightIsDecidedByFurtherDigitsInBothDirections) {
  const uint64_t word = Word(BoundaryCell(64, 155), 0, 0);
  const uint64_t again = Word(InsideCell(0), 0, 0);
  // One digit at a time, x's and y's in turn. y = 0.00…b is decided as soon as y_high < f.
  EXPECT_EQ(DrawFrom<1>({word, 0, 0, 0, 0}), kUnit)
      << "[155, 155.5] is ambiguous, [155, 155.25] not";
  // y = 0.011b: [155.375, 155.5] is above.
  EXPECT_EQ(DrawFrom<1>({word, 0, 0, 0, 1, 0, 1, again}), 0);
  // y = 0.01000b: above 0.2500, and [0.25, 0.28125] is ambiguous, [0.25, 0.265625] is below.
  EXPECT_EQ(DrawFrom<1>({word, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}), kUnit);
}

// The same with 64 digits: y agrees with the curve in all of them and is decided by the next 64.
// 256·f(1) = 155 + (0x45…).
TEST(RoundedGaussianTest, WhenSixtyFourDigitsTieTheNextOnesDecide) {
  const uint64_t cell = BoundaryCell(64, 155);
  const uint64_t word = Word(cell, 0, 0);
  // The height of the curve at z = 1 in units of the cell, by bisection in exact arithmetic.
  uint64_t tie = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const uint64_t attempt = tie | (uint64_t{1} << bit);
    DyadicInterval z = {.low = Natural(64), .bits = 6};
    for (int i = 0; i < 3; ++i) z.Extend(64, 0);
    DyadicInterval y = {.low = Natural(155), .bits = 8};
    y.Extend(64, attempt);
    y.Extend(64, 0);
    if (SideOf(z, y) != CurveSide::kAbove) tie = attempt;
  }
  EXPECT_EQ(DrawFrom({word, 0, tie, /*x*/ 0, /*y*/ 0}), kUnit) << "below";
  EXPECT_EQ(DrawFrom({word, 0, tie, 0, kOnes, Word(InsideCell(0), 0, 0)}), 0) << "above";
  // A neighbour in the last digit is decided without further ones of y, but not in 64 bits:
  // no script is left over, whichever way it went.
  EXPECT_EQ(DrawFrom({word, 0, tie - 4096}), kUnit);
  EXPECT_EQ(DrawFrom({word, 0, tie + 4096, Word(InsideCell(0), 0, 0)}), 0);
}

// Block k of the tail is z_0 + [k, k + 1); z_0 = 292/64.
TEST(RoundedGaussianTest, TheTailReachesAsFarAsCoinsDo) {
  const uint64_t word = Word(Table().tail(), 0, 0);
  const int64_t start = kUnit * 292 / 64;
  EXPECT_EQ(DrawFrom({word, /*block*/ 0, /*x*/ 0, /*y*/ 0}), start);
  EXPECT_EQ(DrawFrom({word | 1, 0, uint64_t{1} << 30, 0}), -(start + kUnit / 2));
  EXPECT_EQ(DrawFrom({word, 1, 1, 1, 0, 0, 0}), start + 3 * kUnit) << "y = 0 is below any curve";
  // The top of a block is above the curve: another draw.
  EXPECT_EQ(DrawFrom({word, 1, 0, 0, kOnes, Word(InsideCell(0), 0, 0)}), 0);
  // In block 20 the curve is e^-301 and 64 digits of y = 0 do not reach it yet.
  std::vector<uint64_t> script(22, 1);
  script[0] = word;
  script[21] = 0;                                    // block 20
  for (int i = 0; i < 2; ++i) script.push_back(0);   // x, y: [0, 2^-36-64]
  for (int i = 0; i < 12; ++i) script.push_back(0);  // six times 64 digits of each
  EXPECT_EQ(DrawFrom(script), start + 20 * kUnit);
}

TEST(RoundedGaussianTest, SmallerScalesRoundTheSameNumbers) {
  const auto draw = [](auto noise, uint64_t word) {
    ScriptedBits bits({word});
    return noise.Draw(bits);
  };
  const uint64_t word = Word(InsideCell(95), (uint64_t{1} << kStripDigits) - 1, 0);  // z < 1.5
  EXPECT_EQ(draw(RoundedGaussian<0>(), word), 1);
  EXPECT_EQ(draw(RoundedGaussian<1>(), word), 3);
  EXPECT_EQ(draw(RoundedGaussian<3>(), word), 12);
  const uint64_t next = Word(InsideCell(96), 0, 1);  // z = 1.5
  EXPECT_EQ(draw(RoundedGaussian<0>(), next), -2);
  EXPECT_EQ(draw(RoundedGaussian<3>(), next), -12);
}

}  // namespace
}  // namespace topicwall::mechanism
