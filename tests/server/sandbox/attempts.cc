#include "tests/server/sandbox/attempts.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace topicwall::sandbox {
namespace {

constexpr rlim_t kVictimsLimit = 77;

}  // namespace

Victim::Victim() : pid_(fork()), descriptor_(-1) {
  if (pid_ == 0) {
    for (;;) pause();
  }
  const rlimit limit = {.rlim_cur = kVictimsLimit, .rlim_max = kVictimsLimit};
  prlimit(pid_, RLIMIT_NOFILE, &limit, nullptr);
  descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Victim::~Victim() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  close(descriptor_);
}

bool Victim::IsUnharmed() const {
  rlimit limit{};
  cpu_set_t processors, own;
  return waitpid(pid_, nullptr, WNOHANG | WUNTRACED) == 0 &&
         prlimit(pid_, RLIMIT_NOFILE, nullptr, &limit) == 0 && limit.rlim_cur == kVictimsLimit &&
         sched_getaffinity(pid_, sizeof(processors), &processors) == 0 &&
         sched_getaffinity(0, sizeof(own), &own) == 0 && CPU_EQUAL(&own, &processors) &&
         getpriority(PRIO_PROCESS, static_cast<id_t>(pid_)) == getpriority(PRIO_PROCESS, 0);
}

Folders::Folders(std::string root) : root_(std::move(root)) {
  for (const char* folder : {"open", "data", "data/below", "secret"}) {
    std::filesystem::create_directories((*this)(folder));
  }
  for (const char* file : {"open/file", "open/moved", "data/kept", "secret/file", "secret/taken",
                           "secret/linked", "secret/removed", "secret/cut"}) {
    std::ofstream((*this)(file)) << file;
  }
}

Paths Folders::paths() const {
  return {.readable = {(*this)("open")}, .writable = {(*this)("data")}};
}

Inherited::Inherited() {
  if (::pipe(pipe) != 0) std::perror("pipe");
  tcp = socket(AF_INET, SOCK_STREAM, 0);
  bound = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(bound, reinterpret_cast<const sockaddr*>(&any), sizeof(any)) != 0) std::perror("bind");
  if (listen(bound, 5) != 0) std::perror("listen");
  datagram = socket(AF_INET, SOCK_DGRAM, 0);
  data = static_cast<int>(syscall(SYS_memfd_create, "data", 0));
  log = static_cast<int>(syscall(SYS_memfd_create, "log", 0));
  if (fcntl(log, F_SETFL, O_APPEND) != 0) std::perror("log");
}

std::string Try(const Enter& enter, const Paths& paths, const std::vector<Attempt>& attempts,
                const std::function<int(const Attempt&)>& expected, bool all) {
  return SaidInside(enter, paths, [&](const Line& line) {
    for (const Attempt& attempt : attempts) {
      if (!all && !attempt.anybody) continue;
      errno = 0;
      const long result = attempt.call();
      const int came = result >= 0 ? 0 : errno;
      if (came == expected(attempt)) continue;
      line.Say(absl::StrCat(attempt.name, ": ", std::strerror(came), ", not ",
                            std::strerror(expected(attempt))));
    }
  });
}

}  // namespace topicwall::sandbox
