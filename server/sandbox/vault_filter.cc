#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "base/status_macros.h"
#include "server/sandbox/filter.h"

namespace topicwall::sandbox {
namespace {

// Threads, and what they wait for.
constexpr const char* kThreads[] = {
    "futex",           "futex_waitv", "set_robust_list",
    "set_tid_address", "rseq",        "sched_yield",
    "getcpu",          "membarrier",  "exit",
    "exit_group",      "nanosleep",   "clock_nanosleep",
    "restart_syscall", "gettid",      "getpid",
};

// Memory that is not executed; mmap and mprotect are compared below. Keys are locked into it.
constexpr const char* kMemory[] = {
    "munmap", "mremap", "madvise", "brk", "mlock", "mlock2", "munlock", "mincore", "msync",
};

// Signals as they arrive; those that are sent are compared below.
constexpr const char* kSignals[] = {
    "rt_sigaction",    "rt_sigprocmask", "rt_sigreturn", "rt_sigpending",
    "rt_sigtimedwait", "rt_sigsuspend",  "sigaltstack",  "pause",
};

// How threads are scheduled, as Abseil and libc ask.
constexpr const char* kScheduling[] = {"sched_getaffinity", "sched_getscheduler", "sched_getparam"};

// Clocks, randomness, and what this process and its machine are.
constexpr const char* kQuestions[] = {
    "clock_gettime", "clock_getres", "gettimeofday", "time",   "times",   "getrandom",
    "getrusage",     "sysinfo",      "uname",        "getuid", "geteuid", "getgid",
    "getegid",       "getppid",      "getrlimit",    "getcwd", "umask",
};

// Files and folders, which Landlock holds to the paths; open and openat are compared below. Mode
// and owner are set of what is open (a journal gets those of its database).
constexpr const char* kFiles[] = {
    "stat",       "lstat",     "newfstatat",      "statx",     "access",    "faccessat",
    "faccessat2", "readlink",  "readlinkat",      "statfs",    "mkdir",     "mkdirat",
    "rmdir",      "unlink",    "unlinkat",        "rename",    "renameat",  "renameat2",
    "link",       "linkat",    "getdents64",      "ftruncate", "fallocate", "fadvise64",
    "fsync",      "fdatasync", "sync_file_range", "flock",     "fchmod",    "fchown",
};

// Descriptors, of files and of the pairs that it was given: the supervisor sends some by recvmsg.
constexpr const char* kDescriptors[] = {
    "read",        "write",           "readv",    "writev",   "pread64",       "pwrite64",
    "preadv",      "pwritev",         "preadv2",  "pwritev2", "lseek",         "close",
    "close_range", "fstat",           "fstatfs",  "dup",      "dup2",          "dup3",
    "sendfile",    "copy_file_range", "recvfrom", "recvmsg",  "shutdown",      "getsockopt",
    "poll",        "ppoll",           "select",   "pselect6", "epoll_create1", "epoll_ctl",
    "epoll_wait",  "epoll_pwait",     "eventfd2", "pipe2",
};

// Calls that name a process may name this one only, and those that set limits only ask for them.
void AllowOnItself(Filter& filter) {
  const auto self = static_cast<uint64_t>(getpid());
  filter.Add(kAllowed, {"kill", "tgkill"}, {IsExactly(0, self)});
  filter.Add(kAllowed, {"sched_setaffinity"}, {IsExactly(0, 0)});
  filter.Add(kAllowed, {"prlimit64"}, {IsExactly(0, 0), IsExactly(2, 0)});
  for (const int option : {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_GET_NO_NEW_PRIVS}) {
    filter.Add(kAllowed, {"prctl"}, {IsInt(0, option)});
  }
}

// fcntl: copies, flags and locks, and no owner for signals. ioctl: whether it is a terminal.
void AllowOnDescriptors(Filter& filter) {
  for (const int command :
       {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW}) {
    filter.Add(kAllowed, {"fcntl"}, {IsInt(1, command)});
  }
  filter.Add(kAllowed, {"ioctl"}, {IsInt(1, TCGETS)});
  // To whom it is connected; MSG_FASTOPEN is connect(2) by another name.
  filter.Add(kAllowed, {"sendto"}, {IsExactly(4, 0), HasBits(3, MSG_FASTOPEN, 0)});
  filter.Add(kAllowed, {"sendmsg"}, {HasBits(2, MSG_FASTOPEN, 0)});
}

// Without O_TRUNC, or for writing: see gate_filter.cc.
void AllowToOpen(Filter& filter, const char* call, unsigned flags) {
  filter.Add(kAllowed, {call}, {HasBits(flags, O_TRUNC, 0)});
  filter.Add(kAllowed, {call}, {HasBits(flags, O_ACCMODE, O_WRONLY)});
  filter.Add(kAllowed, {call}, {HasBits(flags, O_ACCMODE, O_RDWR)});
}

}  // namespace

absl::Status FilterVault() {
  TW_ASSIGN_OR_RETURN(Filter filter, Filter::Create(kRefused));
  filter.Add(kAllowed, kThreads);
  filter.Add(kAllowed, kScheduling);
  filter.Add(kAllowed, kMemory);
  filter.Add(kAllowed, kSignals);
  filter.Add(kAllowed, kQuestions);
  filter.Add(kAllowed, kFiles);
  filter.Add(kAllowed, kDescriptors);
  AllowOnItself(filter);
  AllowOnDescriptors(filter);
  AllowToOpen(filter, "open", 1);
  AllowToOpen(filter, "openat", 2);
  // No code but what was there at the start.
  filter.Add(kAllowed, {"mmap", "mprotect"}, {HasBits(2, PROT_EXEC, 0)});
  filter.Add(kAllowed, {"clone"}, {HasBits(0, CLONE_THREAD, CLONE_THREAD)});
  // libc then takes clone and openat, whose flags can be compared.
  filter.Add(kUnknown, {"clone3", "openat2"});
  return std::move(filter).Load();
}

}  // namespace topicwall::sandbox
