#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/sandbox/filter.h"

namespace topicwall::sandbox {
namespace {

// Memory, descriptors and counters of other processes, first of all of the vault's.
constexpr const char* kOtherProcesses[] = {
    "ptrace",           "process_vm_readv", "process_vm_writev", "process_madvise",
    "process_mrelease", "pidfd_open",       "pidfd_getfd",       "kcmp",
    "move_pages",       "migrate_pages",    "perf_event_open",   "get_robust_list",
    "lookup_dcookie",
};

// Signals and priorities by calls that the process needs not even for itself; kill, tgkill and the
// like are compared with its own number below.
constexpr const char* kSignalsAndPriorities[] = {
    "tkill",
    "pidfd_send_signal",
    "setpriority",
    "ioprio_set",
};

// Doors into the kernel that no server needs, and through which most of its holes were found.
// A ring makes calls that no filter sees, and what aio(7) is told to write, and with which flags
// (RWF_NOAPPEND: see inherited_filter.cc), is in memory.
constexpr const char* kKernelDoors[] = {
    "bpf",           "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "io_setup",      "io_submit",   "io_destroy",     "io_cancel",      "io_getevents",
    "io_pgetevents", "add_key",     "request_key",    "keyctl",         "memfd_create",
    "memfd_secret",  "personality", "modify_ldt",     "vhangup",        "uselib",
};

// Other programs. A thread is made by clone, which is compared below.
constexpr const char* kPrograms[] = {"execve", "execveat", "fork", "vfork"};

// Other views of the files, and files by something else than a path: Landlock holds paths.
constexpr const char* kFileTrees[] = {
    "mount",    "umount2",           "pivot_root",        "chroot", "move_mount",    "open_tree",
    "fsopen",   "fsconfig",          "fsmount",           "fspick", "mount_setattr", "unshare",
    "setns",    "open_by_handle_at", "name_to_handle_at", "swapon", "swapoff",       "acct",
    "quotactl", "quotactl_fd",
};

// What Landlock does not look at, on files that the same user owns: lengths (before Linux 6.2),
// modes, owners, times, attributes, and who reads and writes them when.
constexpr const char* kBesideLandlock[] = {
    "truncate",      "chmod",         "fchmod",
    "fchmodat",      "chown",         "fchown",
    "lchown",        "fchownat",      "utime",
    "utimes",        "futimesat",     "utimensat",
    "setxattr",      "lsetxattr",     "fsetxattr",
    "removexattr",   "lremovexattr",  "fremovexattr",
    "inotify_init",  "inotify_init1", "inotify_add_watch",
    "fanotify_init", "fanotify_mark",
};

// Memory and queues that processes of one user share without a path.
constexpr const char* kSharedMemory[] = {
    "shmget", "shmat",  "shmctl", "semget", "semop",   "semtimedop", "semctl",
    "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink",
};

// The machine, and who this process is.
constexpr const char* kMachine[] = {
    "init_module",   "finit_module",  "delete_module", "kexec_load",  "kexec_file_load",
    "reboot",        "syslog",        "iopl",          "ioperm",      "settimeofday",
    "clock_settime", "clock_adjtime", "adjtimex",      "sethostname", "setdomainname",
    "setuid",        "setgid",        "setreuid",      "setregid",    "setresuid",
    "setresgid",     "setgroups",     "setfsuid",      "setfsgid",    "capset",
};

// Calls that name a process may name this one: abort(3) and raise(3) do.
void RefuseToReachOthers(Filter& filter) {
  const auto self = static_cast<uint64_t>(getpid());
  filter.Add(kRefused, {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"},
             {IsNot(0, self)});
  // 0 is the calling thread; its number cannot be known here.
  filter.Add(
      kRefused,
      {"prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"},
      {IsNot(0, 0)});
  // A signal of one's choice to an owner of one's choice, and news of who opens a file.
  for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY}) {
    filter.Add(kRefused, {"fcntl"}, {IsInt(1, command)});
  }
  // The same, and keys typed into a terminal, where another program reads them.
  for (const int request : {FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX}) {
    filter.Add(kRefused, {"ioctl"}, {IsInt(1, request)});
  }
  // Others of the same user might look into this process, and write its core; and it would outlive
  // the supervisor (child_process.h).
  for (const int option : {PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_PDEATHSIG}) {
    filter.Add(kRefused, {"prctl"}, {IsInt(0, option)});
  }
}

// TCP that others call: neither sockets with a path, nor the kernel's (netlink: libc then takes
// both families of addresses to be there), nor datagrams, nor a connection to anybody, which could
// be a service that trusts whoever is on this machine.
void RefuseToCallOut(Filter& filter) {
  filter.RefuseAllBut({AF_INET, AF_INET6}, "socket", 0);
  for (int type = 0; type <= 0xf; ++type) {  // beside it stand SOCK_CLOEXEC and SOCK_NONBLOCK
    if (type != SOCK_STREAM) {
      filter.Add(kRefused, {"socket"}, {HasBits(1, 0xf, static_cast<uint64_t>(type))});
    }
  }
  filter.RefuseAllBut({0, IPPROTO_TCP}, "socket", 2);
  filter.Add(kRefused, {"connect", "socketpair"});
  // connect(2) by another name.
  filter.Add(kRefused, {"sendto", "sendmmsg"}, {HasBits(3, MSG_FASTOPEN, MSG_FASTOPEN)});
  filter.Add(kRefused, {"sendmsg"}, {HasBits(2, MSG_FASTOPEN, MSG_FASTOPEN)});
}

// The database by TCP or by a socket with a path, names by UDP; and nobody calls.
void RefuseToBeCalled(Filter& filter) {
  filter.RefuseAllBut({AF_UNIX, AF_INET, AF_INET6}, "socket", 0);
  filter.Add(kRefused, {"listen", "accept", "accept4", "socketpair"});
}

// A list of what is refused is silent on what a later kernel adds, and libseccomp compares no
// numbers of calls. Numbers beyond 423 are the same on all processors; libc asks for a newer call
// only where it has an older way.
absl::Status RefuseNewerCalls() {
  sock_filter instructions[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, __NR_set_mempolicy_home_node, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kUnknown),
      BPF_STMT(BPF_RET | BPF_K, kAllowed),
  };
  const sock_fprog program = {.len = std::size(instructions), .filter = instructions};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("seccomp takes no filter: errno ", errno));
}

// Of both processes with a network.
absl::Status FilterWith(void (*limit_network)(Filter& filter)) {
  TW_ASSIGN_OR_RETURN(Filter filter, Filter::Create(kAllowed));
  filter.Add(kRefused, kOtherProcesses);
  filter.Add(kRefused, kSignalsAndPriorities);
  filter.Add(kRefused, kKernelDoors);
  filter.Add(kRefused, kPrograms);
  filter.Add(kRefused, kFileTrees);
  filter.Add(kRefused, kBesideLandlock);
  filter.Add(kRefused, kSharedMemory);
  filter.Add(kRefused, kMachine);
  RefuseToReachOthers(filter);
  limit_network(filter);
  // Without writing: where Landlock knows no truncation it sees a file that is only read, or, with
  // both bits, nothing at all.
  for (const uint64_t mode : {O_RDONLY, O_ACCMODE}) {
    filter.Add(kRefused, {"open"}, {HasBits(1, O_TRUNC | O_ACCMODE, O_TRUNC | mode)});
    filter.Add(kRefused, {"openat"}, {HasBits(2, O_TRUNC | O_ACCMODE, O_TRUNC | mode)});
  }
  filter.Add(kRefused, {"clone"}, {HasBits(0, CLONE_THREAD, 0)});
  // Their arguments are in memory, where no filter looks; libc has clone and openat for them.
  filter.Add(kUnknown, {"clone3", "openat2"});
  TW_RETURN_IF_ERROR(std::move(filter).Load());
  return RefuseNewerCalls();
}

}  // namespace

absl::Status FilterGate() { return FilterWith(RefuseToCallOut); }

absl::Status FilterStore() { return FilterWith(RefuseToBeCalled); }

}  // namespace topicwall::sandbox
