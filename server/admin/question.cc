#include "server/admin/question.h"

#include <unistd.h>

#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"

namespace topicwall::admin {

Dialogue TerminalDialogue() {
  // Both of them. Answers that come through a pipe answer whatever happens to be asked, and a
  // question that goes to a file is not read. Standard output may be either: it has the result
  // alone.
  if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) return {};
  return {.answers = &std::cin, .questions = &std::cerr};
}

absl::Status Confirm(absl::string_view question, bool yes, const Dialogue& dialogue) {
  if (yes) return absl::OkStatus();
  if (dialogue.answers == nullptr || dialogue.questions == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        question, "\nThere is no terminal to answer at; if so, give --yes. Nothing was done."));
  }
  *dialogue.questions << std::string(question) << " [y/N] " << std::flush;
  std::string answer;
  if (std::getline(*dialogue.answers, answer) && !answer.empty() &&
      (answer[0] == 'y' || answer[0] == 'Y')) {
    return absl::OkStatus();
  }
  return absl::CancelledError("nothing was done");
}

}  // namespace topicwall::admin
