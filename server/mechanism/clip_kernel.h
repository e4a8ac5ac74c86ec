// The arithmetic of the clip over one run of numbers, for any processor, for AVX2 and for AVX-512
// (clip_kernel_x86.h), with the same bits from all.
//
//   const ClipKernel& kernel = ChosenClipKernel();   // the fastest that this processor can run
//   double squares = kernel.plain.sum_of_squares(x, n);
//   RoundedRun run = kernel.plain.truncate(x, n, scale, limit, q);
//   if (run.in_range && run.sum_of_squares <= bound * bound) …
//
// sum_of_squares: Σ x² in double, entry i in partial sum i mod 8, the eight added pairwise: the
// same order, so the same bits, on every processor. The square of a float is exact, and
// neither overflows nor underflows.
//
// truncate: q_i = x_i·scale rounded toward zero, in two's complement, and Σ q_i². Toward zero, so
// that |q_i| <= |x_i·scale|: no entry is longer on the grid than it was. The range is checked
// twice, for two reasons.
//   - In floating point, `in_range` needs |x_i·scale| < limit for every i: NaN and infinite entries
//     fail. That is what makes q the number it is said to be.
//   - In integers, it needs |q_i| < 2^37 for every i. That alone makes Σ q² right, whatever the
//     floating-point unit did: with |q| = h·2^19 + l,
//         q² = h²·2^38 + h·l·2^20 + l²,   h < 2^18, l < 2^19,
//     so h² < 2^36, h·l < 2^37 and l² < 2^38. Each of the three is added up in 64 bits over at
//     most kSquaresPerDrain = 2^16 entries (below 2^54), then moved to 128 bits, where 2^32
//     entries of 2^74 stay below 2^106: nothing wraps.
//     Where limit <= 2^31 (without directions, a noise multiplier of 1 or more), |q_i| < limit is
//     checked in integers instead, and four q² below 2^62 are added in 64 bits before the upper and
//     the lower 32 bits of the sum are added up apart: over 2^16 entries both stay below 2^48.
//
// limit is an integer, at most 2^37. Unless in_range, q and the sum are meaningless.
// Privacy: PRIVATE input and output. Threads: any.
// Cost: cycles an entry: 0.4 for the squares, where the order of the additions is the limit; for
// rounding 1.1 with AVX2, 0.7 with AVX-512, and 1.7 with both beyond 2^31.
#ifndef TOPICWALL_SERVER_MECHANISM_CLIP_KERNEL_H_
#define TOPICWALL_SERVER_MECHANISM_CLIP_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "absl/numeric/int128.h"
#include "absl/types/span.h"

namespace topicwall::mechanism {

inline constexpr std::size_t kSquaresPerDrain = std::size_t{1} << 16;

struct RoundedRun {
  bool in_range;
  absl::uint128 sum_of_squares;
};

template <typename Real>
struct RunKernel {
  double (*sum_of_squares)(const Real* x, std::size_t size);
  RoundedRun (*truncate)(const Real* x, std::size_t size, double scale, double limit, uint64_t* q);
};

struct ClipKernel {
  const char* name;
  RunKernel<float> plain;      // a statistic as it is
  RunKernel<double> weighted;  // entries times their column's weight, exact in double
};

// Those that this processor can run, the fastest first; the portable one is always the last.
absl::Span<const ClipKernel> SupportedClipKernels();

inline const ClipKernel& ChosenClipKernel() { return SupportedClipKernels().front(); }

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_CLIP_KERNEL_H_
