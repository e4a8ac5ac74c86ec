#include "server/mechanism/clip_kernel.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#define TOPICWALL_CLIP_AVX2 __attribute__((target("avx2")))
#endif

#ifdef __FAST_MATH__
#error "NaN must fail comparisons here: build without -ffast-math"
#endif

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kLanes = 8;
constexpr int kLowBits = 19;
constexpr int kIntegerBits = 37;
constexpr uint64_t kLowMask = (uint64_t{1} << kLowBits) - 1;

double SumOfLanes(const double (&lanes)[kLanes]) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// Σ h², Σ h·l, Σ l² of one stretch, and all bits of its |q|.
struct Squares {
  uint64_t high = 0;
  uint64_t mixed = 0;
  uint64_t low = 0;
  uint64_t bits = 0;

  void Add(uint64_t q) {
    const uint64_t magnitude = q >> 63 == 0 ? q : 0 - q;
    const uint64_t h = magnitude >> kLowBits;
    const uint64_t l = magnitude & kLowMask;
    high += h * h;
    mixed += h * l;
    low += l * l;
    bits |= magnitude;
  }

  bool InRange() const { return bits >> kIntegerBits == 0; }
  absl::uint128 Sum() const {
    return (absl::uint128(high) << (2 * kLowBits)) + (absl::uint128(mixed) << (kLowBits + 1)) + low;
  }
};

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
    if (!round(first, std::min(kSquaresPerDrain, size - first), &squares) || !squares.InRange()) {
      run.in_range = false;
      return run;
    }
    run.sum_of_squares += squares.Sum();
  }
  return run;
}

template <typename Real>
double SumOfSquaresPortable(const Real* x, std::size_t size) {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
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
      squares->Add(q[i]);
    }
    return true;
  });
}

#ifdef TOPICWALL_CLIP_AVX2

TOPICWALL_CLIP_AVX2 inline __m256d LoadFour(const float* x) {
  return _mm256_cvtps_pd(_mm_loadu_ps(x));
}
TOPICWALL_CLIP_AVX2 inline __m256d LoadFour(const double* x) { return _mm256_loadu_pd(x); }

template <typename Real>
TOPICWALL_CLIP_AVX2 double SumOfSquaresAvx2(const Real* x, std::size_t size) {
  __m256d first = _mm256_setzero_pd();
  __m256d second = _mm256_setzero_pd();
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const __m256d a = LoadFour(x + i);
    const __m256d b = LoadFour(x + i + 4);
    first = _mm256_add_pd(first, _mm256_mul_pd(a, a));
    second = _mm256_add_pd(second, _mm256_mul_pd(b, b));
  }
  double lanes[kLanes];
  _mm256_storeu_pd(lanes, first);
  _mm256_storeu_pd(lanes + 4, second);
  for (std::size_t lane = 0; i < size; ++i, ++lane) {
    const double value = static_cast<double>(x[i]);
    lanes[lane] += value * value;
  }
  return SumOfLanes(lanes);
}

TOPICWALL_CLIP_AVX2 inline uint64_t SumOfFour(__m256i lanes) {
  uint64_t values[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), lanes);
  return values[0] + values[1] + values[2] + values[3];
}

// Four at a time; `count` is a multiple of 4.
template <typename Real>
TOPICWALL_CLIP_AVX2 bool TruncateFoursAvx2(const Real* x, std::size_t count, double scale,
                                           double limit, uint64_t* q, Squares* squares) {
  const __m256d scales = _mm256_set1_pd(scale);
  const __m256d limits = _mm256_set1_pd(limit);
  const __m256d sign_bit = _mm256_set1_pd(-0.0);
  // 2^52 + ⌊|t|⌋ has ⌊|t|⌋ in its last 52 bits.
  const __m256d shift = _mm256_set1_pd(0x1p52);
  const __m256i mantissa = _mm256_set1_epi64x((int64_t{1} << 52) - 1);
  const __m256i low_mask = _mm256_set1_epi64x(static_cast<int64_t>(kLowMask));
  const __m256i zero = _mm256_setzero_si256();
  __m256d good = _mm256_castsi256_pd(_mm256_cmpeq_epi64(zero, zero));
  __m256i bits = zero;
  __m256i high = bits;
  __m256i mixed = bits;
  __m256i low = bits;
  for (std::size_t i = 0; i < count; i += 4) {
    const __m256d t = _mm256_mul_pd(LoadFour(x + i), scales);
    const __m256d length = _mm256_andnot_pd(sign_bit, t);
    good = _mm256_and_pd(good, _mm256_cmp_pd(length, limits, _CMP_LT_OQ));
    const __m256d shifted = _mm256_add_pd(_mm256_floor_pd(length), shift);
    const __m256i rounded = _mm256_and_si256(_mm256_castpd_si256(shifted), mantissa);
    // All ones where t has its sign bit: then (r ^ ones) - ones is -r.
    const __m256i sign = _mm256_cmpgt_epi64(zero, _mm256_castpd_si256(t));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q + i),
                        _mm256_sub_epi64(_mm256_xor_si256(rounded, sign), sign));
    const __m256i h = _mm256_srli_epi64(rounded, kLowBits);
    const __m256i l = _mm256_and_si256(rounded, low_mask);
    bits = _mm256_or_si256(bits, rounded);
    high = _mm256_add_epi64(high, _mm256_mul_epu32(h, h));
    mixed = _mm256_add_epi64(mixed, _mm256_mul_epu32(h, l));
    low = _mm256_add_epi64(low, _mm256_mul_epu32(l, l));
  }
  squares->high = SumOfFour(high);
  squares->mixed = SumOfFour(mixed);
  squares->low = SumOfFour(low);
  uint64_t all_bits[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(all_bits), bits);
  squares->bits = all_bits[0] | all_bits[1] | all_bits[2] | all_bits[3];
  return _mm256_movemask_pd(good) == 0xF;
}

template <typename Real>
RoundedRun TruncateAvx2(const Real* x, std::size_t size, double scale, double limit, uint64_t* q) {
  return RoundInStretches(size, [=](std::size_t first, std::size_t count, Squares* squares) {
    const std::size_t fours = count / 4 * 4;
    if (!TruncateFoursAvx2(x + first, fours, scale, limit, q + first, squares)) return false;
    for (std::size_t i = first + fours; i < first + count; ++i) {
      if (!RoundOne(static_cast<double>(x[i]) * scale, limit, &q[i])) return false;
      squares->Add(q[i]);
    }
    return true;
  });
}

constexpr ClipKernel kAvx2 = {
    .name = "avx2",
    .plain = {.sum_of_squares = SumOfSquaresAvx2<float>, .truncate = TruncateAvx2<float>},
    .weighted = {.sum_of_squares = SumOfSquaresAvx2<double>, .truncate = TruncateAvx2<double>}};
#endif

constexpr ClipKernel kPortable = {
    .name = "portable",
    .plain = {.sum_of_squares = SumOfSquaresPortable<float>, .truncate = TruncatePortable<float>},
    .weighted = {.sum_of_squares = SumOfSquaresPortable<double>,
                 .truncate = TruncatePortable<double>}};

}  // namespace

absl::Span<const ClipKernel> SupportedClipKernels() {
#ifdef TOPICWALL_CLIP_AVX2
  static constexpr ClipKernel kBoth[] = {kAvx2, kPortable};
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  return has_avx2 ? absl::MakeConstSpan(kBoth) : absl::MakeConstSpan(kBoth).subspan(1);
#else
  static constexpr ClipKernel kOne[] = {kPortable};
  return kOne;
#endif
}

}  // namespace topicwall::mechanism
