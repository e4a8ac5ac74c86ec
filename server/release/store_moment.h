// Waits until a release that is computed elsewhere may be stored.
//
//   const StoreMoment moment = AwaitStoreMoment(
//       clock, schedule, begun_at_ms, store_ms, {.ask = is_ready, .await = until_ready});
//
// Sleeps from one store moment of the schedule to the next, and asks at each whether the release is
// ready. So it wakes at public times alone, and what it does between two of them depends on no
// document. Without timing protection it waits for the release itself.
//
// A machine that stood still over a store moment (suspended, or all its processes stopped) has
// missed an instant that cannot be kept any more, as one that was down has. It is told by the sleep
// that ended more than kStandstillMs too late, which is looked at before it is asked whether the
// release is ready: that a standstill was met, and when, says nothing of the documents. A
// computation that takes long wakes nobody late, as long as the sleeper has a processor and memory
// that it does not wait for (server/release/processors.h; what a release needs is touched before
// its charge). A shorter standstill only makes a store moment late, and may take levels away.
//
// Privacy: the outcomes kInterrupted and kStoodStill are PUBLIC. kReady with its level, and
// kTooLate, are what the schedule lets out of how long a computation took. Threads: any.
#ifndef TOPICWALL_SERVER_RELEASE_STORE_MOMENT_H_
#define TOPICWALL_SERVER_RELEASE_STORE_MOMENT_H_

#include <cstdint>
#include <functional>

#include "server/release/clock.h"
#include "server/release/release_schedule.h"

namespace topicwall::release {

// Far above what a busy machine lets anybody wait for a processor.
inline constexpr int64_t kStandstillMs = 5000;

struct StoreMoment {
  enum Outcome {
    kReady,        // it is the store moment of `level`
    kTooLate,      // not ready for the last one
    kStoodStill,   // its instants are to be counted anew, as after a restart
    kInterrupted,  // the server goes down
  };
  Outcome outcome;
  ReleaseSchedule::Instant level;  // of kReady
};

// Of the release that is waited for. PRIVATE.
struct Readiness {
  std::function<bool()> ask;    // whether it is ready
  std::function<bool()> await;  // until it is; false if the server goes down before
};

// `store_ms` is S.
StoreMoment AwaitStoreMoment(Clock& clock, const ReleaseSchedule& schedule, int64_t begun_at_ms,
                             int64_t store_ms, const Readiness& readiness);

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_STORE_MOMENT_H_
