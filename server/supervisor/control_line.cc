// Descriptors cross here and nowhere else: from the supervisor to a child, one a message. So
// neither of the two children can hand the other a file or a socket, whoever has taken it over.
#include "server/supervisor/control_line.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace topicwall::supervisor {
namespace {

// A message of one byte, with room for the one descriptor that it brings.
class DescriptorMessage {
 public:
  explicit DescriptorMessage(char byte = 0) : byte_(byte) {
    message_.msg_iov = &data_;
    message_.msg_iovlen = 1;
    message_.msg_control = room_;
    message_.msg_controllen = sizeof(room_);
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  msghdr* get() { return &message_; }
  cmsghdr* header() { return CMSG_FIRSTHDR(&message_); }
  char byte() const { return byte_; }

 private:
  char byte_;
  iovec data_ = {.iov_base = &byte_, .iov_len = 1};
  alignas(cmsghdr) char room_[CMSG_SPACE(sizeof(int))] = {};
  msghdr message_{};
};

}  // namespace

bool HasSupervisor() {
  struct stat control {};
  return fstat(kControl, &control) == 0 && S_ISSOCK(control.st_mode);
}

Session NextSession() {
  static int64_t offered = 0;
  for (;;) {
    DescriptorMessage message;
    const ssize_t received = recvmsg(kControl, message.get(), MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return {.socket = base::FileDescriptor(-1), .with = With::kOther};
    ++offered;
    // There is room for one: of several the kernel would drop the rest.
    const cmsghdr* header = message.header();
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) {
      // For want of descriptors: what nobody has, nobody would miss.
      TellLost(offered);
      continue;
    }
    int socket = -1;
    std::memcpy(&socket, CMSG_DATA(header), sizeof(socket));
    return {.socket = base::FileDescriptor(socket),
            .with = static_cast<With>(message.byte()),
            .number = offered};
  }
}

void NoMoreSessions() { shutdown(kControl, SHUT_RD); }

bool AwaitStop(absl::Duration at_most) {
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  // A timespec of an infinite duration is as long as one can be.
  const timespec longest = absl::ToTimespec(at_most);
  for (;;) {
    if (sigtimedwait(&stop_signals, nullptr, &longest) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

void TellLost(int64_t session) { TellSupervisor(absl::StrCat(kLostSession, " ", session)); }

// MSG_NOSIGNAL: a line that nobody reads any more is no reason to die of SIGPIPE.
void TellSupervisor(absl::string_view message) {
  message = message.substr(0, kLongestMessage);
  send(kControl, message.data(), message.size(), MSG_NOSIGNAL);
}

bool OfferSession(int control, int socket, With with) {
  DescriptorMessage message(static_cast<char>(with));
  cmsghdr* header = message.header();
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(socket));
  std::memcpy(CMSG_DATA(header), &socket, sizeof(socket));
  // A child that does not take its sessions must not hold up the supervisor.
  return sendmsg(control, message.get(), MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

}  // namespace topicwall::supervisor
