// Named places at which a test build can be killed, to prove that a crash there loses
// nothing and pays nothing twice.
//
//   TOPICWALL_KILL_POINT("after-charge-commit");
//
// Nothing at all unless compiled with -DTOPICWALL_KILL_POINTS, which no deployed build is.
// With it the process sends itself SIGKILL when it comes to the point whose name is the
// value of the environment variable TOPICWALL_KILL_AT, or one of several between commas; with
// "name:3" when it comes there the third time. Threads: any.
#ifndef TOPICWALL_BASE_KILL_POINT_H_
#define TOPICWALL_BASE_KILL_POINT_H_

#ifdef TOPICWALL_KILL_POINTS

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

namespace topicwall::base {

inline void KillHereIfAsked(const char* name, std::atomic<long>& passes) {
  const std::size_t length = std::strlen(name);
  const char* const asked = std::getenv("TOPICWALL_KILL_AT");
  const std::size_t mine = asked == nullptr ? 0 : std::strcspn(asked, ";");
  for (const char* wanted = asked; wanted != nullptr;) {
    const char* comma = std::strchr(wanted, ',');
    if (comma != nullptr && comma > asked + mine) comma = nullptr;
    const char after = std::strncmp(wanted, name, length) == 0 ? wanted[length] : 'x';
    if (after == '\0' || after == ':' || after == ',' || after == ';') {
      const long pass = after == ':' ? std::strtol(wanted + length + 1, nullptr, 10) : 1;
      if (++passes == pass) raise(SIGKILL);
    }
    wanted = comma == nullptr ? nullptr : comma + 1;
  }
}

inline void TakeKillsOfTheNext() {
  const char* const asked = std::getenv("TOPICWALL_KILL_AT");
  const char* const next = asked == nullptr ? nullptr : std::strchr(asked, ';');
  if (next == nullptr) {
    unsetenv("TOPICWALL_KILL_AT");
  } else {
    setenv("TOPICWALL_KILL_AT", std::string(next + 1).c_str(), 1);
  }
}

}  // namespace topicwall::base

#define TOPICWALL_KILLS_OF_THE_NEXT() topicwall::base::TakeKillsOfTheNext()

#define TOPICWALL_KILL_POINT(name)                            \
  do {                                                        \
    static std::atomic<long> topicwall_passes{0};             \
    topicwall::base::KillHereIfAsked(name, topicwall_passes); \
  } while (false)

#else

#define TOPICWALL_KILLS_OF_THE_NEXT() \
  do {                                \
  } while (false)

#define TOPICWALL_KILL_POINT(name) \
  do {                             \
  } while (false)

#endif  // TOPICWALL_KILL_POINTS

#endif  // TOPICWALL_BASE_KILL_POINT_H_
