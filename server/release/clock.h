// The one seam through which time enters the server.
//
// Times are milliseconds since the Unix epoch. The machine's wall clock is asked once, when the
// process starts; from then on time goes on as the machine's steady clock does (which NTP may
// steer, and nobody can set). So a wall clock that is set while the server runs, by an hour or
// by a year, neither makes a release readable before its interval has passed nor keeps it
// back, and the ledger's times do not jump. A restart takes the new time over; but never one
// before the ledger's last (NeverBefore).
//
// Not seen: a clock set while the server is down. It is like a server that was down for as long.
//
// Threads: implementations may be called from many threads at once.
#ifndef TOPICWALL_SERVER_RELEASE_CLOCK_H_
#define TOPICWALL_SERVER_RELEASE_CLOCK_H_

#include <cstdint>
#include <functional>
#include <memory>

namespace topicwall::release {

class Clock {
 public:
  virtual ~Clock() = default;
  // Never less than before.
  virtual int64_t NowMs() = 0;
  // From now on NowMs is at least this. To be called once the ledger's last time is known.
  virtual void NeverBefore(int64_t instant_ms) = 0;
  // Returns at or after `instant_ms`, or early with false once Interrupt was called.
  virtual bool SleepUntilMs(int64_t instant_ms) = 0;
  // Wakes all sleepers, now and later: the server is going down.
  virtual void Interrupt() = 0;
};

// Where a clock gets its time from, in milliseconds. `wall_ms` is called once, `steady_ms`, which
// must never fall, at each call and once a second by each sleeper.
struct TimeSources {
  std::function<int64_t()> wall_ms;
  std::function<int64_t()> steady_ms;
};
std::unique_ptr<Clock> MakeClock(const TimeSources& sources);

// The machine's clock, started at the first call. Never destroyed.
Clock& SystemClock();

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_CLOCK_H_
