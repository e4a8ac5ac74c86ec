// Compiled for any processor; on baseline x86-64 with SSE2.
#include "model/lda/math/simd/simd_portable.h"
#include "model/mixture/responsibility_loop.h"

namespace topicwall::mixture {

void FillPortable(ResponsibilityTask& task);
void FillPortable(ResponsibilityTask& task) { ResponsibilityLoop<lda::SimdPortable>::Fill(task); }

}  // namespace topicwall::mixture
