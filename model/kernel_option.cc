#include "model/kernel_option.h"

#include "absl/strings/str_cat.h"
#include "model/models.h"

namespace topicwall::model {

void AddKernelOption(base::Command program, const std::string& what) {
  program
      .AddParsed(
          "--kernel", [](const std::string& name) { return ChooseKernel(name); },
          absl::StrCat(what, ", by name; the fastest if not given"))
      .FromEnvironment("TOPICWALL_KERNEL");
}

void AddKernelList(base::Command program) {
  program.AddAnswer(
      "--list-kernels",
      [] {
        std::string names;
        for (const std::string& name : KernelNames()) names.append(name).append("\n");
        return names;
      },
      "Print the kernels that this processor can run, the fastest first");
}

}  // namespace topicwall::model
