// The custodian's log: one JSON object a line, and no field that is not on a list.
//
//   log.Write(LogEvent::kReleasePublished, {{LogField::kPlan, plan_id},
//                                           {LogField::kIteration, iteration}});
//   {"time_ms":1790000000000,"event":"release_published","plan":"03…","iteration":4}
//
// A field that is not in LogField cannot be written, so a value that depends on a
// document has no way into the log at any level: there is no free text. Status codes
// are written, status messages are not.
//
// Privacy: every field of the list is PUBLIC or the custodian's own configuration.
// Times are the time of writing; events after a charge are written only at the
// instant their release becomes readable, but for kAlarm, which names no plan.
// Threads: may be called from many threads at once. Cost: one write() a line.
#ifndef TOPICWALL_SERVER_EVENT_LOG_H_
#define TOPICWALL_SERVER_EVENT_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::server {

enum class LogEvent {
  kServerStarted,
  kServerDraining,
  kServerStopped,
  kRequestFinished,
  kReleasePublished,
  kCredentialsReloaded,
  kAlarm,
};

enum class LogField {
  kAddress,
  kAlarm,  // one of the fixed texts below
  kCode,   // a status code's name
  kCorpus,
  kIteration,
  kMethod,  // an RPC's name
  kPlan,
  kPrincipal,
  kIntervals,  // m: intervals a release waited
};

// What a custodian must look at. Fixed texts.
inline constexpr char kAlarmUnreadableUnits[] = "units_unreadable_counted_as_zero";
inline constexpr char kAlarmOverrun[] = "release_overran_its_interval";
inline constexpr char kAlarmReleaseFailed[] = "release_failed_after_charge";
inline constexpr char kAlarmCredentials[] = "credentials_do_not_match";

class EventLog {
 public:
  using Value = std::variant<int64_t, std::string>;

  // Appends to the file at `path` (made with mode 0600), or to standard error if
  // `path` is empty. PERMISSION_DENIED if it cannot be opened.
  static absl::StatusOr<std::unique_ptr<EventLog>> Open(absl::string_view path);
  ~EventLog();

  // A line that cannot be written is lost: the log never holds up or fails a request.
  void Write(LogEvent event, std::initializer_list<std::pair<LogField, Value>> fields);
  void Alarm(absl::string_view alarm, absl::string_view corpus);

 private:
  explicit EventLog(int descriptor) : descriptor_(descriptor) {}

  absl::Mutex mutex_;
  const int descriptor_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_EVENT_LOG_H_
