#include "model/lda/math/array_math_choice.h"

#include <vector>

namespace topicwall::lda {

// Constants that are initialised before anything runs, so that no static of another file can find
// them empty.
extern const ArrayMath kArrayMathPortable;
#ifdef TOPICWALL_X86_KERNELS
extern const ArrayMath kArrayMathAvx2;
extern const ArrayMath kArrayMathAvx512;
#endif

namespace {

std::vector<ArrayMath> Detect() {
  std::vector<ArrayMath> found;
#ifdef TOPICWALL_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    found.push_back(kArrayMathAvx512);
  }
  // Without FMA, which kernels need: nothing is fused here, for the sake of equal bits.
  if (__builtin_cpu_supports("avx2")) found.push_back(kArrayMathAvx2);
#endif
  found.push_back(kArrayMathPortable);
  return found;
}

}  // namespace

absl::Span<const ArrayMath> SupportedArrayMath() {
  static const auto* const supported = new std::vector<ArrayMath>(Detect());
  return *supported;
}

}  // namespace topicwall::lda
