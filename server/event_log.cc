#include "server/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "absl/strings/str_cat.h"

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

void EventLog::Write(LogEvent event, std::initializer_list<std::pair<LogField, Value>> fields) {
  std::string line = absl::StrCat("{\"time_ms\":", NowMs(), ",\"event\":\"", NameOf(event), "\"");
  for (const auto& [field, value] : fields) {
    absl::StrAppend(&line, ",\"", NameOf(field), "\":");
    if (const auto* number = std::get_if<int64_t>(&value)) {
      absl::StrAppend(&line, *number);
    } else {
      absl::StrAppend(&line, JsonString(std::get<std::string>(value)));
    }
  }
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

void EventLog::Alarm(absl::string_view alarm, absl::string_view corpus) {
  Write(LogEvent::kAlarm,
        {{LogField::kAlarm, std::string(alarm)}, {LogField::kCorpus, std::string(corpus)}});
}

}  // namespace topicwall::server
