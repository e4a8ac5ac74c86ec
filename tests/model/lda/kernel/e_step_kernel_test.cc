#include "model/lda/kernel/e_step_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Puts the process's choice back.
class ChosenKernelTest : public ::testing::Test {
 protected:
  ~ChosenKernelTest() override { EXPECT_OK(ChooseKernel(before_)); }

 private:
  const std::string before_ = ChosenKernel().name;
};

TEST_F(ChosenKernelTest, IsTheFastestUnlessTold) {
  EXPECT_STREQ(ChosenKernel().name, SupportedKernels().front().name);
}

TEST_F(ChosenKernelTest, AnySupportedKernelCanBeForced) {
  for (const EStepKernel& kernel : SupportedKernels()) {
    ASSERT_OK(ChooseKernel(kernel.name));
    EXPECT_STREQ(ChosenKernel().name, kernel.name);
  }
}

TEST_F(ChosenKernelTest, AnUnknownNameChangesNothingAndSaysWhatThereIs) {
  const std::string before = ChosenKernel().name;
  EXPECT_THAT(ChooseKernel("abacus-1"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("abacus-1"), HasSubstr("portable-f32-4"))));
  EXPECT_EQ(ChosenKernel().name, before);
}

TEST(EStepKernelTest, EveryProcessorHasThePortableKernelLast) {
  ASSERT_FALSE(SupportedKernels().empty());
  EXPECT_STREQ(SupportedKernels().back().name, "portable-f32-4");
}

TEST(EStepKernelTest, IsFoundByItsName) {
  for (const EStepKernel& kernel : SupportedKernels()) {
    ASSERT_OK_AND_ASSIGN(const auto found, FindKernel(kernel.name));
    EXPECT_EQ(found->solve, kernel.solve);
  }
}

}  // namespace
}  // namespace topicwall::lda
