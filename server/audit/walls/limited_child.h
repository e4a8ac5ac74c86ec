// Work in a child process whose address space may grow by so much and no more.
//
//   TW_ASSIGN_OR_RETURN(const ChildEnding ending, RunLimited(prepare, work, 64 << 20));
//
// The child calls `prepare`, limits its address space (RLIMIT_AS) to what it has by then and
// `most_growth` more, calls `work` and ends with the text that this returns. Its threads share one
// arena, and what is large goes back when it is freed, so that it takes what it asks for. An
// exception that leaves `work` is a death: in a server it would end the answer at once, if not the
// process.
//
// Call it where there are no other threads. UNAVAILABLE if there can be no child, or if its address
// space may not be limited to so much (this process is limited itself).
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_LIMITED_CHILD_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_LIMITED_CHILD_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace topicwall::audit {

inline constexpr int64_t kNoLimit = -1;

struct ChildEnding {
  bool died;            // or could not be prepared
  std::string text;     // of `work`, or why it died
  int64_t most_growth;  // bytes of address space, at the most of the work; 0 if it died, or if
                        // there is no /proc
};

absl::StatusOr<ChildEnding> RunLimited(absl::FunctionRef<absl::Status()> prepare,
                                       absl::FunctionRef<std::string()> work, int64_t most_growth);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_LIMITED_CHILD_H_
