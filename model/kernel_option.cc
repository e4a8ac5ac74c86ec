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

}  // namespace topicwall::model
