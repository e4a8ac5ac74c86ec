// The vectors of clip_kernel.h: AVX2 and AVX-512, behind plain functions.
//
// Each function is compiled for its processor by itself (a target attribute): call it only where
// __builtin_cpu_supports says so. Real is float or double. Privacy: PRIVATE. Threads: any.
#ifndef TOPICWALL_SERVER_MECHANISM_CLIP_KERNEL_X86_H_
#define TOPICWALL_SERVER_MECHANISM_CLIP_KERNEL_X86_H_

#include <cstddef>
#include <cstdint>

namespace topicwall::mechanism {

// Partial sums of squares: two vectors of AVX2, whose additions need not wait for each other. All
// kernels add in the same order, since the norm's last bit decides bits of q.
inline constexpr std::size_t kSquareLanes = 8;
// q = h·2^kLowBits + l.
inline constexpr int kLowBits = 19;
inline constexpr uint64_t kLowMask = (uint64_t{1} << kLowBits) - 1;

double SumOfLanes(const double (&lanes)[kSquareLanes]);

// Σ h², Σ h·l, Σ l² of one stretch, and all bits of its |q|. Of a narrow q the square itself fits
// into 64 bits: of those, the sums of the upper and of the lower halves.
struct Squares {
  uint64_t high = 0;
  uint64_t mixed = 0;
  uint64_t low = 0;
  uint64_t bits = 0;
  uint64_t narrow_high = 0;
  uint64_t narrow_low = 0;
};

#if defined(__x86_64__)
#define TOPICWALL_CLIP_X86
#define TOPICWALL_CLIP_AVX2 __attribute__((target("avx2")))
#define TOPICWALL_CLIP_AVX512 __attribute__((target("avx512f,avx512dq")))

template <typename Real>
TOPICWALL_CLIP_AVX2 double SumOfSquaresAvx2(const Real* x, std::size_t size);

// x_i·scale of `count` entries rounded toward zero, and the squares; false unless all are within
// (-limit, limit).
template <typename Real>
using TruncateWhole = bool (*)(const Real* x, std::size_t count, double scale, double limit,
                               uint64_t* q, Squares* squares);

// Up to limit = 2^37; `count` is a multiple of 4.
template <typename Real>
TOPICWALL_CLIP_AVX2 bool TruncateFoursAvx2(const Real* x, std::size_t count, double scale,
                                           double limit, uint64_t* q, Squares* squares);
// Up to limit = 2^31; `count` is a multiple of 8, and they are all narrow.
template <typename Real>
TOPICWALL_CLIP_AVX2 bool TruncateEightsAvx2(const Real* x, std::size_t count, double scale,
                                            double limit, uint64_t* q, Squares* squares);
template <typename Real>
TOPICWALL_CLIP_AVX512 bool TruncateEightsAvx512(const Real* x, std::size_t count, double scale,
                                                double limit, uint64_t* q, Squares* squares);
#endif

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_CLIP_KERNEL_X86_H_
