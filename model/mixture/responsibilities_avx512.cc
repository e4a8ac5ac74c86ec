// Compiled for AVX-512 F and DQ (CMakeLists.txt): see model/lda/kernel/e_step_kernel.h for what
// must not be in here.
#ifdef __AVX512DQ__
#include "model/lda/math/simd/simd_avx512.h"
#include "model/mixture/responsibility_loop.h"

namespace topicwall::mixture {

void FillAvx512(ResponsibilityTask& task);
void FillAvx512(ResponsibilityTask& task) { ResponsibilityLoop<lda::SimdAvx512>::Fill(task); }

}  // namespace topicwall::mixture
#endif
