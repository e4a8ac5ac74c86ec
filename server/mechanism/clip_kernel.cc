// How a run is rounded. It is taken in stretches of kSquaresPerDrain entries. In a stretch a kernel
// rounds each entry, adds the parts of its square in 64 bits and collects what tells whether all
// were in range (Squares). RoundInStretches asks about the range, and only then do the parts go to
// 128 bits.
//
// Why all kernels give the same bits: x·scale is one multiplication of doubles, rounded once on
// every processor; what follows it is exact, and integers add in any order. Only the norm is a sum
// that rounds: its order of additions is fixed, and the build fuses no product with a sum
// (-ffp-contract=off).
#include "server/mechanism/clip_kernel.h"

#include <algorithm>
#include <cmath>

#include "server/mechanism/clip_kernel_x86.h"

#ifdef __FAST_MATH__
#error "NaN must fail comparisons here: build without -ffast-math"
#endif

namespace topicwall::mechanism {

// Addition of doubles is not associative: another order may change the norm's last bit, and with it
// bits of q. Whoever adds a kernel adds in this order.
double SumOfLanes(const double (&lanes)[kSquareLanes]) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

namespace {

constexpr int kIntegerBits = 37;

// The length is taken in unsigned arithmetic, where -2^63 has one too. Of lengths from 2^37 on, h²
// or h·l may wrap; but `bits` loses none of them, and the whole stretch is then refused.
void Add(uint64_t q, Squares* squares) {
  const uint64_t length = q >> 63 == 0 ? q : 0 - q;
  const uint64_t h = length >> kLowBits;
  const uint64_t l = length & kLowMask;
  squares->high += h * h;
  squares->mixed += h * l;
  squares->low += l * l;
  squares->bits |= length;
}

// Of what Add has seen. The narrow entries of vectors are held to the limit where they are rounded
// (clip_kernel_x86.cc) and leave no bits here.
bool InRange(const Squares& squares) { return squares.bits >> kIntegerBits == 0; }

// q² = h²·2^38 + 2·h·l·2^19 + l², hence one bit more for the mixed products.
absl::uint128 Sum(const Squares& squares) {
  return (absl::uint128(squares.high) << (2 * kLowBits)) +
         (absl::uint128(squares.mixed) << (kLowBits + 1)) + squares.low +
         (absl::uint128(squares.narrow_high) << 32) + squares.narrow_low;
}

// Whether |t| < limit; then *q is t truncated.
bool RoundOne(double t, double limit, uint64_t* q) {
  if (!(std::fabs(t) < limit)) return false;
  *q = static_cast<uint64_t>(static_cast<int64_t>(t));  // the language rounds toward zero
  return true;
}

// Calls round(first, size, &squares) for stretches of at most kSquaresPerDrain entries.
template <typename Round>
RoundedRun RoundInStretches(std::size_t size, Round round) {
  RoundedRun run = {.in_range = true, .sum_of_squares = 0};
  for (std::size_t first = 0; first < size; first += kSquaresPerDrain) {
    Squares squares;
    if (!round(first, std::min(kSquaresPerDrain, size - first), &squares) || !InRange(squares)) {
      run.in_range = false;
      return run;
    }
    run.sum_of_squares += Sum(squares);
  }
  return run;
}

// Lane i mod 8, as if zeros stood behind the last entry: what a vector kernel's lanes hold, too.
template <typename Real>
double SumOfSquaresPortable(const Real* x, std::size_t size) {
  double lanes[kSquareLanes] = {};
  std::size_t i = 0;
  for (; i + kSquareLanes <= size; i += kSquareLanes) {
    for (std::size_t lane = 0; lane < kSquareLanes; ++lane) {
      const double value = static_cast<double>(x[i + lane]);
      lanes[lane] += value * value;
    }
  }
  for (std::size_t lane = 0; i < size; ++i, ++lane) {
    const double value = static_cast<double>(x[i]);
    lanes[lane] += value * value;
  }
  return SumOfLanes(lanes);
}

template <typename Real>
RoundedRun TruncatePortable(const Real* x, std::size_t size, double scale, double limit,
                            uint64_t* q) {
  return RoundInStretches(size, [=](std::size_t first, std::size_t count, Squares* squares) {
    for (std::size_t i = first; i < first + count; ++i) {
      if (!RoundOne(static_cast<double>(x[i]) * scale, limit, &q[i])) return false;
      Add(q[i], squares);
    }
    return true;
  });
}

#ifdef TOPICWALL_CLIP_X86

// The last few entries, which fill no vector, go the portable way, with the same bits. A limit of
// at most 2^31, 2M for a noise multiplier of 1 or more, leaves entries that fit into 32 bits.
template <typename Real, TruncateWhole<Real> kTruncateEights>
RoundedRun TruncateX86(const Real* x, std::size_t size, double scale, double limit, uint64_t* q) {
  return RoundInStretches(size, [=](std::size_t first, std::size_t count, Squares* squares) {
    const bool is_narrow = limit <= 0x1p31;
    const std::size_t whole = is_narrow ? count / 8 * 8 : count / 4 * 4;
    const TruncateWhole<Real> truncate = is_narrow ? kTruncateEights : TruncateFoursAvx2<Real>;
    if (!truncate(x + first, whole, scale, limit, q + first, squares)) return false;
    for (std::size_t i = first + whole; i < first + count; ++i) {
      if (!RoundOne(static_cast<double>(x[i]) * scale, limit, &q[i])) return false;
      Add(q[i], squares);
    }
    return true;
  });
}

constexpr ClipKernel kAvx512 = {
    .name = "avx512",
    .plain = {.sum_of_squares = SumOfSquaresAvx2<float>,
              .truncate = TruncateX86<float, TruncateEightsAvx512<float>>},
    .weighted = {.sum_of_squares = SumOfSquaresAvx2<double>,
                 .truncate = TruncateX86<double, TruncateEightsAvx512<double>>}};
constexpr ClipKernel kAvx2 = {
    .name = "avx2",
    .plain = {.sum_of_squares = SumOfSquaresAvx2<float>,
              .truncate = TruncateX86<float, TruncateEightsAvx2<float>>},
    .weighted = {.sum_of_squares = SumOfSquaresAvx2<double>,
                 .truncate = TruncateX86<double, TruncateEightsAvx2<double>>}};
#endif

constexpr ClipKernel kPortable = {
    .name = "portable",
    .plain = {.sum_of_squares = SumOfSquaresPortable<float>, .truncate = TruncatePortable<float>},
    .weighted = {.sum_of_squares = SumOfSquaresPortable<double>,
                 .truncate = TruncatePortable<double>}};

}  // namespace

absl::Span<const ClipKernel> SupportedClipKernels() {
#ifdef TOPICWALL_CLIP_X86
  static constexpr ClipKernel kAll[] = {kAvx512, kAvx2, kPortable};
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  static const bool has_avx512 =
      has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  // AVX-512 takes its norm and its wide runs from AVX2. What the compiler's function answers covers
  // the operating system, too: whether it saves the wide registers.
  return absl::MakeConstSpan(kAll).subspan(has_avx512 ? 0 : has_avx2 ? 1 : 2);
#else
  static constexpr ClipKernel kOne[] = {kPortable};
  return kOne;
#endif
}

}  // namespace topicwall::mechanism
