#include "model/lda/kernel/document_solver.h"
#include "model/lda/math/simd_portable.h"

namespace topicwall::lda {

bool SolvePortable(KernelTask& task);
bool SolvePortable(KernelTask& task) { return DocumentSolver<SimdPortable>(task).Solve(); }

}  // namespace topicwall::lda
