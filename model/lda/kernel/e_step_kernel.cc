#include "model/lda/kernel/e_step_kernel.h"

#include <atomic>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace topicwall::lda {

// Each in a file of its own, which alone is compiled for its processor.
bool SolvePortable(KernelTask& task);
#ifdef TOPICWALL_X86_KERNELS
bool SolveAvx2(KernelTask& task);
bool SolveAvx512(KernelTask& task);
#endif

namespace {

// From the fastest to the one that runs everywhere. The names are recorded with every release.
std::vector<EStepKernel> DetectKernels() {
  std::vector<EStepKernel> kernels;
#ifdef TOPICWALL_X86_KERNELS
  // The builtin also asks whether the operating system keeps the wide registers.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    kernels.push_back(
        {.name = "avx512-f32-4", .solve = SolveAvx512, .instructions = Instructions::kAvx512});
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(
        {.name = "avx2-f32-4", .solve = SolveAvx2, .instructions = Instructions::kAvx2});
  }
#endif
  kernels.push_back({.name = "portable-f32-4", .solve = SolvePortable});
  return kernels;
}

// A pointer into the list, which lives as long as the process.
std::atomic<const EStepKernel*>& Choice() {
  static std::atomic<const EStepKernel*> choice = &SupportedKernels().front();
  return choice;
}

}  // namespace

absl::Span<const EStepKernel> SupportedKernels() {
  // Never freed: ChosenKernel's pointer into it must outlive all other statics.
  static const auto* const kernels = new std::vector<EStepKernel>(DetectKernels());
  return *kernels;
}

absl::StatusOr<const EStepKernel*> FindKernel(absl::string_view name) {
  for (const EStepKernel& kernel : SupportedKernels()) {
    if (name == kernel.name) return &kernel;
  }
  const auto append_name = [](std::string* out, const EStepKernel& kernel) {
    absl::StrAppend(out, kernel.name);
  };
  return absl::InvalidArgumentError(
      absl::StrCat("kernel must be one that this processor can run (",
                   absl::StrJoin(SupportedKernels(), ", ", append_name), "); got \"", name, "\""));
}

const EStepKernel& ChosenKernel() { return *Choice().load(); }

absl::Status ChooseKernel(absl::string_view name) {
  TW_ASSIGN_OR_RETURN(const EStepKernel* kernel, FindKernel(name));
  Choice().store(kernel);
  return absl::OkStatus();
}

}  // namespace topicwall::lda
