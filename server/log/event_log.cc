// A line is an event and fields, both from lists: nothing gets in by being near at hand. Whoever
// wants another field adds it to LogField, and says there why it is public.
#include "server/log/event_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/threads/steady_wait.h"

namespace topicwall::server {
namespace {

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

base::JsonObject BeginningOf(LogEvent::Name event) {
  base::JsonObject line;
  line.SetInteger("time_ms", NowMs()).SetString("event", event.text());
  return line;
}

bool IsFile(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// Standard error is shared with whoever started the server, who did not ask for a descriptor that
// does not block: of a pipe or a terminal Linux opens another one that is the server's own.
base::FileDescriptor OwnStandardError() {
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (!IsFile(STDERR_FILENO)) {
    base::FileDescriptor own(open("/proc/self/fd/2", kFlags));
    if (own.valid()) return own;
  }
  return base::FileDescriptor(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
}

// What is written of `bytes` without waiting; not positive if nothing is.
ssize_t WriteReady(int descriptor, absl::string_view bytes) {
  // Standard error may be a socket, the journal's for instance, and that is told not to wait.
  // Everything else is asked whether it would.
  const ssize_t sent = send(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, 0) != 1 || ready.revents != POLLOUT) return -1;
  return write(descriptor, bytes.data(), bytes.size());
}

}  // namespace

absl::StatusOr<base::FileDescriptor> EventLog::OpenDescriptor(absl::string_view path) {
  // Of a file O_NONBLOCK changes nothing.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
  base::FileDescriptor descriptor =
      path.empty() ? OwnStandardError()
                   : base::FileDescriptor(open(std::string(path).c_str(), kFlags, 0600));
  if (descriptor.valid()) return descriptor;
  return absl::PermissionDeniedError(absl::StrCat(
      "event_log cannot be opened for appending: ", path.empty() ? "standard error" : path,
      "; check the folder and its owner, and of a pipe that somebody reads it"));
}

absl::StatusOr<std::unique_ptr<EventLog>> EventLog::Open(absl::string_view path) {
  absl::StatusOr<base::FileDescriptor> descriptor = OpenDescriptor(path);
  if (!descriptor.ok()) return descriptor.status();
  const int number = descriptor->get();
  return std::unique_ptr<EventLog>(new EventLog(*std::move(descriptor), number));
}

std::unique_ptr<EventLog> EventLog::Of(int descriptor) {
  return std::unique_ptr<EventLog>(new EventLog(base::FileDescriptor(-1), descriptor));
}

EventLog::EventLog(base::FileDescriptor owned, int descriptor)
    : owned_(std::move(owned)), descriptor_(descriptor), is_file_(IsFile(descriptor)) {}

void EventLog::AppendField(LogField::Name field, const Value& value, base::JsonObject* line) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    line->SetInteger(field.text(), *number);
    return;
  }
  // Empty: said of something that has none. Names come from certificates and configuration:
  // anything but plain ASCII is escaped.
  const auto& text = std::get<std::string>(value);
  if (!text.empty()) line->SetRaw(field.text(), base::JsonAscii(text));
}

// False if it had to wait, or failed: then what is left of `bytes` is lost.
bool EventLog::WriteAtOnce(absl::string_view bytes) {
  while (!bytes.empty()) {
    // The server's processes append to one file: what is written at once stays together. What a pipe
    // that is ready takes without waiting is PIPE_BUF bytes.
    const size_t most = is_file_ ? bytes.size() : std::min<size_t>(bytes.size(), PIPE_BUF);
    const ssize_t written = WriteReady(descriptor_, bytes.substr(0, most));
    if (written <= 0) return false;
    cut_ = true;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  cut_ = false;
  return true;
}

void EventLog::WriteLine(base::JsonObject line) {
  absl::MutexLock lock(&mutex_);  // one line at a time, also on a pipe
  if (lost_ > 0) AppendField(LogField::kLost, lost_, &line);
  // What a failure has cut short gets its end first, so that it spoils no other line.
  if (WriteAtOnce(absl::StrCat(cut_ ? "\n" : "", line.Text(), "\n"))) {
    lost_ = 0;
  } else {
    ++lost_;
  }
}

void EventLog::Write(LogEvent::Name event, Fields fields) {
  base::JsonObject line = BeginningOf(event);
  for (const auto& [field, value] : fields) AppendField(field, value, &line);
  WriteLine(std::move(line));
}

void EventLog::WriteBounded(absl::string_view name, LogEvent::Name event, Fields fields) {
  LineBudget::Verdict verdict;
  {
    absl::MutexLock lock(&mutex_);
    verdict = budget_.Take(name, base::SteadyNow());
  }
  if (!verdict.write) return;
  base::JsonObject line = BeginningOf(event);
  for (const auto& [field, value] : fields) AppendField(field, value, &line);
  if (verdict.left_out > 0) AppendField(LogField::kLeftOut, verdict.left_out, &line);
  WriteLine(std::move(line));
}

void EventLog::Alarm(absl::string_view alarm, absl::string_view corpus) {
  Write(LogEvent::kAlarm,
        {{LogField::kAlarm, std::string(alarm)}, {LogField::kCorpus, std::string(corpus)}});
}

}  // namespace topicwall::server
