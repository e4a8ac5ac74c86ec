#include "server/supervisor/control_line.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace topicwall::supervisor {
namespace {

// A message of one byte, with room for the one descriptor that it brings.
class DescriptorMessage {
 public:
  DescriptorMessage() {
    message_.msg_iov = &data_;
    message_.msg_iovlen = 1;
    message_.msg_control = room_;
    message_.msg_controllen = sizeof(room_);
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  msghdr* get() { return &message_; }
  cmsghdr* header() { return CMSG_FIRSTHDR(&message_); }

 private:
  char byte_ = 0;
  iovec data_ = {.iov_base = &byte_, .iov_len = 1};
  alignas(cmsghdr) char room_[CMSG_SPACE(sizeof(int))] = {};
  msghdr message_{};
};

}  // namespace

bool HasSupervisor() {
  struct stat control {};
  return fstat(kControl, &control) == 0 && S_ISSOCK(control.st_mode);
}

base::FileDescriptor NextSession() {
  for (;;) {
    DescriptorMessage message;
    const ssize_t received = recvmsg(kControl, message.get(), MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return base::FileDescriptor(-1);
    const cmsghdr* header = message.header();
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) continue;
    int socket = -1;
    std::memcpy(&socket, CMSG_DATA(header), sizeof(socket));
    return base::FileDescriptor(socket);
  }
}

void NoMoreSessions() { shutdown(kControl, SHUT_RD); }

void AwaitStop() {
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  int signal_number = 0;
  sigwait(&stop_signals, &signal_number);
}

void TellSupervisor(absl::string_view message) {
  message = message.substr(0, kLongestMessage);
  send(kControl, message.data(), message.size(), MSG_NOSIGNAL);
}

bool OfferSession(int control, int socket) {
  DescriptorMessage message;
  cmsghdr* header = message.header();
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(socket));
  std::memcpy(CMSG_DATA(header), &socket, sizeof(socket));
  // A child that does not take its sessions must not hold up the supervisor.
  return sendmsg(control, message.get(), MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

}  // namespace topicwall::supervisor
