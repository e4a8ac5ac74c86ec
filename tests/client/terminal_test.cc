#include "client/terminal.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

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

// Standard output and error are a terminal for as long as this lives.
class OnATerminal {
 public:
  OnATerminal() {
    EXPECT_EQ(openpty(&shown_, &terminal_, nullptr, nullptr, nullptr), 0);
    std::fflush(nullptr);  // what was printed before is nothing that the terminal shows
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
      saved_.push_back(dup(fd));
      dup2(terminal_, fd);
    }
  }
  ~OnATerminal() {
    Restore();
    close(shown_);
    close(terminal_);
  }
  // What was shown, up to and with `last`.
  std::string Shown(const std::string& last) {
    Restore();
    std::string text;
    for (char byte; !absl::EndsWith(text, last) && read(shown_, &byte, 1) == 1;) text += byte;
    return text;
  }

 private:
  void Restore() {
    for (size_t i = 0; i < saved_.size(); ++i) {
      dup2(saved_[i], static_cast<int>(i) + STDOUT_FILENO);
      close(saved_[i]);
    }
    saved_.clear();
  }

  int shown_ = -1, terminal_ = -1;
  std::vector<int> saved_;
};

// A word of a wall's vocabulary, its reason for a refusal: what would clear the screen, write to
// the clipboard or answer for whoever sits before it.
TEST(TerminalTest, ATerminalObeysNobodyElse) {
  OnATerminal on_it;
  Terminal terminal;
  terminal.Print(absl::StrCat("a\tword\x1b[2J\n\xc2\x9b", "2J \x9b", "2J \u30db"));
  terminal.Remark("refused: \x1b]52;c;AAAA\x07 \r");
  terminal.ShowProgress("alice\x08\x7f");
  EXPECT_EQ(
      on_it.Shown("\uFFFD\uFFFD"),
      "a\tword\uFFFD[2J\r\n\uFFFD2J \uFFFD2J \u30db\r\nrefused: \uFFFD]52;c;AAAA\uFFFD \uFFFD\r\n"
      "\r\x1b[Kalice\uFFFD\uFFFD");
}

TEST(TerminalTest, AFileGetsEveryByte) {
  ::testing::internal::CaptureStdout();
  Terminal().Print("a\x1b[2J");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "a\x1b[2J\n");
}

}  // namespace
}  // namespace topicwall::client
