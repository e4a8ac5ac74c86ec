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

// Partial sums of squares: two vectors of AVX2, whose additions need not wait for each other. The
// portable kernel adds in the same order, since the norm's last bit decides bits of q.
constexpr std::size_t kLanes = 8;
constexpr int kLowBits = 19;
constexpr int kIntegerBits = 37;
constexpr uint64_t kLowMask = (uint64_t{1} << kLowBits) - 1;

double SumOfLanes(const double (&lanes)[kLanes]) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// Σ h², Σ h·l, Σ l² of one stretch, and all bits of its q. Of a narrow q the square itself fits
// into 64 bits: of those, the sums of the upper and of the lower halves.
struct Squares {
  uint64_t high = 0;
  uint64_t mixed = 0;
  uint64_t low = 0;
  uint64_t bits = 0;
  uint64_t narrow_high = 0;
  uint64_t narrow_low = 0;

  void Add(uint64_t q) {
    const uint64_t h = q >> kLowBits;
    const uint64_t l = q & kLowMask;
    high += h * h;
    mixed += h * l;
    low += l * l;
    bits |= q;
  }

  bool InRange() const { return bits >> kIntegerBits == 0; }
  absl::uint128 Sum() const {
    return (absl::uint128(high) << (2 * kLowBits)) + (absl::uint128(mixed) << (kLowBits + 1)) +
           low + (absl::uint128(narrow_high) << 32) + narrow_low;
  }
};

// Whether 0 <= t < limit; then *q is ⌊t⌋.
bool RoundOne(double t, double limit, uint64_t* q) {
  if (!(t >= 0 && t < limit)) return false;
  *q = static_cast<uint64_t>(static_cast<int64_t>(t));  // through int64: one instruction
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
RoundedRun RoundDownPortable(const Real* x, std::size_t size, double scale, double limit,
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
    // Not fused: the square of a weighted entry is rounded, as it is in the portable kernel.
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

// ⌊t⌋ of eight, for 0 <= t < 2^31; 2^31 where t is out of a 32-bit integer's range or not a number.
template <typename Real>
TOPICWALL_CLIP_AVX2 inline __m256i RoundEight(const Real* x, __m256d scale, __m256d* good) {
  const __m256d zero = _mm256_setzero_pd();
  const __m256d first = _mm256_mul_pd(LoadFour(x), scale);
  const __m256d second = _mm256_mul_pd(LoadFour(x + 4), scale);
  // Cutting a fraction off is not rounding down below 0, so the sign is looked at before.
  *good = _mm256_and_pd(*good, _mm256_and_pd(_mm256_cmp_pd(first, zero, _CMP_GE_OQ),
                                             _mm256_cmp_pd(second, zero, _CMP_GE_OQ)));
  return _mm256_set_m128i(_mm256_cvttpd_epi32(second), _mm256_cvttpd_epi32(first));
}

// For limit <= 2^31: eight at a time, whose squares a vector multiplies whole. `count` is a
// multiple of 8.
template <typename Real>
TOPICWALL_CLIP_AVX2 bool RoundEightsAvx2(const Real* x, std::size_t count, double scale,
                                         double limit, uint64_t* q, Squares* squares) {
  const __m256d scales = _mm256_set1_pd(scale);
  const __m256i low_half = _mm256_set1_epi64x(0xFFFFFFFF);
  __m256d good = _mm256_cmp_pd(scales, scales, _CMP_EQ_OQ);
  __m256i largest = _mm256_setzero_si256();
  __m256i high = largest;
  __m256i low = largest;
  for (std::size_t i = 0; i < count;) {
    __m256i even = _mm256_setzero_si256();
    __m256i odd = even;
    // Four squares below 2^62 are below 2^64; then their halves go apart.
    for (const std::size_t end = std::min(count, i + 32); i < end; i += 8) {
      const __m256i rounded = RoundEight(x + i, scales, &good);
      largest = _mm256_max_epu32(largest, rounded);
      auto* to = reinterpret_cast<__m256i*>(q + i);
      _mm256_storeu_si256(to, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(rounded)));
      _mm256_storeu_si256(to + 1, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(rounded, 1)));
      const __m256i odd_ones = _mm256_srli_epi64(rounded, 32);
      even = _mm256_add_epi64(even, _mm256_mul_epu32(rounded, rounded));
      odd = _mm256_add_epi64(odd, _mm256_mul_epu32(odd_ones, odd_ones));
    }
    high = _mm256_add_epi64(
        high, _mm256_add_epi64(_mm256_srli_epi64(even, 32), _mm256_srli_epi64(odd, 32)));
    low = _mm256_add_epi64(
        low, _mm256_add_epi64(_mm256_and_si256(even, low_half), _mm256_and_si256(odd, low_half)));
  }
  squares->narrow_high = SumOfFour(high);
  squares->narrow_low = SumOfFour(low);
  uint32_t each[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(each), largest);
  return _mm256_movemask_pd(good) == 0xF &&
         static_cast<double>(*std::max_element(each, each + 8)) < limit;
}

// Four at a time; `count` is a multiple of 4.
template <typename Real>
TOPICWALL_CLIP_AVX2 bool RoundFoursAvx2(const Real* x, std::size_t count, double scale,
                                        double limit, uint64_t* q, Squares* squares) {
  const __m256d scales = _mm256_set1_pd(scale);
  const __m256d limits = _mm256_set1_pd(limit);
  const __m256d zero = _mm256_setzero_pd();
  // 2^52 + ⌊t⌋ has ⌊t⌋ in its last 52 bits: AVX2 has no conversion to 64-bit integers.
  const __m256d shift = _mm256_set1_pd(0x1p52);
  const __m256i mantissa = _mm256_set1_epi64x((int64_t{1} << 52) - 1);
  const __m256i low_mask = _mm256_set1_epi64x(static_cast<int64_t>(kLowMask));
  __m256d good = _mm256_cmp_pd(zero, zero, _CMP_EQ_OQ);
  __m256i bits = _mm256_setzero_si256();
  __m256i high = bits;
  __m256i mixed = bits;
  __m256i low = bits;
  for (std::size_t i = 0; i < count; i += 4) {
    const __m256d t = _mm256_mul_pd(LoadFour(x + i), scales);
    // Collected, not asked: hardly any unit has a bad entry, and the rest goes on with whatever
    // bits it gives, which the caller throws away.
    good = _mm256_and_pd(good, _mm256_and_pd(_mm256_cmp_pd(t, zero, _CMP_GE_OQ),
                                             _mm256_cmp_pd(t, limits, _CMP_LT_OQ)));
    const __m256d shifted = _mm256_add_pd(_mm256_floor_pd(t), shift);
    const __m256i rounded = _mm256_and_si256(_mm256_castpd_si256(shifted), mantissa);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q + i), rounded);
    // The multiplication of vectors takes 32 bits of each factor, hence the two parts of q.
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
RoundedRun RoundDownAvx2(const Real* x, std::size_t size, double scale, double limit, uint64_t* q) {
  return RoundInStretches(size, [=](std::size_t first, std::size_t count, Squares* squares) {
    const bool is_narrow = limit <= 0x1p31;
    const std::size_t whole = is_narrow ? count / 8 * 8 : count / 4 * 4;
    const auto round = is_narrow ? RoundEightsAvx2<Real> : RoundFoursAvx2<Real>;
    if (!round(x + first, whole, scale, limit, q + first, squares)) return false;
    for (std::size_t i = first + whole; i < first + count; ++i) {
      if (!RoundOne(static_cast<double>(x[i]) * scale, limit, &q[i])) return false;
      squares->Add(q[i]);
    }
    return true;
  });
}

constexpr ClipKernel kAvx2 = {
    .name = "avx2",
    .plain = {.sum_of_squares = SumOfSquaresAvx2<float>, .round_down = RoundDownAvx2<float>},
    .weighted = {.sum_of_squares = SumOfSquaresAvx2<double>, .round_down = RoundDownAvx2<double>}};
#endif

constexpr ClipKernel kPortable = {.name = "portable",
                                  .plain = {.sum_of_squares = SumOfSquaresPortable<float>,
                                            .round_down = RoundDownPortable<float>},
                                  .weighted = {.sum_of_squares = SumOfSquaresPortable<double>,
                                               .round_down = RoundDownPortable<double>}};

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
