// Which arithmetic the E-step runs on: one source, compiled for several kinds of processor.
//
//   const EStepKernel& kernel = ChosenKernel();   // the fastest that this processor can run
//   absl::Status status = ChooseKernel("avx2-f32-3");   // or that of a flag, before any E-step
//
// All kernels solve the same fixed point within the accuracy of e_step.h, but they add in another
// order and round products differently: a statistic's bits are promised for one kernel name.
// Whoever changes the arithmetic changes the names.
//
// Rule for the files that are compiled for a newer processor (kernel_avx2.cc, kernel_avx512.cc, and
// all they include): templates of their Simd struct, intrinsics and plain data only. An inline
// function of anybody else's, std::max say, would be compiled there with instructions that an older
// processor lacks, and the linker may choose that copy for the whole program.
//
// Measured: documents a second, one thread of an AMD EPYC at 3 GHz with other work beside it, all
// in one interleaved run, topics trained on the corpus, α = 1/K, threshold 1e-3; "before" is one
// portable kernel over all topics without jumps:
//                                          before   portable       avx2
//   package descriptions (27 distinct words)
//     K = 50 / 100 / 200            40 / 42 / 31k   202 / 163 / 94k   377 / 267 / 181k
//     K = 500 / 1000                  13.0 / 7.8k        42 / 26k          69 / 47k
//   168 distinct words, K = 100              2.1k           22k               44k
// Tried without gain: two or four documents in turn, fetching the rows of the next words ahead,
// huge pages for the table of b, two chains of sums in dense passes.
//
// Threads: ChooseKernel before others start; everything else from many.
#ifndef TOPICWALL_LDA_E_STEP_KERNEL_H_
#define TOPICWALL_LDA_E_STEP_KERNEL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lda/kernel_task.h"

namespace topicwall::lda {

struct EStepKernel {
  const char* name;
  // Fills the task's results. False if float32's range does not do: they are then meaningless.
  bool (*solve)(KernelTask& task);
};

// Those that this processor can run, the fastest first; the portable one is always the last.
absl::Span<const EStepKernel> SupportedKernels();

// INVALID_ARGUMENT, listing the names there are, if no supported kernel is called `name`.
absl::StatusOr<const EStepKernel*> FindKernel(absl::string_view name);

// What E-steps use that are not told otherwise: the fastest, until ChooseKernel.
const EStepKernel& ChosenKernel();
// Errors as FindKernel; the choice is then what it was.
absl::Status ChooseKernel(absl::string_view name);

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_E_STEP_KERNEL_H_
