#include "server/supervisor/control_line.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace topicwall::supervisor {
namespace {

// Room for the one descriptor that a message brings.
union OneDescriptor {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

bool HasSupervisor() {
  struct stat control {};
  return fstat(kControl, &control) == 0 && S_ISSOCK(control.st_mode);
}

base::FileDescriptor NextSession() {
  for (;;) {
    char byte = 0;
    iovec data = {.iov_base = &byte, .iov_len = 1};
    OneDescriptor room{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof(room.bytes);
    const ssize_t received = recvmsg(kControl, &message, MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return base::FileDescriptor(-1);
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) continue;
    int socket = -1;
    std::memcpy(&socket, CMSG_DATA(header), sizeof(socket));
    return base::FileDescriptor(socket);
  }
}

void NoMoreSessions() { shutdown(kControl, SHUT_RD); }

void TellSupervisor(absl::string_view message) {
  message = message.substr(0, kLongestMessage);
  send(kControl, message.data(), message.size(), MSG_NOSIGNAL);
}

bool OfferSession(int control, int socket) {
  char byte = 0;
  iovec data = {.iov_base = &byte, .iov_len = 1};
  OneDescriptor room{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes;
  message.msg_controllen = sizeof(room.bytes);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(socket));
  std::memcpy(CMSG_DATA(header), &socket, sizeof(socket));
  // A child that does not take its sessions must not hold up the supervisor.
  return sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

}  // namespace topicwall::supervisor
