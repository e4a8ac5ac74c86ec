// Four floats at a time with nothing but the compiler's vector types: runs on any processor, on
// baseline x86-64 as SSE2.
//
// A struct like this one is what the solver (document_solver.h) is a template of; simd_avx2.h and
// simd_avx512.h have the same members. Everything that is compiled for a newer processor is
// a template of such a struct, so that no function compiled for it can be linked in where
// an older processor runs.
#ifndef TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_PORTABLE_H_
#define TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_PORTABLE_H_

#include <cstddef>
#include <cstdint>

namespace topicwall::lda {

struct SimdPortable {
  static constexpr size_t kLanes = 4;
  using Floats = float __attribute__((vector_size(16), may_alias));
  using Ints = int32_t __attribute__((vector_size(16), may_alias));
  using Four = Floats;  // always four floats, one per word or topic

  static Floats Broadcast(float x) { return Floats{x, x, x, x}; }
  // `from` and `to` are aligned to the vector.
  static Floats Load(const float* from) { return *reinterpret_cast<const Floats*>(from); }
  static void Store(float* to, Floats v) { *reinterpret_cast<Floats*>(to) = v; }
  static Four LoadFour(const float* from) { return Load(from); }
  static void StoreFour(float* to, Four v) { Store(to, v); }

  // a·b + c, rounded once where the processor can and twice where it cannot.
  static Floats MulAdd(Floats a, Floats b, Floats c) { return a * b + c; }
  // NaN in b is kept.
  static Floats Max(Floats a, Floats b) { return a > b ? a : b; }
  static Floats Abs(Floats a) { return reinterpret_cast<Floats>(Bits(a) & 0x7fffffff); }
  static Ints Bits(Floats a) { return reinterpret_cast<Ints>(a); }
  static Floats FromBits(Ints a) { return reinterpret_cast<Floats>(a); }
  // a where x < limit, else 0.
  static Floats KeepWhereLess(Floats a, Floats x, Floats limit) {
    return FromBits(Bits(a) & (x < limit));
  }
  // Bit i is set where a > b in lane i.
  static uint32_t MaskGreater(Floats a, Floats b) {
    const Ints greater = a > b;
#ifdef __SSE__
    return static_cast<uint32_t>(__builtin_ia32_movmskps(reinterpret_cast<Floats>(greater)));
#else
    return static_cast<uint32_t>((greater[0] & 1) | (greater[1] & 2) | (greater[2] & 4) |
                                 (greater[3] & 8));
#endif
  }
  // Writes the lanes of a that are greater than b's one behind the other, and `first` + their
  // numbers; how many there are. Both have room for a whole vector.
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

  static float Sum(Floats a) { return (a[0] + a[2]) + (a[1] + a[3]); }
  // The sums of four vectors.
  static Four SumEach(Floats a, Floats b, Floats c, Floats d) {
    const Floats ab =
        __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Floats cd =
        __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
           __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  }
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_SIMD_SIMD_PORTABLE_H_
