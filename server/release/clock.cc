#include "server/release/clock.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#ifdef TOPICWALL_KILL_POINTS  // the build for fault tests, which nobody deploys
#include <cstdlib>
#include <fstream>
#endif

namespace topicwall::release {
namespace {

// A wait is cut into pieces, because the machine may have been asleep meanwhile.
constexpr std::chrono::milliseconds kLongestWait{1000};

class AnchoredClock : public Clock {
 public:
  explicit AnchoredClock(const TimeSources& sources)
      : steady_ms_(sources.steady_ms), offset_ms_(sources.wall_ms() - steady_ms_()) {}

  int64_t NowMs() override { return steady_ms_() + offset_ms_.load(); }

  // Only upwards, also where two call it at once: what NowMs has said once it never takes back.
  void NeverBefore(int64_t instant_ms) override {
    const int64_t least = instant_ms - steady_ms_();
    int64_t offset = offset_ms_.load();
    while (offset < least && !offset_ms_.compare_exchange_weak(offset, least)) {
    }
  }

  // Not with Abseil's waits: they end by the wall clock, which may be set.
  bool SleepUntilMs(int64_t instant_ms) override {
    std::unique_lock<std::mutex> lock(mutex_);
    // The offset may grow during a wait (NeverBefore), so the time left is worked out again after
    // each piece.
    while (!interrupted_) {
      const std::chrono::milliseconds left(instant_ms - NowMs());
      if (left <= std::chrono::milliseconds::zero()) return true;
      interruption_.wait_until(lock,
                               std::chrono::steady_clock::now() + std::min(left, kLongestWait));
    }
    return false;
  }

  void Interrupt() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    interrupted_ = true;
    interruption_.notify_all();
  }

 private:
  const std::function<int64_t()> steady_ms_;
  std::atomic<int64_t> offset_ms_;  // of NowMs over the steady clock; never falls
  std::mutex mutex_;
  std::condition_variable interruption_;
  bool interrupted_ = false;  // guarded by mutex_
};

int64_t MillisecondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1000000;
}

// What the wall clock is off by, in a test build that is told so.
int64_t WallShiftMs() {
  int64_t shift = 0;
#ifdef TOPICWALL_KILL_POINTS
  if (const char* path = std::getenv("TOPICWALL_CLOCK_SHIFT_FILE")) std::ifstream(path) >> shift;
#endif
  return shift;
}

}  // namespace

std::unique_ptr<Clock> MakeClock(const TimeSources& sources) {
  return std::make_unique<AnchoredClock>(sources);
}

Clock& SystemClock() {
  // BOOTTIME and not MONOTONIC: it counts the time a machine was suspended, too.
  static Clock& clock =
      *MakeClock({.wall_ms = [] { return MillisecondsOf(CLOCK_REALTIME) + WallShiftMs(); },
                  .steady_ms = [] { return MillisecondsOf(CLOCK_BOOTTIME); }})
           .release();
  return clock;
}

}  // namespace topicwall::release
