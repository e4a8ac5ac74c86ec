// Compiled for AVX2 and FMA (CMakeLists.txt): see e_step_kernel.h for what must not be in here.
#ifdef __AVX2__
#include "model/lda/kernel/document_solver.h"
#include "model/lda/math/simd/simd_avx2.h"

namespace topicwall::lda {

bool SolveAvx2(KernelTask& task);
bool SolveAvx2(KernelTask& task) { return DocumentSolver<SimdAvx2>(task).Solve(); }

}  // namespace topicwall::lda
#endif
