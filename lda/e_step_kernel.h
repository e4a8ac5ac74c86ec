// The arithmetic behind EStep (e_step.h has the equations): one document, already gathered.
//
// Two solvers of the same fixed point. The first is the fast one and may give up; the second takes
// any document. Padding: a row of b has `padded_topics` floats, a multiple of kLanes, those beyond
// num_topics being 0; padded γ, where there are any, stay at α and touch nothing.
//
// Order of the sums (part of what kernel_name() names): Σ_j e_j b_jw is kLanes partial sums, lane
// i taking topics i, i + kLanes, …, then added as a binary tree; sums over words run in document
// order in float32 for 32 words and then go to a double.
//
// Privacy: everything here is PRIVATE on the server. Threads: pure functions of their arguments.
#ifndef TOPICWALL_LDA_E_STEP_KERNEL_H_
#define TOPICWALL_LDA_E_STEP_KERNEL_H_

#include <vector>

#include "absl/types/span.h"
#include "lda/aligned_floats.h"
#include "lda/document.h"

namespace topicwall::lda {

inline constexpr char kPortableKernelName[] = "portable-f32-1";
inline constexpr int kLanes = 16;

struct KernelOptions {
  int num_topics;
  int padded_topics;
  double document_topic_prior;
  int max_iterations;
  double mean_change_threshold;
};

// What a solver leaves and what it works in; grows to the longest document and stays.
struct KernelBuffers {
  // Filled by the caller: the row of b of each distinct term.
  std::vector<const float*> rows;

  // Results.
  AlignedFloats gamma;      // padded_topics
  AlignedFloats statistic;  // distinct terms × padded_topics: x
  int iterations = 0;

  // Scratch: e, and Σ_w c_w b_kw / Σ_j e_j b_jw of a block of words and in total.
  AlignedFloats topic_weight;
  AlignedFloats block_sum;
  std::vector<double> total_sum;
  // Scratch of the second solver.
  std::vector<double> gamma_double, weight_double, factor, log_scale, share;
};

// False if some c_w / Σ_j e_j b_jw left [0, 1e30]: the results are then meaningless.
[[nodiscard]] bool SolveInSingle(DocumentView document, const KernelOptions& options,
                                 KernelBuffers& buffers);

// In double with e scaled by its largest entry, and scaled per word where that is not enough, so
// that nothing underflows that matters. About 4 times slower, more if many words need their own
// scale.
void SolveInDouble(DocumentView document, const KernelOptions& options, KernelBuffers& buffers);

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_E_STEP_KERNEL_H_
