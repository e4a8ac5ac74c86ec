#include "tests/support/clock/clock_set_back.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<time_t> seconds_ahead{0};

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && clock == CLOCK_REALTIME) now->tv_sec += seconds_ahead;
  return static_cast<int>(failed);
}

namespace topicwall::testing {

ClockSetBack::ClockSetBack() { seconds_ahead = 3600; }
ClockSetBack::~ClockSetBack() { seconds_ahead = 0; }

}  // namespace topicwall::testing
