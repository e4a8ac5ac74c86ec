// The fixed point of one document in double: slow, for any document.
//
// e is scaled by its largest entry, and scaled per word where that is not enough, so that nothing
// underflows that matters, at any α and K. The same for every kernel. About ten times slower than
// a kernel, more if many words need their own scale. The equations are in e_step.h.
//
// Threads: a pure function of its arguments.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_DOUBLE_PRECISION_SOLVER_H_
#define TOPICWALL_MODEL_LDA_TOPICS_DOUBLE_PRECISION_SOLVER_H_

#include <vector>

#include "model/lda/kernel/kernel_task.h"

namespace topicwall::lda {

// Grows to the largest document and stays.
struct DoubleScratch {
  std::vector<double> gamma, gamma_before, gamma_between;     // K each
  std::vector<double> weight, factor, log_scale, share, sum;  // K each
};

// Fills the results of `task` from its document and options.
void SolveInDouble(KernelTask& task, DoubleScratch& scratch);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_DOUBLE_PRECISION_SOLVER_H_
