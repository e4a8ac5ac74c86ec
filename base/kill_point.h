// Named places at which a test build can be killed, to prove that a crash there loses
// nothing and pays nothing twice.
//
//   TOPICWALL_KILL_POINT("after-charge-commit");
//
// Nothing at all unless compiled with -DTOPICWALL_KILL_POINTS, which no deployed build is.
// With it the process sends itself SIGKILL when it comes to the point whose name is the
// value of the environment variable TOPICWALL_KILL_AT; with "name:3" when it comes there
// the third time. Threads: any.
#ifndef TOPICWALL_BASE_KILL_POINT_H_
#define TOPICWALL_BASE_KILL_POINT_H_

#ifdef TOPICWALL_KILL_POINTS

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace topicwall::base {

inline void KillHereIfAsked(const char* name, std::atomic<long>& passes) {
  const char* wanted = std::getenv("TOPICWALL_KILL_AT");
  const std::size_t length = std::strlen(name);
  if (wanted == nullptr || std::strncmp(wanted, name, length) != 0) return;
  if (wanted[length] != '\0' && wanted[length] != ':') return;
  const long pass = wanted[length] == ':' ? std::strtol(wanted + length + 1, nullptr, 10) : 1;
  if (++passes == pass) raise(SIGKILL);
}

}  // namespace topicwall::base

#define TOPICWALL_KILL_POINT(name)                              \
  do {                                                          \
    static std::atomic<long> topicwall_passes{0};               \
    topicwall::base::KillHereIfAsked(name, topicwall_passes); \
  } while (false)

#else

#define TOPICWALL_KILL_POINT(name) \
  do {                             \
  } while (false)

#endif  // TOPICWALL_KILL_POINTS

#endif  // TOPICWALL_BASE_KILL_POINT_H_
