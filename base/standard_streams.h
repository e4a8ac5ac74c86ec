// The three streams that a program begins with, and whether its results are out when it ends.
//
//   int main(int argc, char** argv) {
//     base::OccupyStandardStreams();
//     ...
//     base::Print(text);
//     return base::CodeAfterPrinting("topicwall-admin", code);
//   }
//
// A result that a full disk took half of, or nobody took, must not end with 0. Threads: one.
#ifndef TOPICWALL_BASE_STANDARD_STREAMS_H_
#define TOPICWALL_BASE_STANDARD_STREAMS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::base {

// Before anything is opened: one that is closed would be the next file, and results or remarks land
// in it. What is written to it then fails.
void OccupyStandardStreams();

// A result: to standard output, at once.
void Print(absl::string_view text);

// Whether all that was printed is out: DATA_LOSS with the system's reason if not. A reader that
// went away (`| head`) has what it wanted, and is no error.
absl::Status Printed();

// `code`, if all is out; if not, says so on standard error, and returns 1 in the place of 0.
int CodeAfterPrinting(absl::string_view program, int code);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_STANDARD_STREAMS_H_
