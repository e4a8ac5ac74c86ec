// The time that an audit's wall lives in: it passes only when the audit, or a sleeper, says so.
//
//   SimulatedClock clock;                  // sleeping costs nothing: time jumps to the instant
//   clock.HoldSleepers();                  // from now on they wait
//   … start a release on another thread …
//   clock.WaitForSleeper();                // it is stored, and waits for its instant
//   clock.AdvanceTo(instant - 1);          // nothing may be readable yet
//   clock.LetSleepersJump();
//
// Instants are then a function of what was asked alone, and a test of the schedule needs no
// measurement and no patience. Every reading may be made to cost time, as work would.
//
// Threads: any.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_SIMULATED_CLOCK_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_SIMULATED_CLOCK_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/release/clock.h"

namespace topicwall::audit {

class SimulatedClock final : public release::Clock {
 public:
  // Starts long after 1970, so that no time is small enough to have another size in a message.
  static constexpr int64_t kStartMs = 1'800'000'000'000;

  int64_t NowMs() override;
  void NeverBefore(int64_t instant_ms) override { AdvanceTo(instant_ms); }
  bool SleepUntilMs(int64_t instant_ms) override;
  void Interrupt() override;

  void HoldSleepers();
  // Lets those go that wait, each at its instant, and those that come.
  void LetSleepersJump();
  // Returns when somebody has gone to sleep for the `nth` time since HoldSleepers; false if nobody
  // does within half a minute of real time. A release sleeps twice: until it is stored, and then
  // until its instant.
  bool WaitForSleeper(int nth = 1);
  // Never back.
  void AdvanceTo(int64_t now_ms);
  // From now on, of every reading.
  void SetCostOfReading(int64_t ms);

 private:
  absl::Mutex mutex_;
  int64_t now_ms_ ABSL_GUARDED_BY(mutex_) = kStartMs;
  int64_t cost_of_reading_ms_ ABSL_GUARDED_BY(mutex_) = 0;
  bool holding_ ABSL_GUARDED_BY(mutex_) = false;
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  int sleeps_ ABSL_GUARDED_BY(mutex_) = 0;  // begun since HoldSleepers
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_SIMULATED_CLOCK_H_
