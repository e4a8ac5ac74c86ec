// Compiled for AVX-512 F and DQ (CMakeLists.txt): see e_step_kernel.h for what must not be in here.
#ifdef __AVX512DQ__
#include "model/lda/kernel/document_solver.h"
#include "model/lda/math/simd/simd_avx512.h"

namespace topicwall::lda {

bool SolveAvx512(KernelTask& task);
bool SolveAvx512(KernelTask& task) { return DocumentSolver<SimdAvx512>(task).Solve(); }

}  // namespace topicwall::lda
#endif
