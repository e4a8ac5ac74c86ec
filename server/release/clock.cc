#include "server/release/clock.h"

#include <chrono>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace topicwall::release {
namespace {

// A wait is cut into pieces, so that a clock set forward is noticed.
constexpr absl::Duration kLongestWait = absl::Seconds(1);

class RealClock : public Clock {
 public:
  int64_t NowMs() override { return absl::ToUnixMillis(absl::Now()); }

  bool SleepUntilMs(int64_t instant_ms) override {
    absl::MutexLock lock(&mutex_);
    while (!interrupted_) {
      const absl::Duration left = absl::FromUnixMillis(instant_ms) - absl::Now();
      if (left <= absl::ZeroDuration()) return true;
      interruption_.WaitWithTimeout(&mutex_, std::min(left, kLongestWait));
    }
    return false;
  }

  void Interrupt() override {
    absl::MutexLock lock(&mutex_);
    interrupted_ = true;
    interruption_.SignalAll();
  }

 private:
  absl::Mutex mutex_;
  absl::CondVar interruption_;
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

Clock& SystemClock() {
  static Clock& clock = *new RealClock;
  return clock;
}

}  // namespace topicwall::release
