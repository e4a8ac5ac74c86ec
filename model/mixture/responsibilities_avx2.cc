// Compiled for AVX2 and FMA (CMakeLists.txt): see model/lda/kernel/e_step_kernel.h for what must
// not be in here.
#ifdef __AVX2__
#include "model/lda/math/simd/simd_avx2.h"
#include "model/mixture/responsibility_loop.h"

namespace topicwall::mixture {

void FillAvx2(ResponsibilityTask& task);
void FillAvx2(ResponsibilityTask& task) { ResponsibilityLoop<lda::SimdAvx2>::Fill(task); }

}  // namespace topicwall::mixture
#endif
