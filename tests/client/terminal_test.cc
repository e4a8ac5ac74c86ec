#include "client/terminal.h"

#include <gtest/gtest.h>

namespace topicwall::client {
namespace {

TEST(ProgressBarTest, IsEmptyAtTheStartAndFullOnlyAtTheEnd) {
  EXPECT_EQ(ProgressBar(0, 10), "[------------------------------]  0/10");
  EXPECT_EQ(ProgressBar(5, 10), "[###############---------------]  5/10");
  EXPECT_EQ(ProgressBar(10, 10), "[##############################]  10/10");
  EXPECT_EQ(ProgressBar(999999, 1000000).find("------"), std::string::npos);
  EXPECT_NE(ProgressBar(999999, 1000000).find('-'), std::string::npos);
}

TEST(TerminalTest, WithoutATerminalTheAnswerIsNoAndEachStepIsALineOnce) {
  ::testing::internal::CaptureStderr();
  Terminal terminal;
  EXPECT_FALSE(terminal.can_ask());  // standard error is captured
  EXPECT_FALSE(terminal.Confirm("Reserve this plan?"));
  terminal.ShowProgress("1/2");
  terminal.ShowProgress("1/2");
  terminal.ShowProgress("2/2");
  terminal.ClearProgress();
  const std::string shown = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(shown, "1/2\n2/2\n");
}

TEST(TerminalTest, ResultsGoToStandardOutputAndRemarksToStandardError) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Terminal terminal;
  terminal.Print("result");
  terminal.Remark("remark");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "result\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "remark\n");
}

}  // namespace
}  // namespace topicwall::client
