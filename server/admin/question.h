// A question before an act that cannot be taken back.
//
//   TW_RETURN_IF_ERROR(Confirm("Replace the corpus?", flags.yes, flags.dialogue));
//
// Only an answer that begins with y or Y is a yes; the end of input is a no. A script that cannot
// be asked must have said yes beforehand (--yes), else nothing is done.
//
// Privacy: questions and answers are the custodian's terminal's alone.
// Threads: free functions without state.
#ifndef TOPICWALL_SERVER_ADMIN_QUESTION_H_
#define TOPICWALL_SERVER_ADMIN_QUESTION_H_

#include <iosfwd>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::admin {

// Whom to ask. Without streams there is nobody.
struct Dialogue {
  std::istream* answers = nullptr;
  std::ostream* questions = nullptr;
};

// Standard input and standard error if both are terminals, else nobody.
Dialogue TerminalDialogue();

// OK if `yes` was said beforehand, without asking, or is the answer. FAILED_PRECONDITION if
// nobody can be asked; CANCELLED if the answer is no. `question` is whole lines that say what
// follows and end in the question, without a line end.
absl::Status Confirm(absl::string_view question, bool yes, const Dialogue& dialogue);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_QUESTION_H_
