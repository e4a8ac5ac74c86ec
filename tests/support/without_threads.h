// A process that gets no thread, as where its user has as many as they may.
//
//   LeaveNoThread(); …; LetThreadsBe(); …  // in a process of its own
//
// For good: root's own rights, which know no such limit, are given up.
#ifndef TOPICWALL_TESTS_SUPPORT_WITHOUT_THREADS_H_
#define TOPICWALL_TESTS_SUPPORT_WITHOUT_THREADS_H_

#include <sys/resource.h>
#include <unistd.h>

namespace topicwall::testing {

// Those that run go on.
inline void LeaveNoThread() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && setuid(kNobody) != 0) _exit(99);
  rlimit threads{};
  getrlimit(RLIMIT_NPROC, &threads);
  threads.rlim_cur = 0;
  if (setrlimit(RLIMIT_NPROC, &threads) != 0) _exit(99);
}

inline void LetThreadsBe() {
  rlimit threads{};
  getrlimit(RLIMIT_NPROC, &threads);
  threads.rlim_cur = threads.rlim_max;
  if (setrlimit(RLIMIT_NPROC, &threads) != 0) _exit(99);
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_WITHOUT_THREADS_H_
