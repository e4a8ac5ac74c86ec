// One thread polls all visitors; nothing it does blocks, so that one who is silent delays nobody. A
// first line is read, a constant is sent, and the connection ends: that is as much HTTP as a
// watcher needs.
#include "server/gate/health_listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"

namespace topicwall::server {
namespace {

constexpr int kLookMs = 500;

std::string Reply(absl::string_view status, absl::string_view text) {
  return absl::StrCat("HTTP/1.1 ", status,
                      "\r\nContent-Type: text/plain\r\nContent-Length: ", text.size() + 1,
                      "\r\nConnection: close\r\n\r\n", text, "\n");
}

std::string ReplyTo(absl::string_view first_line, bool serving) {
  if (!absl::StartsWith(first_line, "GET /health HTTP/1.")) {
    return Reply("404 Not Found", "not found");
  }
  return serving ? Reply("200 OK", "ok") : Reply("503 Service Unavailable", "draining");
}

}  // namespace

absl::StatusOr<std::unique_ptr<HealthListener>> HealthListener::Start(absl::string_view address) {
  std::unique_ptr<HealthListener> started(new HealthListener);
  TW_ASSIGN_OR_RETURN(started->listener_, ConnectionListener::Listen("health_address", address));
  started->wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (started->wake_ < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on health_address ", address, ": no descriptors left"));
  }
  HealthListener* const health = started.get();
  health->thread_ = std::thread([health] { health->Serve(); });
  health->listener_->Start([health](int, int connection) { health->Take(connection); });
  return started;
}

// The listener first, so that nobody comes any more; then the thread, then those who are still
// there.
HealthListener::~HealthListener() {
  if (listener_ != nullptr) listener_->Stop();
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  if (wake_ >= 0) eventfd_write(wake_, 1);
  if (thread_.joinable()) thread_.join();
  for (const Visitor& visitor : visitors_) close(visitor.descriptor);
  if (wake_ >= 0) close(wake_);
}

// Who has been silent longest goes first: whoever comes says what they want at once.
void HealthListener::Take(int connection) {
  absl::MutexLock lock(&mutex_);
  if (visitors_.size() >= kConnections) {
    close(visitors_.front().descriptor);
    visitors_.erase(visitors_.begin());
  }
  visitors_.push_back({.descriptor = connection, .until = base::SteadyNow() + kPatience});
  eventfd_write(wake_, 1);
}

// What poll says of a single visitor is not looked at: reading from all of them is as simple, and
// there are kConnections at most.
void HealthListener::Serve() {
  for (;;) {
    std::vector<pollfd> ends = {{.fd = wake_, .events = POLLIN, .revents = 0}};
    {
      absl::MutexLock lock(&mutex_);
      if (stopped_) return;
      for (const Visitor& visitor : visitors_) {
        ends.push_back({.fd = visitor.descriptor, .events = POLLIN, .revents = 0});
      }
    }
    if (poll(ends.data(), ends.size(), ends.size() > 1 ? kLookMs : -1) < 0 && errno != EINTR)
      return;
    eventfd_t woken;
    eventfd_read(wake_, &woken);
    const absl::Duration now = base::SteadyNow();
    absl::MutexLock lock(&mutex_);
    std::erase_if(visitors_, [&](Visitor& visitor) {
      const bool stays = now < visitor.until && Hear(visitor);
      if (!stays) close(visitor.descriptor);
      return !stays;
    });
  }
}

bool HealthListener::Hear(Visitor& visitor) {
  char bytes[kMostBytes];
  const ssize_t read = recv(visitor.descriptor, bytes, sizeof(bytes) - visitor.request.size(), 0);
  if (read < 0) return errno == EAGAIN || errno == EINTR;
  if (read == 0) return false;
  visitor.request.append(bytes, static_cast<size_t>(read));
  const size_t end = visitor.request.find('\n');
  if (end == std::string::npos) return visitor.request.size() < kMostBytes;
  const std::string reply = ReplyTo(visitor.request.substr(0, end), serving_);
  // The reply is shorter than any socket's buffer. The rest of the request is read and dropped:
  // closing over unread bytes would reset the connection before the reply is there.
  (void)send(visitor.descriptor, reply.data(), reply.size(), MSG_NOSIGNAL);
  shutdown(visitor.descriptor, SHUT_WR);
  (void)recv(visitor.descriptor, bytes, sizeof(bytes), 0);
  return false;
}

}  // namespace topicwall::server
