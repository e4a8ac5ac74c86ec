// A gate that was taken over: topicwall-server starts it in the place of the real one, it enters
// the same sandbox, and then it does what whoever connects tells it.
//
// It listens on loopback, one connection at a time. The first byte of a connection says what it is:
//   's'  a session with the vault: all bytes go through as they are, both ways, until either side
//        hangs up. Whatever the vault ever said is kept, so that this process's memory has it.
//   'k'  asks the kernel, line by line, for what a thief would want ("open PATH", "signal PID",
//        "attach PID", "memory PID", "connect PORT", "cut DESCRIPTOR", "inside"); each is answered
//        with errno, 0 for what was done.
//   'n'  says of each byte that comes that it has lost its session, takes the new one, keeps all
//        that it had until the connection ends, and answers with the byte.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "server/processes.h"
#include "server/sandbox/sandbox.h"
#include "server/supervisor/control_line.h"
#include "server/wall_config.h"

namespace {

using topicwall::base::FileDescriptor;

std::string& Kept() {
  static std::string& kept = *new std::string;
  return kept;
}

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Until `from` has ended or `to` takes no more; then both are shut down.
void Pass(int from, int to, std::string* kept) {
  std::array<char, 64 << 10> bytes;
  for (;;) {
    const ssize_t got = recv(from, bytes.data(), bytes.size(), 0);
    if (got <= 0) break;
    if (kept != nullptr) kept->append(bytes.data(), static_cast<size_t>(got));
    ssize_t sent = 0;
    while (sent < got) {
      const ssize_t more =
          send(to, bytes.data() + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
      if (more <= 0) break;
      sent += more;
    }
    if (sent < got) break;
  }
  shutdown(from, SHUT_RDWR);
  shutdown(to, SHUT_RDWR);
}

FileDescriptor AnotherSession() {
  static int64_t last = 0;
  if (last > 0) topicwall::supervisor::TellLost(last);
  topicwall::supervisor::Session session = topicwall::supervisor::NextSession();
  last = session.number;
  return std::move(session.socket);
}

void PassSession(int connection) {
  const FileDescriptor vault = AnotherSession();
  std::thread answers([&] { Pass(vault.get(), connection, &Kept()); });
  Pass(connection, vault.get(), nullptr);
  answers.join();
}

int ReadMemoryOf(pid_t process) {
  std::array<char, 8> bytes;
  iovec here{.iov_base = bytes.data(), .iov_len = bytes.size()};
  // A program's first page, where it is not moved about, and an address that is never mapped: the
  // refusal comes before either is looked at.
  iovec there{.iov_base = reinterpret_cast<void*>(0x400000), .iov_len = bytes.size()};
  return process_vm_readv(process, &here, 1, &there, 1, 0) < 0 ? errno : 0;
}

int Connect(uint16_t port) {
  const FileDescriptor socket_of_mine(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = Loopback(port);
  return connect(socket_of_mine.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) < 0
             ? errno
             : 0;
}

// 0 where the process has all that sandbox.h promises beside the answers of the other questions.
int Inside() {
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 && prctl(PR_GET_SECCOMP) == 2 ? 0 : ENOENT;
}

int Cut(int descriptor) { return ftruncate(descriptor, 0) < 0 ? errno : 0; }

int Try(const std::string& what, const std::string& whom) {
  const pid_t process = std::atoi(whom.c_str());
  if (what == "open") {
    const FileDescriptor opened(open(whom.c_str(), O_RDONLY | O_CLOEXEC));
    return opened.valid() ? 0 : errno;
  }
  if (what == "signal") return kill(process, SIGKILL) < 0 ? errno : 0;
  if (what == "attach") return ptrace(PTRACE_SEIZE, process, 0, 0) < 0 ? errno : 0;
  if (what == "memory") return ReadMemoryOf(process);
  if (what == "connect") return Connect(static_cast<uint16_t>(process));
  if (what == "inside") return Inside();
  if (what == "cut") return Cut(static_cast<int>(process));
  return EINVAL;
}

void KeepSessions(int connection) {
  std::vector<FileDescriptor> kept;
  char asked = 0;
  while (recv(connection, &asked, 1, 0) == 1) {
    kept.push_back(AnotherSession());
    send(connection, &asked, 1, MSG_NOSIGNAL);
  }
}

void AskTheKernel(int connection) {
  std::string line;
  for (char byte = 0; recv(connection, &byte, 1, 0) == 1;) {
    if (byte != '\n') {
      line.push_back(byte);
      continue;
    }
    const size_t blank = line.find(' ');
    const std::string answer =
        absl::StrCat(Try(line.substr(0, blank), line.substr(blank + 1)), "\n");
    send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
    line.clear();
  }
}

int Serve() {
  const FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener.get(), 16) != 0 ||
      getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("malicious gate");
    return 1;
  }
  topicwall::supervisor::TellSupervisor(
      absl::StrCat(topicwall::supervisor::kServing, " 127.0.0.1:", ntohs(address.sin_port)));
  for (;;) {
    const FileDescriptor connection(accept(listener.get(), nullptr, nullptr));
    const int at_once = 1;
    setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
    char kind = 0;
    if (recv(connection.get(), &kind, 1, 0) != 1) continue;
    if (kind == 's') PassSession(connection.get());
    if (kind == 'k') AskTheKernel(connection.get());
    if (kind == 'n') KeepSessions(connection.get());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto config = topicwall::server::ReadWallConfig(argc == 3 ? argv[2] : "");
  if (!config.ok() || !topicwall::supervisor::HasSupervisor()) return 1;
  // As server/gate/main.cc has it.
  const auto inside = topicwall::sandbox::EnterGate(
      {.readable = topicwall::server::ReadableByTheGate(*config), .writable = {}},
      topicwall::sandbox::Strictness::kRequired);
  if (!inside.ok()) {
    std::fprintf(stderr, "%s\n", std::string(inside.status().message()).c_str());
    return 1;
  }
  return Serve();
}
