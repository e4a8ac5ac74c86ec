#include "model/kernel_option.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "model/models.h"

namespace topicwall::model {
namespace {

std::optional<int> Parse(const char* kernel) {
  base::CommandLine line({.program = "program", .version = "1", .description = ""});
  AddKernelOption(line.root(), "The arithmetic");
  const char* const words[] = {"program", "--kernel", kernel};
  return line.Parse(3, words);
}

TEST(KernelOptionTest, ANameOfThisProcessorChoosesItsKernel) {
  const std::string slowest(KernelNames().back());
  EXPECT_EQ(Parse(slowest.c_str()), std::nullopt);
  EXPECT_EQ(ChosenKernelName(), slowest);
}

TEST(KernelOptionTest, AnotherNameIsAnErrorOfUsage) {
  EXPECT_EQ(Parse("none-f32-1"), base::CommandLine::kUsage);
}

}  // namespace
}  // namespace topicwall::model
