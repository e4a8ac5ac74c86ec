// Sixteen floats at a time with AVX-512 (F and DQ). Members as in simd_portable.h.
// Only kernel_avx512.cc, which is compiled for such processors, may include this.
#ifndef TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_AVX512_H_
#define TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_AVX512_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace topicwall::lda {

struct SimdAvx512 {
  static constexpr size_t kLanes = 16;
  using Floats = __m512;
  using Ints = int32_t __attribute__((vector_size(64), may_alias));
  using Four = __m128;

  static Floats Broadcast(float x) { return _mm512_set1_ps(x); }
  static Floats Load(const float* from) { return _mm512_load_ps(from); }
  static void Store(float* to, Floats v) { _mm512_store_ps(to, v); }
  static Four LoadFour(const float* from) { return _mm_load_ps(from); }
  static void StoreFour(float* to, Four v) { _mm_store_ps(to, v); }

  static Floats MulAdd(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
  static Floats Max(Floats a, Floats b) { return _mm512_max_ps(a, b); }
  static Floats Abs(Floats a) { return FromBits(Bits(a) & 0x7fffffff); }
  static Ints Bits(Floats a) { return reinterpret_cast<Ints>(a); }
  static Floats FromBits(Ints a) { return reinterpret_cast<Floats>(a); }
  static Floats KeepWhereLess(Floats a, Floats x, Floats limit) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, limit, _CMP_LT_OQ), a);
  }
  static uint32_t MaskGreater(Floats a, Floats b) {
    return uint32_t{_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)};
  }
  static size_t KeepGreater(Floats a, Floats b, uint32_t first, uint32_t* numbers, float* kept) {
    const __mmask16 mask = _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
    const __m512i lanes =
        _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    // Into registers first: compressed stores to memory are slow on some processors.
    _mm512_storeu_si512(numbers, _mm512_maskz_compress_epi32(mask, lanes));
    _mm512_storeu_ps(kept, _mm512_maskz_compress_ps(mask, a));
    return static_cast<size_t>(__builtin_popcount(mask));
  }

  static float Sum(Floats a) {
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
  }
  static Four SumEach(Floats a, Floats b, Floats c, Floats d) {
    const Floats ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    const Floats cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    const Floats abcd =
        _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xEE));
    const __m256 half =
        _mm256_add_ps(_mm512_castps512_ps256(abcd), _mm512_extractf32x8_ps(abcd, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_AVX512_H_
