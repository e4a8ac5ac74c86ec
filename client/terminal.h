// What the program shows: results on standard output, everything else on standard error.
//
// Words, names and reasons are others': on a terminal, which would obey them, control characters
// but line ends and tabs are shown as U+FFFD; files and pipes get every byte. Progress is drawn on
// a terminal and is gone when the result comes; elsewhere each step is a line of standard error.
// Questions can only be asked on a terminal. The one place, beside main.cc, where this room prints.
// Threads: one.
#ifndef TOPICWALL_CLIENT_TERMINAL_H_
#define TOPICWALL_CLIENT_TERMINAL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::client {

// "[#####-----]  5/10": `done` of `total`, 0 <= done <= total, total >= 1.
std::string ProgressBar(int done, int total);

class Terminal {
 public:
  // Looks once at what the three standard streams are.
  Terminal();

  // A result: to standard output, with a line end.
  void Print(absl::string_view text);
  // A remark that is no result: to standard error, with a line end.
  void Remark(absl::string_view text);
  // Replaces the progress line; a line of its own if standard error is no terminal, once.
  void ShowProgress(absl::string_view line);
  // Removes the progress line.
  void ClearProgress();

  bool can_ask() const { return can_ask_; }
  // Puts the question; true only for an answer that begins with y or Y. False if can_ask()
  // is, or at the end of input.
  bool Confirm(absl::string_view question);

 private:
  const bool can_ask_;
  const bool shows_progress_;  // standard error is a terminal
  const bool shows_results_;   // standard output is one
  bool has_progress_ = false;
  std::string last_progress_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TERMINAL_H_
