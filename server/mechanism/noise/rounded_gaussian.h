// Exact samples of round(N(0, 2^(2s))): a *continuous* normal of standard deviation 2^s,
// rounded to the nearest integer. No floating-point number takes part.
//
//   RoundedGaussian<30> noise;
//   int64_t sample = noise.Draw(stream);   // stream: random::Keystream
//
// Why not a discrete Gaussian: s + round(N) = round(s + N) for integer s, so a release is
// post-processing of the continuous Gaussian mechanism and every bound proved for that one
// holds as it stands. A discrete Gaussian would need bounds of its own.
//
// Construction: rejection from under a staircase (strip_table.h), with binary digits drawn as
// they are needed. z is in units of the standard deviation, f(z) = e^(-z²/2):
//   1. a cell, uniformly (Lemire's multiplication with rejection: no bias at all);
//   2. a point (z, y), uniformly in that cell. The tail cell's block k has half the area of the
//      one before: k is a number of fair coins;
//   3. keep z if y < f(z), else start again;
//   4. a fair sign.
// Proof. The cells have one area and do not overlap, so the point is uniform in their union.
// The union has every point below the curve in it (strip_table.h). So, given that it is kept,
// the point is uniform below the curve and z has density ∝ f on z >= 0, however far out. □
//
// Digits. z and y are real numbers whose binary digits are fair coins, drawn as step 3 and the
// rounding ask for them. A cell that is inside needs no y and only the first 31 digits of z
// behind the point. Elsewhere y < f(z) is decided by intervals: around the digits known, in 64
// bits (StripTable::SideInCell); if that does not decide it, in integers of any size, with
// more digits until it does (SideOf). Every decision is therefore the one that all digits would
// give; none is approximate. (A tie of all digits has probability 0.)
// Rounding: floor(2^s z + 1/2) = floor((d + 1)/2) where d are the digits of 2^(s+1) z before
// the point, which the first 31 hold.
//
// Privacy: samples are PRIVATE until added. The time of a draw depends on the sample, not
// on the corpus. Threads: one object per thread, with its own stream.
// Cost: one 64-bit word and some 10 ns; a draw in 40 needs two words more, one in 20,000 lies in
// the tail and costs 20 µs. |sample| >= 2^(s+33) has probability below e^(-2^65): no overflow.
#ifndef TOPICWALL_SERVER_MECHANISM_NOISE_ROUNDED_GAUSSIAN_H_
#define TOPICWALL_SERVER_MECHANISM_NOISE_ROUNDED_GAUSSIAN_H_

#include <cstdint>
#include <utility>

#include "server/mechanism/noise/normal_curve.h"
#include "server/mechanism/noise/strip_table.h"

namespace topicwall::mechanism {

// kScaleBits is s. kDigitBits is how many digits are drawn at a time where a comparison needs
// them. Tests use small scales, where every value can be counted, digits one by one, so that
// every comparison is ambiguous at first, and coarse tables, in which the boundary and the tail
// are met all the time: the code is the same.
template <int kScaleBits, int kDigitBits = 64>
class RoundedGaussian {
  static_assert(kScaleBits >= 0 && kScaleBits <= 30);
  static_assert(kDigitBits >= 1 && kDigitBits <= 64);

 public:
  explicit RoundedGaussian(const StripTable& table = StripTable::Production())
      : table_(table), excess_((uint64_t{1} << 32) % table.num_cells()) {}

  // `Bits` offers NextBits(count) like random::Keystream.
  template <typename Bits>
  int64_t Draw(Bits& bits) {
    for (;;) {
      const uint64_t word = bits.NextBits(64);
      const uint64_t product = (word >> 32) * table_.num_cells();
      // These would give some cells one chance in 2^32 more than others.
      if ((product & 0xFFFFFFFF) < excess_) continue;
      const uint64_t cell = product >> 32;
      const int num_digits = kDigits - table_.strip_bits();
      uint64_t digits = (word >> 1) & ((uint64_t{1} << num_digits) - 1);
      if (cell < table_.num_inside()) {
        digits |= table_.inside(cell) << num_digits;
      } else if (cell == table_.tail() ? !DrawTail(bits, &digits)
                                       : !DrawBoundary(table_.boundary(cell), bits, &digits)) {
        continue;
      }
      const auto magnitude = static_cast<int64_t>(((digits >> (kDigits - 1 - kScaleBits)) + 1) / 2);
      return (word & 1) == 0 ? magnitude : -magnitude;
    }
  }

 private:
  static constexpr int kDigits = 31;  // of z behind the point, for the largest scale

  // False if the point is not kept. *digits are those of x within the strip, and then of z.
  template <typename Bits>
  bool DrawBoundary(StripTable::Cell cell, Bits& bits, uint64_t* digits) {
    const int num_digits = kDigits - table_.strip_bits();
    const uint64_t x = bits.NextBits(kDigitBits);
    const uint64_t y = bits.NextBits(kDigitBits);
    const CurveSide side = table_.SideInCell(cell, (absl::uint128(*digits) << kDigitBits) | x,
                                             num_digits + kDigitBits, y, kDigitBits);
    *digits |= uint64_t{cell.strip} << num_digits;
    if (side != CurveSide::kUnknown) return side == CurveSide::kBelow;
    DyadicInterval z = {.low = Natural(*digits), .bits = kDigits};
    DyadicInterval height = {.low = Natural(cell.level), .bits = table_.cell_bits()};
    z.Extend(kDigitBits, x);
    height.Extend(kDigitBits, y);
    return IsBelowCurve(std::move(z), std::move(height), bits);
  }

  template <typename Bits>
  bool DrawTail(Bits& bits, uint64_t* digits) {
    uint64_t block = 0;
    while (bits.NextBits(1) == 1) ++block;
    *digits = (table_.num_strips() << (kDigits - table_.strip_bits())) + (block << kDigits) +
              bits.NextBits(kDigits);
    DyadicInterval z = {.low = Natural(*digits), .bits = kDigits};
    const int height_bits = table_.strip_bits() + table_.cell_bits() + 1;
    DyadicInterval y = {.low = Natural(0), .bits = height_bits + static_cast<int>(block)};
    y.Extend(kDigitBits, bits.NextBits(kDigitBits));
    return IsBelowCurve(std::move(z), std::move(y), bits);
  }

  template <typename Bits>
  static bool IsBelowCurve(DyadicInterval z, DyadicInterval y, Bits& bits) {
    for (;;) {
      const CurveSide side = SideOf(z, y);
      if (side != CurveSide::kUnknown) return side == CurveSide::kBelow;
      z.Extend(kDigitBits, bits.NextBits(kDigitBits));
      y.Extend(kDigitBits, bits.NextBits(kDigitBits));
    }
  }

  const StripTable& table_;
  uint64_t excess_;  // 2^32 modulo the number of cells
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_NOISE_ROUNDED_GAUSSIAN_H_
