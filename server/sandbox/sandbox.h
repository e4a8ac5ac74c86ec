// What a process may still do once it is inside: the gate's room, the vault's, and the store's.
//
//   int main() {                                        // the first thing in it
//     auto inside = sandbox::EnterVault({.readable = {corpus, keys}, .writable = {data}},
//                                       Strictness::kRequired);
//     if (!inside.ok()) return Refuse(inside.status());
//
// There is no way back, and threads that are started later are inside as well. All rooms: no new
// privileges by exec, no core dump, no ptrace by others of the same user, no file but `Paths`
// (Landlock), and no system call that is not in the tables of gate_filter.cc and vault_filter.cc
// (seccomp). What is refused fails with EPERM, or with ENOSYS where libc then takes an older way,
// also in the calls of later kernels than this was written for; nothing is killed. Files are
// EACCES.
//
//   gate:  all that gRPC and TLS need but what is listed. Of the network it has TCP that it is
//          called by: it cannot call out. Names of listeners are looked up in files only
//          (/etc/hosts, if it is readable): DNS takes UDP.
//   vault: only what is listed. It has no network: it reads and writes descriptors that it has or
//          is sent. A pair to a sandboxed process is SOCK_STREAM or SOCK_SEQPACKET: a SOCK_DGRAM
//          one can be sent to any address.
//   store: as the gate, but it may call out, by TCP, by a socket with a path, and to resolve names.
//          By an abstract name of others', as the custodian's door has one (local_doors.h), only
//          before Linux 6.12.
//
// In all, a thread sets its own affinity only (sched_setaffinity(0, …); pthread_setaffinity_np
// names it by number, which is refused), the process signals nobody but itself, and libraries that
// are needed late (dlopen) are loaded before. What was opened before stays open; a file that was
// opened for writing can only be written to, at its end if it was opened so: not cut, not gone back
// in, not duplicated.
//
// Libraries ask for files and do without them: the database for /dev/urandom (without it, its own
// randomness, as the salts of its log, starts from time and process number), Abseil for
// /etc/localtime (without it, UTC), libcrypto for openssl.cnf (without it, its defaults). Name them
// where that matters.
//
// Not hidden: that a path exists, its size and its times (stat(2)); the mode of a folder hides
// them. A kernel before 6.2 has no Landlock right for truncation: truncate(2), and open(2) with
// O_TRUNC but without writing, are refused by seccomp, always. Sanitizers need more than the rooms
// give; what is let through in builds with them stands in filter.cc and nowhere else.
#ifndef TOPICWALL_SERVER_SANDBOX_SANDBOX_H_
#define TOPICWALL_SERVER_SANDBOX_SANDBOX_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::sandbox {

// Files, or folders with all that is beneath them. Each must exist. A writable one is readable too.
// A pipe, socket or device is never made there, and nothing is ever executed.
struct Paths {
  std::vector<std::string> readable;
  std::vector<std::string> writable;
};

enum class Strictness {
  kRequired,
  kBestEffort,  // what this kernel does not have is left out
};

// What a kernel offers, or what holds of a process.
struct Confinement {
  // 0: no Landlock; from 3 on truncation is held to `Paths`, from 6 on others' abstract sockets are
  // out of reach.
  int landlock_abi;
  bool seccomp;
};
Confinement OfferedByThisKernel();

// What holds of this process from now on. FAILED_PRECONDITION if there is more than one thread, or
// if it is kRequired and the kernel lacks something; INVALID_ARGUMENT naming a path that cannot be
// opened. After an error the process may be half inside: end it.
absl::StatusOr<Confinement> EnterGate(const Paths& paths, Strictness strictness);
absl::StatusOr<Confinement> EnterVault(const Paths& paths, Strictness strictness);
absl::StatusOr<Confinement> EnterStore(const Paths& paths, Strictness strictness);

}  // namespace topicwall::sandbox

#endif  // TOPICWALL_SERVER_SANDBOX_SANDBOX_H_
