// Tells the custodian of a disk that is full, or soon will be, of a ledger that somebody edited,
// and of one that a newer program wrote: an alarm in the log.
//
//   StorageWatch watch(config.data_directory(), &log);
//   watch.Look();            // at start
//   watch.Saw(status);       // after every act: how it ended
//
// A wall whose disk is full refuses what it cannot keep, in words that only the analyst reads. So
// an act that the ledger's storage failed, or whose ledger was edited or is beyond this program,
// and a disk with less than kFewestBytes left, are alarms, each at most once an hour.
//
// PUBLIC: the ledger's size depends on plans and releases, never on documents. Threads: any.
// Cost: one statvfs(2) an act.
#ifndef TOPICWALL_SERVER_LOG_STORAGE_WATCH_H_
#define TOPICWALL_SERVER_LOG_STORAGE_WATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/log/event_log.h"

namespace topicwall::server {

// Bytes that a user may still write on the disk of `directory`; none if it cannot be asked.
std::optional<int64_t> FreeBytes(const std::string& directory);

class StorageWatch {
 public:
  static constexpr int64_t kFewestBytes = int64_t{1} << 30;
  static constexpr absl::Duration kBetweenAlarms = absl::Hours(1);

  // `log` must outlive this.
  StorageWatch(std::string directory, EventLog* log)
      : directory_(std::move(directory)), log_(log) {}

  void Look();
  void Saw(const absl::Status& act);

 private:
  friend struct StorageWatchTestPeer;

  void LookAt(const absl::Status& act, absl::Duration now);
  void Alarm(absl::string_view alarm, absl::Duration now, absl::Duration* last)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string directory_;
  EventLog* const log_;
  absl::Mutex mutex_;
  absl::Duration last_failure_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  absl::Duration last_edited_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  absl::Duration last_newer_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  absl::Duration last_nearly_full_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_LOG_STORAGE_WATCH_H_
