// What the program's exit status says, so that a script can tell what to do next.
//
//   0 done · 1 error · 2 the command line is wrong · 3 refused: the privacy budget ·
//   4 unavailable: nothing was lost, try again
//
// Scripts depend on these numbers: they never change.
#ifndef TOPICWALL_CLIENT_EXIT_CODE_H_
#define TOPICWALL_CLIENT_EXIT_CODE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace topicwall::client {

enum class ExitCode : int {
  kDone = 0,
  kError = 1,
  kUsage = 2,
  kBudgetRefused = 3,
  kUnavailable = 4,
};

// An error in the command line that shows only after parsing. INVALID_ARGUMENT, and kUsage.
absl::Status UsageError(absl::string_view message);

// kUnavailable for UNAVAILABLE, ABORTED and DEADLINE_EXCEEDED; kBudgetRefused for a status
// with a PrivacyBudgetExhausted; kUsage for a UsageError; kError for the rest.
ExitCode ExitCodeOf(const absl::Status& status);

// `error`, of which Explain says `note` too, on a line of its own. OK stays OK.
absl::Status WithNote(absl::Status error, absl::string_view note);

// A budget's refusal, which then says how much the plan would have taken of what is left.
absl::Status WithTaken(absl::Status refusal, double taken);

// A budget's refusal, of which Explain then says this instead of what still fits: why, and what to
// do. Who counts on this side knows it; the wall says what fits.
absl::Status WithReason(absl::Status refusal, absl::string_view reason);

// An error, which then also says what it is of in values that a program can read: an object with a
// "kind", one of
//   plan_mismatch  flag, was, now: a folder holds something else than what is asked for
//   input          path, line: which of the analyst's own files, and where (from 1)
//   corpus_state   corpus, state ("paused", "frozen"): nothing can be charged at present
//   not_admitted   reason ("ca", "key", "certificate", "list"): why a wall lets nobody in
absl::Status WithDetail(absl::Status error, const base::JsonObject& detail);

// What to print for an error behind "topicwall COMMAND: ": the message, for a refusal all its
// numbers and what still fits.
std::string Explain(const absl::Status& status);
// The same as {"error":{"code":…,"message":…}}: a code is the name of an ExitCode, in snake case.
// Of a refusal also "taken" (where it is known), "left", "total", "delta", "epsilon_alone" and
// "fits", how many releases of the kind would. With WithDetail also "detail", that object.
std::string ErrorJson(const absl::Status& status);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EXIT_CODE_H_
