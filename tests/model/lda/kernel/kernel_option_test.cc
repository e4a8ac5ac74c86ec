#include "model/lda/kernel/kernel_option.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "model/lda/kernel/e_step_kernel.h"

namespace topicwall::lda {
namespace {

std::optional<int> Parse(const char* kernel) {
  base::CommandLine line({.program = "program", .version = "1", .description = ""});
  AddKernelOption(line.root(), "The arithmetic");
  const char* const words[] = {"program", "--kernel", kernel};
  return line.Parse(3, words);
}

TEST(KernelOptionTest, ANameOfThisProcessorChoosesItsKernel) {
  const std::string slowest(SupportedKernels().back().name);
  EXPECT_EQ(Parse(slowest.c_str()), std::nullopt);
  EXPECT_EQ(ChosenKernel().name, slowest);
}

TEST(KernelOptionTest, AnotherNameIsAnErrorOfUsage) {
  EXPECT_EQ(Parse("none-f32-1"), base::CommandLine::kUsage);
}

}  // namespace
}  // namespace topicwall::lda
