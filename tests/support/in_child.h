// What would be done to the tests themselves is done to a process of its own.
//
//   EXPECT_EQ(InChild([&] { return WriteIt().ok() ? 0 : 1; }), 0);
//   EXPECT_EQ(InChild([&] { …; return 0; }), 128 + SIGKILL);
//
// Where threads of other tests may still be ending, the thread sanitizer lets the copy start none:
// EXPECT_EXIT of a "threadsafe" death test begins anew instead (tests/server/acts).
#ifndef TOPICWALL_TESTS_SUPPORT_IN_CHILD_H_
#define TOPICWALL_TESTS_SUPPORT_IN_CHILD_H_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/functional/function_ref.h"

namespace topicwall::testing {

// What `work` returns in a copy of this process, below 128; or 128 and the signal that ended it.
inline int InChild(absl::FunctionRef<int()> work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  EXPECT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_IN_CHILD_H_
