// Compiled for any processor; on baseline x86-64 with SSE2.
#include "model/lda/kernel/document_solver.h"
#include "model/lda/math/simd/simd_portable.h"

namespace topicwall::lda {

bool SolvePortable(KernelTask& task);
bool SolvePortable(KernelTask& task) { return DocumentSolver<SimdPortable>(task).Solve(); }

}  // namespace topicwall::lda
