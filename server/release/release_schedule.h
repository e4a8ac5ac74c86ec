// When a release becomes readable: a function of public times, not of documents.
//
//   charge t0 ── compute, hold in memory ── store moment ──S── instant t0 + m·T
//
// A corpus has a public release interval T. A release becomes readable at one of the instants
// t0 + m·T, m in {1, 2, 4, 8, 16}, and is stored S before it: S is a public time too, long enough
// for a release of its size, so that neither the ledger nor the disk is touched at a time that
// depends on the documents. A computation is in time for a level if it is ready before that level's
// store moment. What depends on the documents is m alone: it is 1 as long as T covers the longest
// computation (`topicwall-admin check-config` measures that), every m > 1 is an overrun: counted
// publicly, named as the residual of the guarantee, and after three the corpus is paused.
// Whatever fails after a charge, or is not ready for the last level, is told at t0 + 16·T and at no
// other time.
//
// t0 is the charge, or the act that began a pending release again (PrivacyLedger::Charge).
//
// Without timing protection (a custodian's explicit choice for trusted analysts) a release is
// stored and readable as soon as it is ready; then m = 0 and the time leaks.
//
// Privacy: when a release was ready is PRIVATE; the returned instants are what may be shown.
// Threads: immutable.
#ifndef TOPICWALL_SERVER_RELEASE_RELEASE_SCHEDULE_H_
#define TOPICWALL_SERVER_RELEASE_RELEASE_SCHEDULE_H_

#include <array>
#include <cstdint>
#include <optional>

namespace topicwall::release {

// S for a release without bytes, and by default for each mebibyte of its statistics, in
// milliseconds.
inline constexpr int64_t kStoreMs = 30;
inline constexpr int64_t kStoreMsPerMebibyte = 30;

class ReleaseSchedule {
 public:
  static constexpr std::array<int32_t, 5> kLevels = {1, 2, 4, 8, 16};

  struct Instant {
    int64_t store_at_ms;
    int64_t readable_at_ms;
    int32_t intervals;  // m
  };

  // interval_ms > 0 and store_ms_per_mebibyte >= 0, as the configuration has checked.
  static ReleaseSchedule Every(int64_t interval_ms,
                               int64_t store_ms_per_mebibyte = kStoreMsPerMebibyte) {
    return ReleaseSchedule(interval_ms, store_ms_per_mebibyte);
  }
  static ReleaseSchedule Unprotected() { return ReleaseSchedule(0, 0); }

  bool is_protected() const { return interval_ms_ > 0; }
  // T in milliseconds; 0 without timing protection.
  int64_t interval_ms() const { return interval_ms_; }

  // S for so many bytes of statistics: at most T/2.
  int64_t StoreMs(int64_t bytes) const;

  // Of the first level that is in time for a release ready at `ready_ms`, whose S is `store_ms`
  // (0 for one that is stored already); none if it is too late for all. A clock that was set back
  // behind t0 gives m = 1.
  std::optional<Instant> InTime(int64_t begun_at_ms, int64_t ready_ms, int64_t store_ms) const;

  // The last level: of whatever fails. Without protection `now_ms`.
  Instant Last(int64_t begun_at_ms, int64_t now_ms, int64_t store_ms) const;

  // When an act that is asked for at `now_ms` is answered: the next multiple of 10 ms. Without
  // protection `now_ms`.
  int64_t AnsweredAt(int64_t now_ms) const;

 private:
  ReleaseSchedule(int64_t interval_ms, int64_t store_ms_per_mebibyte)
      : interval_ms_(interval_ms), store_ms_per_mebibyte_(store_ms_per_mebibyte) {}

  Instant Level(int64_t begun_at_ms, int32_t intervals, int64_t store_ms) const;

  int64_t interval_ms_;  // 0 without protection
  int64_t store_ms_per_mebibyte_;
};

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_RELEASE_SCHEDULE_H_
