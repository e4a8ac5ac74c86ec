// When a release becomes readable: a function of public times, not of documents.
//
// A corpus has a public release interval T. A release charged at t0 becomes readable
// at t0 + m·T, where m >= 1 counts to the first multiple that is not yet past once
// the release is durably stored. What depends on the documents is m alone: it is 1
// as long as T covers the longest computation (`topicwall-admin check-config`
// measures that), and every m > 1 is an overrun: counted publicly, named as the
// residual of the guarantee, and after three the corpus is paused.
//
// Without timing protection (a custodian's explicit choice for trusted analysts) a
// release is readable as soon as it is stored; then m = 0 and the time leaks.
//
// Privacy: `now` is read only after the release is stored; it is PRIVATE, the
// returned instant is what may be shown. Threads: immutable.
#ifndef TOPICWALL_SERVER_RELEASE_RELEASE_SCHEDULE_H_
#define TOPICWALL_SERVER_RELEASE_RELEASE_SCHEDULE_H_

#include <cstdint>
#include <optional>

namespace topicwall::release {

class ReleaseSchedule {
 public:
  struct Instant {
    int64_t readable_at_ms;
    int32_t intervals;  // m
  };

  // interval_ms > 0, as the configuration has checked.
  static ReleaseSchedule Every(int64_t interval_ms) { return ReleaseSchedule(interval_ms); }
  static ReleaseSchedule Unprotected() { return ReleaseSchedule(std::nullopt); }

  // T in milliseconds; 0 without timing protection.
  int64_t interval_ms() const { return interval_ms_.value_or(0); }

  // The instant for a release charged at `charged_at_ms` and stored by `now_ms`. A
  // clock that was set back behind the charge gives m = 1.
  Instant ReadableAt(int64_t charged_at_ms, int64_t now_ms) const;

 private:
  explicit ReleaseSchedule(std::optional<int64_t> interval_ms) : interval_ms_(interval_ms) {}

  std::optional<int64_t> interval_ms_;
};

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_RELEASE_SCHEDULE_H_
