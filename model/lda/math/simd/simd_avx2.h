// Eight floats at a time with AVX2 and fused multiply-add. Members as in simd_portable.h.
// Only kernel_avx2.cc, which is compiled for such processors, may include this.
#ifndef TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_AVX2_H_
#define TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_AVX2_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace topicwall::lda {

struct SimdAvx2 {
  static constexpr size_t kLanes = 8;
  using Floats = __m256;
  using Ints = int32_t __attribute__((vector_size(32), may_alias));
  using Four = __m128;

  static Floats Broadcast(float x) { return _mm256_set1_ps(x); }
  static Floats Load(const float* from) { return _mm256_load_ps(from); }
  static void Store(float* to, Floats v) { _mm256_store_ps(to, v); }
  static Four LoadFour(const float* from) { return _mm_load_ps(from); }
  static void StoreFour(float* to, Four v) { _mm_store_ps(to, v); }

  static Floats MulAdd(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
  static Floats Max(Floats a, Floats b) { return _mm256_max_ps(a, b); }
  static Floats Abs(Floats a) { return FromBits(Bits(a) & 0x7fffffff); }
  static Ints Bits(Floats a) { return reinterpret_cast<Ints>(a); }
  static Floats FromBits(Ints a) { return reinterpret_cast<Floats>(a); }
  static Floats KeepWhereLess(Floats a, Floats x, Floats limit) {
    return _mm256_and_ps(a, _mm256_cmp_ps(x, limit, _CMP_LT_OQ));
  }
  static uint32_t MaskGreater(Floats a, Floats b) {
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)));
  }
  static size_t KeepGreater(Floats a, Floats b, uint32_t first, uint32_t* numbers, float* kept) {
    const uint32_t mask = MaskGreater(a, b);
    size_t size = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      numbers[size] = first + lane;
      kept[size] = a[lane];
      size += (mask >> lane) & 1;
    }
    return size;
  }

  static float Sum(Floats a) {
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    return (half[0] + half[2]) + (half[1] + half[3]);
  }
  static Four SumEach(Floats a, Floats b, Floats c, Floats d) {
    const Floats ab = _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    const Floats cd = _mm256_add_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    const Floats abcd =
        _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE));
    return _mm_add_ps(_mm256_castps256_ps128(abcd), _mm256_extractf128_ps(abcd, 1));
  }
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_AVX2_H_
