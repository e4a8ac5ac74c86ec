// What a child gets of its parent is decided here: a user, two descriptors beside the standard
// ones, blocked signals, and a parent whose death is its own. What the supervisor has open besides,
// the other child's line above all, must not come along.
#include "server/supervisor/child_process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::supervisor {
namespace {

constexpr int kExecFailed = 127;

struct User {
  uid_t uid;
  gid_t gid;
};

absl::StatusOr<std::optional<User>> FindUser(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const passwd* found = getpwnam(name.c_str());
  if (found == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("processes: there is no user \"", name,
                                                   "\"; make it with useradd --system ", name));
  }
  return User{.uid = found->pw_uid, .gid = found->pw_gid};
}

[[noreturn]] void Execute(const Launch& launch) {
  std::vector<char*> arguments;
  for (const std::string& part : launch.command)
    arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  perror(arguments.front());
  _exit(kExecFailed);
}

// Between fork and exec, in what was the only thread.
[[noreturn]] void Become(const Launch& launch, const std::optional<User>& user, int control,
                         pid_t supervisor) {
  const auto fail = [](const char* what) {
    perror(what);
    _exit(kExecFailed);
  };
  // Hard, so that it stays whatever the child becomes. All processes of a service have one number
  // of threads in common: who took them all would keep the custodian out.
  const auto most = static_cast<rlim_t>(launch.most_threads);
  const rlimit threads = {.rlim_cur = most, .rlim_max = most};
  if (user.has_value() && most > 0 && setrlimit(RLIMIT_NPROC, &threads) != 0) {
    fail("topicwall-server: it cannot bound the threads of its processes");
  }
  // Groups first, the user last: after setuid there is no right left to change the others. Groups
  // of root that stayed would be rights that no configuration shows.
  if (user.has_value() &&
      (setgroups(0, nullptr) != 0 || setgid(user->gid) != 0 || setuid(user->uid) != 0)) {
    fail("topicwall-server: it cannot take the user of its processes");
  }
  // After the change of user, which would take it away.
  // Of a parent that has died already no signal comes any more: then getppid is another's.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != supervisor) _exit(kExecFailed);
  sigset_t blocked;
  sigemptyset(&blocked);
  // What mpirun starts is none of ours: it gets neither line nor log, and signals as any program
  // has them.
  if (launch.is_foreign) {
    close_range(STDERR_FILENO + 1, ~0U, 0);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    Execute(launch);
  }
  // Above both of where they go, so that neither is overwritten.
  const int control_above = fcntl(control, F_DUPFD, kLog + 1);
  const int log_above = fcntl(launch.log, F_DUPFD, kLog + 1);
  if (dup2(control_above, kControl) < 0 || dup2(log_above, kLog) < 0) fail("topicwall-server");
  close_range(kLog + 1, ~0U, 0);
  // They wait for these two when they are ready, and must not miss one that comes before.
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGINT);
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  Execute(launch);
}

}  // namespace

absl::StatusOr<std::filesystem::path> FolderOfThisProgram() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (self.is_absolute()) return self.parent_path();
  return absl::FailedPreconditionError(
      absl::StrCat("/proc/self/exe must say where this program lies, and cannot be read (",
                   error.message(), "): mount /proc"));
}

// The user is looked up before the fork: one that does not exist is then an error with a text, and
// not a child that ends.
absl::StatusOr<ChildProcess> ChildProcess::Start(const Launch& launch) {
  TW_ASSIGN_OR_RETURN(const std::optional<User> user, FindUser(launch.user));
  std::array<int, 2> pair{};
  // Messages keep their bounds, and both sides see the other's end.
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return absl::UnavailableError("there is no socket pair to be had: too many open files?");
  }
  base::FileDescriptor ours(pair[0]);
  const base::FileDescriptor theirs(pair[1]);
  const pid_t supervisor = getpid();
  const pid_t pid = fork();
  if (pid < 0) return absl::UnavailableError("no process can be started: too many of them?");
  if (pid == 0) Become(launch, user, theirs.get(), supervisor);
  return ChildProcess(pid, std::move(ours));
}

std::optional<std::string> ChildProcess::Said() const {
  // Whatever the child sends: a longer message is cut by the system, and no child can make this
  // wait.
  std::string message(kLongestMessage, '\0');
  const ssize_t length = recv(control(), message.data(), message.size(), MSG_DONTWAIT);
  if (length <= 0) return std::nullopt;
  message.resize(static_cast<size_t>(length));
  return message;
}

bool ChildProcess::Offer(int socket, With with) {
  if (!OfferSession(control(), socket, with)) return false;
  ++offered_;
  return true;
}

// In this order: what a child leaves behind is gone after its end of the line.
bool ChildProcess::HasTakenAll() const {
  int waiting = 0;
  if (ioctl(control(), TIOCOUTQ, &waiting) == 0 && waiting > 0) return false;
  return !HasLeft();
}

bool ChildProcess::HasLeft() const {
  pollfd line{.fd = control(), .events = POLLRDHUP, .revents = 0};
  return poll(&line, 1, 0) > 0;
}

void ChildProcess::Signal(int signal) const { kill(pid_, signal); }

}  // namespace topicwall::supervisor
