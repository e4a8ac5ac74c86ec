#include "client/terminal.h"

#include <unistd.h>

#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/standard_streams.h"
#include "base/table.h"

namespace topicwall::client {
namespace {

constexpr int kBarWidth = 30;

std::string ShownOn(bool terminal, absl::string_view text) {
  return terminal ? base::WithoutControls(text, "\n\t") : std::string(text);
}

}  // namespace

std::string ProgressBar(int done, int total) {
  const int filled = static_cast<int>(int64_t{kBarWidth} * done / total);
  return absl::StrCat("[", std::string(static_cast<size_t>(filled), '#'),
                      std::string(static_cast<size_t>(kBarWidth - filled), '-'), "]  ", done, "/",
                      total);
}

Terminal::Terminal()
    : can_ask_(::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1),
      shows_progress_(::isatty(STDERR_FILENO) == 1),
      shows_results_(::isatty(STDOUT_FILENO) == 1) {}

void Terminal::Print(absl::string_view text) {
  ClearProgress();
  base::Print(ShownOn(shows_results_, text) + "\n");
}

void Terminal::Remark(absl::string_view text) {
  ClearProgress();
  std::cerr << ShownOn(shows_progress_, text) << std::endl;
}

void Terminal::ShowProgress(absl::string_view line) {
  // A file or a pipe has no line that could be drawn over: a line for each change.
  if (!shows_progress_) {
    if (line != last_progress_) std::cerr << line << std::endl;
    last_progress_ = std::string(line);
    return;
  }
  std::cerr << "\r\033[K" << base::WithoutControls(line) << std::flush;
  has_progress_ = true;
}

void Terminal::ClearProgress() {
  if (!has_progress_) return;
  std::cerr << "\r\033[K" << std::flush;
  has_progress_ = false;
}

bool Terminal::Confirm(absl::string_view question) {
  if (!can_ask_) return false;
  ClearProgress();
  std::cerr << ShownOn(shows_progress_, question) << " [y/N] " << std::flush;
  std::string answer;
  // Whatever is no yes is a no, the end of the input too: what is reserved is paid for.
  if (!std::getline(std::cin, answer)) return false;
  return !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y');
}

}  // namespace topicwall::client
