// A line is an event and fields, both from lists: nothing gets in by being near at hand. Whoever
// wants another field adds it to LogField, and says there why it is public.
#include "server/log/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace topicwall::server {
namespace {

absl::string_view NameOf(LogEvent event) {
  switch (event) {
    case LogEvent::kServerStarted:
      return "server_started";
    case LogEvent::kServerDraining:
      return "server_draining";
    case LogEvent::kServerStopped:
      return "server_stopped";
    case LogEvent::kServerNotStarted:
      return "server_not_started";
    case LogEvent::kPeerRefused:
      return "peer_refused";
    case LogEvent::kGrpc:
      return "grpc";
    case LogEvent::kRequestFinished:
      return "request_finished";
    case LogEvent::kReleasePublished:
      return "release_published";
    case LogEvent::kCredentialsReloaded:
      return "credentials_reloaded";
    case LogEvent::kAlarm:
      return "alarm";
  }
  return "unknown";
}

absl::string_view NameOf(LogField field) {
  switch (field) {
    case LogField::kAddress:
      return "address";
    case LogField::kAlarm:
      return "alarm";
    case LogField::kCertificate:
      return "certificate";
    case LogField::kLeftOut:
      return "left_out";
    case LogField::kReason:
      return "reason";
    case LogField::kSeverity:
      return "severity";
    case LogField::kSource:
      return "source";
    case LogField::kCode:
      return "code";
    case LogField::kCorpus:
      return "corpus";
    case LogField::kIteration:
      return "iteration";
    case LogField::kMethod:
      return "method";
    case LogField::kPlan:
      return "plan";
    case LogField::kPrincipal:
      return "principal";
    case LogField::kIntervals:
      return "intervals";
  }
  return "unknown";
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

base::JsonObject BeginningOf(LogEvent event) {
  base::JsonObject line;
  line.SetInteger("time_ms", NowMs()).SetString("event", NameOf(event));
  return line;
}

}  // namespace

absl::StatusOr<std::unique_ptr<EventLog>> EventLog::Open(absl::string_view path) {
  if (path.empty()) return Of(STDERR_FILENO);
  const int descriptor =
      open(std::string(path).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "event_log cannot be opened for appending: ", path, "; check the folder and its owner"));
  }
  return std::unique_ptr<EventLog>(new EventLog(descriptor, true));
}

std::unique_ptr<EventLog> EventLog::Of(int descriptor) {
  return std::unique_ptr<EventLog>(new EventLog(descriptor, false));
}

EventLog::~EventLog() {
  if (owned_) close(descriptor_);
}

void EventLog::AppendField(LogField field, const Value& value, base::JsonObject* line) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    line->SetInteger(NameOf(field), *number);
    return;
  }
  // Empty: said of something that has none. Names come from certificates and configuration:
  // anything but plain ASCII is escaped.
  const auto& text = std::get<std::string>(value);
  if (!text.empty()) line->SetRaw(NameOf(field), base::JsonAscii(text));
}

void EventLog::WriteLine(const base::JsonObject& object) {
  const std::string line = object.Text() + "\n";
  absl::MutexLock lock(&mutex_);  // one line at a time, also on a pipe
  const char* next = line.data();
  size_t left = line.size();
  while (left > 0) {
    // The three processes append to one file: what is written at once stays together. A log that
    // cannot be written must stop nobody, so the rest of the line is lost.
    const ssize_t written = write(descriptor_, next, left);
    if (written <= 0) return;
    next += written;
    left -= static_cast<size_t>(written);
  }
}

void EventLog::Write(LogEvent event, std::initializer_list<std::pair<LogField, Value>> fields) {
  base::JsonObject line = BeginningOf(event);
  for (const auto& [field, value] : fields) AppendField(field, value, &line);
  WriteLine(line);
}

void EventLog::WriteBounded(absl::string_view name, LogEvent event,
                            std::initializer_list<std::pair<LogField, Value>> fields) {
  LineBudget::Verdict verdict;
  {
    absl::MutexLock lock(&mutex_);
    verdict = budget_.Take(name, absl::Now());
  }
  if (!verdict.write) return;
  base::JsonObject line = BeginningOf(event);
  for (const auto& [field, value] : fields) AppendField(field, value, &line);
  if (verdict.left_out > 0) AppendField(LogField::kLeftOut, verdict.left_out, &line);
  WriteLine(line);
}

void EventLog::Alarm(absl::string_view alarm, absl::string_view corpus) {
  Write(LogEvent::kAlarm,
        {{LogField::kAlarm, std::string(alarm)}, {LogField::kCorpus, std::string(corpus)}});
}

}  // namespace topicwall::server
