#include "server/log/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

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

// Names come from certificates and configuration: anything but plain ASCII is escaped.
std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
      out += escaped;
    }
  }
  return out + "\"";
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string BeginningOf(LogEvent event) {
  return absl::StrCat("{\"time_ms\":", NowMs(), ",\"event\":\"", NameOf(event), "\"");
}

}  // namespace

absl::StatusOr<std::unique_ptr<EventLog>> EventLog::Open(absl::string_view path) {
  if (path.empty()) return std::unique_ptr<EventLog>(new EventLog(STDERR_FILENO));
  const int descriptor =
      open(std::string(path).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "event_log cannot be opened for appending: ", path, "; check the folder and its owner"));
  }
  return std::unique_ptr<EventLog>(new EventLog(descriptor));
}

EventLog::~EventLog() {
  if (descriptor_ != STDERR_FILENO) close(descriptor_);
}

void EventLog::AppendField(LogField field, const Value& value, std::string* line) {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && text->empty()) return;  // said of something that has none
  absl::StrAppend(line, ",\"", NameOf(field), "\":");
  if (const auto* number = std::get_if<int64_t>(&value)) {
    absl::StrAppend(line, *number);
  } else {
    absl::StrAppend(line, JsonString(*text));
  }
}

void EventLog::WriteLine(std::string line) {
  line += "}\n";
  absl::MutexLock lock(&mutex_);  // one line at a time, also on a pipe
  const char* next = line.data();
  size_t left = line.size();
  while (left > 0) {
    const ssize_t written = write(descriptor_, next, left);
    if (written <= 0) return;
    next += written;
    left -= static_cast<size_t>(written);
  }
}

void EventLog::Write(LogEvent event, std::initializer_list<std::pair<LogField, Value>> fields) {
  std::string line = BeginningOf(event);
  for (const auto& [field, value] : fields) AppendField(field, value, &line);
  WriteLine(std::move(line));
}

void EventLog::WriteBounded(absl::string_view name, LogEvent event,
                            std::initializer_list<std::pair<LogField, Value>> fields) {
  LineBudget::Verdict verdict;
  {
    absl::MutexLock lock(&mutex_);
    verdict = budget_.Take(name, absl::Now());
  }
  if (!verdict.write) return;
  std::string line = BeginningOf(event);
  for (const auto& [field, value] : fields) AppendField(field, value, &line);
  if (verdict.left_out > 0) AppendField(LogField::kLeftOut, verdict.left_out, &line);
  WriteLine(std::move(line));
}

void EventLog::Alarm(absl::string_view alarm, absl::string_view corpus) {
  Write(LogEvent::kAlarm,
        {{LogField::kAlarm, std::string(alarm)}, {LogField::kCorpus, std::string(corpus)}});
}

}  // namespace topicwall::server
