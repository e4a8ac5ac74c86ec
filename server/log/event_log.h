// The custodian's log: one JSON object a line, and no field that is not on a list.
//
//   log.Write(LogEvent::kReleasePublished, {{LogField::kPlan, plan_id},
//                                           {LogField::kIteration, iteration}});
//   {"time_ms":1790000000000,"event":"release_published","plan":"03…","iteration":4}
//
// A field that is not in LogField cannot be written, so a value that depends on a
// document has no way into the log at any level: there is no free text. Status codes
// are written, messages only of what comes before any request: why a server did not start, why a
// certificate was refused, which one ends. Of gRPC's own lines it is written where in gRPC they
// come from.
//
// Privacy: every field of the list is PUBLIC or the custodian's own configuration.
// Times are the time of writing; events after a charge are written only at the
// instant their release becomes readable, but for kAlarm, which names no plan.
//
// The log never holds up or fails a request: a line that cannot be written at once is lost, be the
// disk full or a pipe whose reader does not read, and the next one that this process writes says
// how many were. A pipe is opened anew without blocking; one that may not be (it is another user's)
// is asked before each write, which may still wait if two of the server's processes race for its
// last free page. The program ignores SIGPIPE.
// Threads: may be called from many threads at once. Cost: one write() a line.
#ifndef TOPICWALL_SERVER_LOG_EVENT_LOG_H_
#define TOPICWALL_SERVER_LOG_EVENT_LOG_H_

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
#include "base/file_descriptor.h"
#include "base/json.h"
#include "server/log/line_budget.h"

namespace topicwall::server {

// A name of one of the two lists: nothing else makes one.
template <class List>
class NameOfList {
 public:
  constexpr absl::string_view text() const { return text_; }

 private:
  friend List;
  constexpr explicit NameOfList(absl::string_view text) : text_(text) {}
  absl::string_view text_;
};

struct LogEvent {
  using Name = NameOfList<LogEvent>;
  static constexpr Name kServerStarted{"server_started"};
  static constexpr Name kServerDraining{"server_draining"};
  static constexpr Name kServerStopped{"server_stopped"};
  static constexpr Name kServerNotStarted{"server_not_started"};
  static constexpr Name kRequestFinished{"request_finished"};
  static constexpr Name kPeerRefused{"peer_refused"};  // of the right authority, and lets nobody in
  static constexpr Name kReleasePublished{"release_published"};
  static constexpr Name kCredentialsReloaded{"credentials_reloaded"};
  static constexpr Name kAlarm{"alarm"};
  static constexpr Name kGrpc{"grpc"};  // a line of gRPC's own log
};

struct LogField {
  using Name = NameOfList<LogField>;
  static constexpr Name kAddress{"address"};
  static constexpr Name kAlarm{"alarm"};              // one of the fixed texts below
  static constexpr Name kCertificate{"certificate"};  // its serial number
  static constexpr Name kCode{"code"};                // a status code's name
  static constexpr Name kCorpus{"corpus"};
  static constexpr Name kIteration{"iteration"};
  static constexpr Name kLeftOut{"left_out"};  // lines not written: see WriteBounded
  static constexpr Name kLost{"lost"};         // lines that could not be written since the last one
  static constexpr Name kMethod{"method"};     // an RPC's name
  static constexpr Name kPlan{"plan"};
  static constexpr Name kPrincipal{"principal"};
  static constexpr Name kReason{"reason"};
  static constexpr Name kSeverity{"severity"};    // of gRPC's line
  static constexpr Name kSource{"source"};        // file and line of gRPC's source
  static constexpr Name kIntervals{"intervals"};  // m: intervals a release waited
};

// What a custodian must look at. Fixed texts.
inline constexpr char kAlarmUnreadableUnits[] = "units_unreadable_release_void";
inline constexpr char kAlarmOverrun[] = "release_overran_its_interval";
inline constexpr char kAlarmReleaseFailed[] = "release_failed_after_charge";
inline constexpr char kAlarmCredentials[] = "credentials_cannot_be_used";
inline constexpr char kAlarmConnections[] = "connections_nearly_full";
inline constexpr char kAlarmCertificateEnds[] = "certificate_ends_within_30_days";
inline constexpr char kAlarmCertificateBegins[] = "certificate_is_not_valid_yet";
inline constexpr char kAlarmCorpusNotReady[] = "corpus_not_ingested_or_damaged";
inline constexpr char kAlarmCustodianId[] = "custodian_id_is_not_that_of_the_ledger";
inline constexpr char kAlarmComputedOtherwise[] = "release_under_way_cannot_be_computed";
inline constexpr char kAlarmClockSetBack[] = "clock_was_set_back";
inline constexpr char kAlarmLedgerAhead[] = "ledger_is_ahead_of_the_clock";
inline constexpr char kAlarmProcessorsNotFree[] = "processors_not_kept_free_quota_or_cpuset";
inline constexpr char kAlarmDiskNearlyFull[] = "disk_nearly_full";
inline constexpr char kAlarmStorageFailed[] = "ledger_could_not_be_written";
inline constexpr char kAlarmNotTheCustodians[] = "ledger_not_the_custodians";
inline constexpr char kAlarmWrittenByNewer[] = "ledger_was_written_by_a_newer_program";
inline constexpr char kAlarmVaultDied[] = "vault_died_and_is_started_again";
inline constexpr char kAlarmCustodianSocket[] = "custodian_socket_taken_by_another_process";
inline constexpr char kAlarmJobDied[] = "job_ended_and_is_started_again";
inline constexpr char kAlarmGateDied[] = "gate_died_and_is_started_again";
inline constexpr char kAlarmStoreDied[] = "store_died_and_is_started_again";

class EventLog {
 public:
  using Value = std::variant<int64_t, std::string>;
  using Fields = std::initializer_list<std::pair<LogField::Name, Value>>;

  // What Open writes to: the file at `path`, for appending (made with mode 0600), or standard error
  // if `path` is empty. PERMISSION_DENIED if it cannot be opened, or is a pipe that nobody reads.
  static absl::StatusOr<base::FileDescriptor> OpenDescriptor(absl::string_view path);
  static absl::StatusOr<std::unique_ptr<EventLog>> Open(absl::string_view path);
  // Writes to a descriptor that is open for appending, and stays its owner's.
  static std::unique_ptr<EventLog> Of(int descriptor);

  void Write(LogEvent::Name event, Fields fields);
  // The same for what somebody can cause as often as they like: a bounded number of lines for
  // each `name` (line_budget.h). The next one that is written says how many were left out.
  void WriteBounded(absl::string_view name, LogEvent::Name event, Fields fields);
  void Alarm(absl::string_view alarm, absl::string_view corpus);

 private:
  EventLog(base::FileDescriptor owned, int descriptor);

  static void AppendField(LogField::Name field, const Value& value, base::JsonObject* line);
  void WriteLine(base::JsonObject line);
  bool WriteAtOnce(absl::string_view bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  LineBudget budget_ ABSL_GUARDED_BY(mutex_);
  int64_t lost_ ABSL_GUARDED_BY(mutex_) = 0;
  bool cut_ ABSL_GUARDED_BY(mutex_) = false;  // the last line ends in its middle
  const base::FileDescriptor owned_;
  const int descriptor_;
  const bool is_file_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_LOG_EVENT_LOG_H_
