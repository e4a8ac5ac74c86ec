// How to read it: SumOfSquaresAvx2 is the norm, for both processors; TruncateFoursAvx2 is for
// limits up to 2^37, TruncateEights… for those up to 2^31, where a square fits into 64 bits by
// itself. No function leaves its loop for a bad entry: it goes on with whatever bits that gives,
// also in q and in the sums, says false at the end, and the caller throws all of it away.
#include "server/mechanism/clip_kernel_x86.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>

#ifdef __FAST_MATH__
#error "NaN must fail comparisons here: build without -ffast-math"
#endif

namespace topicwall::mechanism {
namespace {

// Exact, so that a statistic without weights and one whose weights are 1 have the same bits.
TOPICWALL_CLIP_AVX2 inline __m256d LoadFour(const float* x) {
  return _mm256_cvtps_pd(_mm_loadu_ps(x));
}
TOPICWALL_CLIP_AVX2 inline __m256d LoadFour(const double* x) { return _mm256_loadu_pd(x); }

TOPICWALL_CLIP_AVX2 inline uint64_t SumOfFour(__m256i lanes) {
  uint64_t values[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), lanes);
  return values[0] + values[1] + values[2] + values[3];
}

// t of eight, rounded toward zero; -2^31 where t is out of a 32-bit integer's range or not a
// number.
template <typename Real>
TOPICWALL_CLIP_AVX2 inline __m256i TruncateEight(const Real* x, __m256d scale) {
  return _mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_mul_pd(LoadFour(x + 4), scale)),
                          _mm256_cvttpd_epi32(_mm256_mul_pd(LoadFour(x), scale)));
}

// The forms with a mask, here and below, are of all eight lanes: of the plain ones GCC 12 warns
// that they read a vector before it is set.
TOPICWALL_CLIP_AVX512 inline __m512d LoadEight(const float* x) {
  return _mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(x));
}
TOPICWALL_CLIP_AVX512 inline __m512d LoadEight(const double* x) { return _mm512_loadu_pd(x); }

}  // namespace

template <typename Real>
TOPICWALL_CLIP_AVX2 double SumOfSquaresAvx2(const Real* x, std::size_t size) {
  __m256d first = _mm256_setzero_pd();
  __m256d second = _mm256_setzero_pd();
  std::size_t i = 0;
  for (; i + kSquareLanes <= size; i += kSquareLanes) {
    const __m256d a = LoadFour(x + i);
    const __m256d b = LoadFour(x + i + 4);
    // Not fused: the square of a weighted entry is rounded, as it is in the portable kernel.
    first = _mm256_add_pd(first, _mm256_mul_pd(a, a));
    second = _mm256_add_pd(second, _mm256_mul_pd(b, b));
  }
  double lanes[kSquareLanes];
  _mm256_storeu_pd(lanes, first);
  _mm256_storeu_pd(lanes + 4, second);
  for (std::size_t lane = 0; i < size; ++i, ++lane) {
    const double value = static_cast<double>(x[i]);
    lanes[lane] += value * value;
  }
  return SumOfLanes(lanes);
}

// Vectors multiply the squares whole. The largest |q| alone decides whether all are within the
// limit, since what is no number or does not fit becomes 2^31.
// limit is an integer, so ⌊|t|⌋ < limit says the same as |t| < limit, which the portable kernel
// asks. The maximum is an unsigned one: the length of -2^31 is 2^31, which as a signed number would
// be the smallest of all, and would pass.
template <typename Real>
TOPICWALL_CLIP_AVX2 bool TruncateEightsAvx2(const Real* x, std::size_t count, double scale,
                                            double limit, uint64_t* q, Squares* squares) {
  const __m256d scales = _mm256_set1_pd(scale);
  const __m256i low_half = _mm256_set1_epi64x(0xFFFFFFFF);
  __m256i largest = _mm256_setzero_si256();
  __m256i high = largest;
  __m256i low = largest;
  for (std::size_t i = 0; i < count;) {
    __m256i even = _mm256_setzero_si256();
    __m256i odd = even;
    // Four squares below 2^62 are below 2^64; then their halves go apart.
    for (const std::size_t end = std::min(count, i + 32); i < end; i += 8) {
      const __m256i rounded = TruncateEight(x + i, scales);
      auto* to = reinterpret_cast<__m256i*>(q + i);
      _mm256_storeu_si256(to, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(rounded)));
      _mm256_storeu_si256(to + 1, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(rounded, 1)));
      const __m256i length = _mm256_abs_epi32(rounded);
      // A multiplication takes the lower 32 bits of each 64: every other length, then the rest.
      const __m256i odd_ones = _mm256_srli_epi64(length, 32);
      largest = _mm256_max_epu32(largest, length);
      even = _mm256_add_epi64(even, _mm256_mul_epu32(length, length));
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
  return static_cast<double>(*std::max_element(each, each + 8)) < limit;
}

// Toward zero by way of the length: its floor, then the sign. Whatever stands in q has the length
// that was squared, since both are made of `rounded`, and `bits` says whether it is below 2^37: the
// check in integers does not lean on `good`.
template <typename Real>
TOPICWALL_CLIP_AVX2 bool TruncateFoursAvx2(const Real* x, std::size_t count, double scale,
                                           double limit, uint64_t* q, Squares* squares) {
  const __m256d scales = _mm256_set1_pd(scale);
  const __m256d limits = _mm256_set1_pd(limit);
  const __m256d sign_bit = _mm256_set1_pd(-0.0);
  // 2^52 + ⌊|t|⌋ has ⌊|t|⌋ in its last 52 bits: AVX2 has no conversion to 64-bit integers.
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
    // Collected, not asked: hardly any unit has a bad entry, and the rest goes on with whatever
    // bits it gives, which the caller throws away.
    good = _mm256_and_pd(good, _mm256_cmp_pd(length, limits, _CMP_LT_OQ));
    const __m256d shifted = _mm256_add_pd(_mm256_floor_pd(length), shift);
    const __m256i rounded = _mm256_and_si256(_mm256_castpd_si256(shifted), mantissa);
    // All ones where t has its sign bit: then (r ^ ones) - ones is -r.
    const __m256i sign = _mm256_cmpgt_epi64(zero, _mm256_castpd_si256(t));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q + i),
                        _mm256_sub_epi64(_mm256_xor_si256(rounded, sign), sign));
    // The multiplication of vectors takes 32 bits of each factor, hence the two parts of |q|.
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

// As with AVX2, but this converts to 64-bit integers: out of range is -2^63.
// The lengths have 64 bits here, and are compared so; a square takes the lower 32 bits, which is
// all there is of a length that passes.
template <typename Real>
TOPICWALL_CLIP_AVX512 bool TruncateEightsAvx512(const Real* x, std::size_t count, double scale,
                                                double limit, uint64_t* q, Squares* squares) {
  const __m512d scales = _mm512_set1_pd(scale);
  const __m512i low_half = _mm512_set1_epi64(0xFFFFFFFF);
  const __m512i zero = _mm512_setzero_si512();
  __m512i largest = zero;
  __m512i high = zero;
  __m512i low = zero;
  for (std::size_t i = 0; i < count;) {
    __m512i sum = zero;
    for (const std::size_t end = std::min(count, i + 32); i < end; i += 8) {
      const __m512d t = _mm512_mul_pd(LoadEight(x + i), scales);
      const __m512i rounded = _mm512_maskz_cvttpd_epi64(0xFF, t);
      const __m512i length = _mm512_maskz_abs_epi64(0xFF, rounded);
      largest = _mm512_maskz_max_epu64(0xFF, largest, length);
      _mm512_storeu_si512(q + i, rounded);
      sum = _mm512_add_epi64(sum, _mm512_maskz_mul_epu32(0xFF, length, length));
    }
    high = _mm512_add_epi64(high, _mm512_maskz_srli_epi64(0xFF, sum, 32));
    low = _mm512_add_epi64(low, _mm512_and_si512(sum, low_half));
  }
  uint64_t lanes[3][8];
  _mm512_storeu_si512(lanes[0], high);
  _mm512_storeu_si512(lanes[1], low);
  _mm512_storeu_si512(lanes[2], largest);
  for (const uint64_t lane : lanes[0]) squares->narrow_high += lane;
  for (const uint64_t lane : lanes[1]) squares->narrow_low += lane;
  return static_cast<double>(*std::max_element(lanes[2], lanes[2] + 8)) < limit;
}

template double SumOfSquaresAvx2(const float*, std::size_t);
template bool TruncateFoursAvx2(const float*, std::size_t, double, double, uint64_t*, Squares*);
template bool TruncateEightsAvx2(const float*, std::size_t, double, double, uint64_t*, Squares*);
template bool TruncateEightsAvx512(const float*, std::size_t, double, double, uint64_t*, Squares*);
template double SumOfSquaresAvx2(const double*, std::size_t);
template bool TruncateFoursAvx2(const double*, std::size_t, double, double, uint64_t*, Squares*);
template bool TruncateEightsAvx2(const double*, std::size_t, double, double, uint64_t*, Squares*);
template bool TruncateEightsAvx512(const double*, std::size_t, double, double, uint64_t*, Squares*);

}  // namespace topicwall::mechanism
#endif
