// The one seam through which time enters the server.
//
// Times are milliseconds since the Unix epoch. The system clock may be set back or
// forward; the schedule is then late or early by as much, never by an amount that
// depends on a document.
//
// Threads: implementations may be called from many threads at once.
#ifndef TOPICWALL_SERVER_RELEASE_CLOCK_H_
#define TOPICWALL_SERVER_RELEASE_CLOCK_H_

#include <cstdint>

namespace topicwall::release {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowMs() = 0;
  // Returns at or after `instant_ms`, or early with false once Interrupt was called.
  virtual bool SleepUntilMs(int64_t instant_ms) = 0;
  // Wakes all sleepers, now and later: the server is going down.
  virtual void Interrupt() = 0;
};

// The machine's clock. Never destroyed.
Clock& SystemClock();

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_CLOCK_H_
