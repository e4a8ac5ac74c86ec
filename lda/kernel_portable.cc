#include "lda/document_solver.h"
#include "lda/simd_portable.h"

namespace topicwall::lda {

bool SolvePortable(KernelTask& task);
bool SolvePortable(KernelTask& task) { return DocumentSolver<SimdPortable>(task).Solve(); }

}  // namespace topicwall::lda
