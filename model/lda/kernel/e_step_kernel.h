// Which arithmetic the E-step runs on: one source, compiled for several kinds of processor.
//
//   const EStepKernel& kernel = ChosenKernel();   // the fastest that this processor can run
//   absl::Status status = ChooseKernel("avx2-f32-4");   // or that of a flag, before any E-step
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
// Measured: documents a second, one thread of an AMD EPYC (97 Gflop/s of FMA), topics trained on
// the corpus, α = 1/K, threshold 1e-3. The machine was busy: the fastest of 20 times for each 16
// documents, added up. "before" is the -2 kernels, which dropped topics only when they were empty:
//                                        portable before, now        avx2 before, now
//   package descriptions (27 distinct words)
//     K = 50                                    220k   274k              403k   457k
//     K = 100                                   172k   238k              297k   359k
//     K = 200                                   124k   182k              217k   287k
//     K = 500                                    55k    93k               89k   160k
//     K = 1000                                   33k    62k               56k    95k
//   126 distinct words, K = 100                  31k    35k               60k    71k
// The time goes like K^0.52 from K = 50 to 1000. Where it goes (avx2): at K = 50 dense passes 20 %,
// active ones 16 %, moving columns, entries and results 25 %; at K = 1000 fetching the rows from
// memory 36 %, copying entries 22 %; with 126 words dense passes 24 %, active ones 20 %, rows 15 %.
// Tried without gain: two or four documents in turn; fetching the rows of the next words ahead
// (+2 % up to K = 200, −7 % at K = 1000); huge pages for the table of b; two chains of sums in
// dense passes; compacting at other counts (2/5 of K is best within 0.25 … 0.6); a prepared ratio
// sum of 10^3 or 10^5.
//
// Threads: ChooseKernel before others start; everything else from many.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_E_STEP_KERNEL_H_
#define TOPICWALL_MODEL_LDA_KERNEL_E_STEP_KERNEL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/lda/kernel/kernel_task.h"

namespace topicwall::lda {

enum class Instructions { kPortable, kAvx2, kAvx512 };

struct EStepKernel {
  const char* name;
  // Fills the task's results. False if float32's range does not do: they are then meaningless.
  bool (*solve)(KernelTask& task);
  // What it may be compiled for: what other models choose theirs by.
  Instructions instructions = Instructions::kPortable;
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

#endif  // TOPICWALL_MODEL_LDA_KERNEL_E_STEP_KERNEL_H_
