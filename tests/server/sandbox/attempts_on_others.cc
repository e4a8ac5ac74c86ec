#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "tests/server/sandbox/attempts.h"

namespace topicwall::sandbox {
namespace {

char secret[] = "what only the victim knows";

}  // namespace

std::vector<Attempt> SignalsToOthers(const Victim& victim, const Inherited& inherited) {
  const pid_t pid = victim.pid();
  const int pidfd = victim.descriptor();
  const int own = inherited.pipe[0];
  static siginfo_t information{};
  information.si_code = SI_QUEUE;
  static f_owner_ex owner = {F_OWNER_PID, pid};
  owner.pid = pid;
  return {
      {"signal oneself", [] { return kill(getpid(), 0); }, 0, 0},
      {"limits of oneself",
       [] {
         rlimit own_limit;
         return getrlimit(RLIMIT_NOFILE, &own_limit);
       },
       0, 0},
      {"ask for another by signal 0", [=] { return kill(pid, 0); }, EPERM, EPERM},
      {"end another", [=] { return kill(pid, SIGTERM); }, EPERM, EPERM, false},
      {"the parent", [] { return kill(getppid(), 0); }, EPERM, EPERM},
      {"the group", [] { return kill(0, 0); }, EPERM, EPERM},
      {"all", [] { return kill(-1, 0); }, EPERM, EPERM, false},
      {"tgkill", [=] { return syscall(SYS_tgkill, pid, pid, 0); }, EPERM, EPERM},
      {"tkill", [=] { return syscall(SYS_tkill, pid, 0); }, EPERM, EPERM},
      {"rt_sigqueueinfo", [=] { return syscall(SYS_rt_sigqueueinfo, pid, 0, &information); }, EPERM,
       EPERM},
      {"rt_tgsigqueueinfo",
       [=] { return syscall(SYS_rt_tgsigqueueinfo, pid, pid, 0, &information); }, EPERM, EPERM},
      {"pidfd_open", [=] { return syscall(SYS_pidfd_open, pid, 0); }, EPERM, EPERM},
      {"pidfd_send_signal", [=] { return syscall(SYS_pidfd_send_signal, pidfd, 0, nullptr, 0); },
       EPERM, EPERM},
      {"signals of a pipe go to another", [=] { return fcntl(own, F_SETOWN, pid); }, EPERM, EPERM},
      {"F_SETOWN in 64 bits", [=] { return syscall(SYS_fcntl, own, kBeyondInt | F_SETOWN, pid); },
       EPERM, EPERM},
      {"F_SETOWN_EX", [=] { return fcntl(own, F_SETOWN_EX, &owner); }, EPERM, EPERM},
      {"a signal of one's choice", [=] { return fcntl(own, F_SETSIG, SIGKILL); }, EPERM, EPERM},
      {"FIOSETOWN",
       [=] {
         int other = pid;
         return ioctl(inherited.tcp, FIOSETOWN, &other);
       },
       EPERM, EPERM},
      {"keys typed into a terminal", [=] { return ioctl(own, TIOCSTI, "x"); }, EPERM, EPERM, false},
      {"TIOCSTI in 64 bits", [=] { return syscall(SYS_ioctl, own, kBeyondInt | TIOCSTI, "x"); },
       EPERM, EPERM, false},
  };
}

std::vector<Attempt> IntoOthers(const Victim& victim) {
  const pid_t pid = victim.pid();
  const int pidfd = victim.descriptor();
  static const iovec memory = {secret, sizeof(secret)};
  static char read[sizeof(secret)];
  static const iovec here = {read, sizeof(read)};
  static sched_param ordinary{};
  static cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  static rlimit limit = {1, 1};
  static perf_event_attr counter{};
  counter.size = sizeof(counter);
  counter.type = PERF_TYPE_SOFTWARE;
  counter.config = PERF_COUNT_SW_TASK_CLOCK;
  return {
      {"ptrace", [=] { return ptrace(PTRACE_ATTACH, pid, nullptr, nullptr); }, EPERM, EPERM, false},
      {"ptrace the parent", [] { return ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr); }, EPERM,
       EPERM, false},
      {"be traced", [] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }, EPERM, EPERM,
       false},
      {"read memory", [=] { return process_vm_readv(pid, &here, 1, &memory, 1, 0); }, EPERM, EPERM,
       false},
      {"write memory", [=] { return process_vm_writev(pid, &memory, 1, &memory, 1, 0); }, EPERM,
       EPERM, false},
      {"process_madvise",
       [=] { return syscall(SYS_process_madvise, pidfd, &memory, 1, 21 /* MADV_PAGEOUT */, 0); },
       EPERM, EPERM, false},
      {"take a descriptor", [=] { return syscall(SYS_pidfd_getfd, pidfd, 1, 0); }, EPERM, EPERM,
       false},
      {"kcmp", [=] { return syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0); }, EPERM, EPERM,
       false},
      {"limits of another", [=] { return prlimit(pid, RLIMIT_NOFILE, &limit, nullptr); }, EPERM,
       EPERM, false},
      {"processors of another", [=] { return sched_setaffinity(pid, sizeof(one), &one); }, EPERM,
       EPERM, false},
      {"its scheduling", [=] { return sched_setscheduler(pid, SCHED_BATCH, &ordinary); }, EPERM,
       EPERM, false},
      {"its priority", [=] { return setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 5); }, EPERM,
       EPERM, false},
      {"its turn at the disk", [=] { return syscall(SYS_ioprio_set, 1, pid, 3 << 13); }, EPERM,
       EPERM, false},
      {"its pages", [=] { return syscall(SYS_move_pages, pid, 0, nullptr, nullptr, nullptr, 0); },
       EPERM, EPERM, false},
      {"count what it does", [=] { return syscall(SYS_perf_event_open, &counter, pid, -1, -1, 0); },
       EPERM, EPERM, false},
      {"shared memory", [] { return syscall(SYS_shmget, 0 /* private */, 4096, 0600); }, EPERM,
       EPERM, false},
      {"let others look into this", [] { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }, EPERM,
       EPERM},
      {"outlive the supervisor", [] { return prctl(PR_SET_PDEATHSIG, 0); }, EPERM, EPERM},
  };
}

}  // namespace topicwall::sandbox
