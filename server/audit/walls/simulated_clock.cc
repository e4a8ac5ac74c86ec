#include "server/audit/walls/simulated_clock.h"

#include <algorithm>

#include "absl/time/time.h"

namespace topicwall::audit {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);

}  // namespace

int64_t SimulatedClock::NowMs() {
  const absl::MutexLock lock(&mutex_);
  const int64_t read = now_ms_;
  now_ms_ += cost_of_reading_ms_;
  return read;
}

bool SimulatedClock::SleepUntilMs(int64_t instant_ms) {
  const absl::MutexLock lock(&mutex_);
  ++sleeps_;
  const auto may_wake = [this, instant_ms]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return interrupted_ || !holding_ || now_ms_ >= instant_ms;
  };
  mutex_.Await(absl::Condition(&may_wake));
  if (interrupted_) return false;
  now_ms_ = std::max(now_ms_, instant_ms);
  return true;
}

void SimulatedClock::Interrupt() {
  const absl::MutexLock lock(&mutex_);
  interrupted_ = true;
}

void SimulatedClock::HoldSleepers() {
  const absl::MutexLock lock(&mutex_);
  holding_ = true;
  sleeps_ = 0;
}

void SimulatedClock::LetSleepersJump() {
  const absl::MutexLock lock(&mutex_);
  holding_ = false;
}

bool SimulatedClock::WaitForSleeper(int nth) {
  const absl::MutexLock lock(&mutex_);
  const auto somebody = [this, nth]()
                            ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return sleeps_ >= nth; };
  return mutex_.AwaitWithTimeout(absl::Condition(&somebody), kPatience);
}

void SimulatedClock::AdvanceTo(int64_t now_ms) {
  const absl::MutexLock lock(&mutex_);
  now_ms_ = std::max(now_ms_, now_ms);
}

void SimulatedClock::SetCostOfReading(int64_t ms) {
  const absl::MutexLock lock(&mutex_);
  cost_of_reading_ms_ = ms;
}

}  // namespace topicwall::audit
