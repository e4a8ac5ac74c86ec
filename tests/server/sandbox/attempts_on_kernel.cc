#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "tests/server/sandbox/attempts.h"

namespace topicwall::sandbox {
namespace {

// A child that came to be ends at once.
long Child(long made) {
  if (made == 0) _exit(0);
  if (made > 0) waitpid(static_cast<pid_t>(made), nullptr, 0);
  return made;
}

long Socket(uint64_t family, uint64_t type, uint64_t protocol) {
  const long made = syscall(SYS_socket, family, type, protocol);
  if (made >= 0) close(static_cast<int>(made));
  return made;
}

}  // namespace

std::vector<Attempt> OnTheKernel(const Folders& f) {
  static char zeros[256] = {};
  static char ring[256] = {};
  static char handle[256] = {};
  return {
      {"bpf", [] { return syscall(SYS_bpf, 5, zeros, 64); }, EPERM, EPERM, false},
      {"io_uring_setup", [] { return syscall(SYS_io_uring_setup, 1, ring); }, EPERM, EPERM, false},
      {"userfaultfd", [] { return syscall(SYS_userfaultfd, 1); }, EPERM, EPERM, false},
      {"add_key", [] { return syscall(SYS_add_key, "user", "x", "y", 1, -3); }, EPERM, EPERM,
       false},
      {"keyctl", [] { return syscall(SYS_keyctl, 0, -3, 1); }, EPERM, EPERM, false},
      {"memfd_create", [] { return syscall(SYS_memfd_create, "x", 0); }, EPERM, EPERM},
      {"personality", [] { return syscall(SYS_personality, 0xffffffff); }, EPERM, EPERM},
      {"a user's own namespace", [] { return unshare(CLONE_NEWUSER); }, EPERM, EPERM, false},
      {"mount", [] { return syscall(SYS_mount, "none", "/", nullptr, 32 << 10, nullptr); }, EPERM,
       EPERM, false},
      {"fsopen", [] { return syscall(SYS_fsopen, "tmpfs", 0); }, EPERM, EPERM, false},
      {"open_tree", [] { return syscall(SYS_open_tree, AT_FDCWD, "/", 0); }, EPERM, EPERM},
      {"chroot", [=] { return chroot(f("data").c_str()); }, EPERM, EPERM, false},
      {"setns", [] { return setns(0, 0); }, EPERM, EPERM, false},
      {"name_to_handle_at",
       [=] {
         int mount = 0;
         return syscall(SYS_name_to_handle_at, AT_FDCWD, f("secret/file").c_str(), handle, &mount,
                        0);
       },
       EPERM, EPERM, false},
      {"open_by_handle_at", [] { return syscall(SYS_open_by_handle_at, AT_FDCWD, handle, 0); },
       EPERM, EPERM, false},
      {"another user", [] { return setuid(getuid()); }, EPERM, EPERM},
      {"the clock", [] { return syscall(SYS_clock_settime, 0, nullptr); }, EPERM, EPERM, false},
      {"a module", [] { return syscall(SYS_init_module, nullptr, 0, ""); }, EPERM, EPERM, false},
      {"reboot", [] { return syscall(SYS_reboot, 0, 0, 0, nullptr); }, EPERM, EPERM, false},
      {"the kernel's log", [] { return syscall(SYS_syslog, 10, nullptr, 0); }, EPERM, EPERM, false},
      // cachestat(2), of Linux 6.5
      {"a call of a later kernel", [] { return syscall(451, -1, nullptr, nullptr, 0); }, ENOSYS,
       EPERM, false},
#ifdef __x86_64__
      {"a call of the x32 mode", [] { return syscall(0x40000000 + SYS_getpid); }, ENOSYS, EPERM,
       false},
#endif
  };
}

std::vector<Attempt> OnPrograms() {
  static const char* const arguments[] = {"true", nullptr};
  const auto argv = const_cast<char* const*>(arguments);
  return {
      {"fork(3)", [] { return Child(fork()); }, EPERM, EPERM},
      {"clone", [] { return Child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }, EPERM, EPERM},
      {"clone with memory in common",
       [] { return syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND, 0, 0, 0, 0); }, EPERM, EPERM,
       false},
      {"clone3", [] { return syscall(SYS_clone3, nullptr, 0); }, ENOSYS, ENOSYS, false},
#ifdef SYS_fork
      {"fork(2)", [] { return Child(syscall(SYS_fork)); }, EPERM, EPERM},
      {"vfork", [] { return syscall(SYS_vfork); }, EPERM, EPERM, false},
#endif
      {"execve", [argv] { return execve("/bin/true", argv, argv + 1); }, EPERM, EPERM, false},
      {"execveat",
       [argv] { return syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, argv + 1, 0); }, EPERM,
       EPERM, false},
  };
}

std::vector<Attempt> OnTheNetwork(const Inherited& inherited) {
  static sockaddr_in to{};
  socklen_t size = sizeof(to);
  getsockname(inherited.bound, reinterpret_cast<sockaddr*>(&to), &size);
  const auto address = reinterpret_cast<const sockaddr*>(&to);
  static msghdr message{};
  message.msg_name = &to;
  message.msg_namelen = sizeof(to);
  return {
      {"TCP", [] { return Socket(AF_INET, SOCK_STREAM, 0); }, 0, EPERM},
      {"TCP, no waiting", [] { return Socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 6); }, 0, EPERM},
      {"a path's", [] { return Socket(AF_UNIX, SOCK_STREAM, 0); }, EPERM, EPERM},
      {"a path's, in 64 bits", [] { return Socket(kBeyondInt | AF_UNIX, SOCK_STREAM, 0); }, EPERM,
       EPERM},
      {"the kernel's", [] { return Socket(AF_NETLINK, SOCK_RAW, 0); }, EPERM, EPERM},
      {"packets", [] { return Socket(AF_PACKET, SOCK_RAW, 0); }, EPERM, EPERM, false},
      {"a virtual machine's host", [] { return Socket(AF_VSOCK, SOCK_STREAM, 0); }, EPERM, EPERM,
       false},
      {"datagrams", [] { return Socket(AF_INET, SOCK_DGRAM, 0); }, EPERM, EPERM},
      {"datagrams of IPv6", [] { return Socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0); }, EPERM,
       EPERM, false},
      {"raw", [] { return Socket(AF_INET, SOCK_RAW, 1); }, EPERM, EPERM, false},
      {"MPTCP", [] { return Socket(AF_INET, SOCK_STREAM, 262); }, EPERM, EPERM, false},
      {"SCTP", [] { return Socket(AF_INET, SOCK_STREAM, 132); }, EPERM, EPERM, false},
      {"a pair of datagrams",
       [] {
         int ends[2];
         return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
       },
       EPERM, EPERM},
      {"connect", [=] { return connect(inherited.tcp, address, sizeof(to)); }, EPERM, EPERM},
      {"connect by sending",
       [=] { return sendto(inherited.tcp, "x", 1, MSG_FASTOPEN, address, sizeof(to)); }, EPERM,
       EPERM, false},
      {"connect by a message", [=] { return sendmsg(inherited.tcp, &message, MSG_FASTOPEN); },
       EPERM, EPERM, false},
      {"listen", [=] { return listen(inherited.bound, 5); }, 0, EPERM},
      {"accept", [=] { return accept4(inherited.bound, nullptr, nullptr, SOCK_NONBLOCK); }, EAGAIN,
       EPERM, false},
      {"a datagram to an address",
       [=] { return sendto(inherited.datagram, "x", 1, 0, address, sizeof(to)); }, 0, EPERM},
  };
}

}  // namespace topicwall::sandbox
