// One of the server's processes, as the supervisor starts, tells and ends it.
//
//   TW_ASSIGN_OR_RETURN(ChildProcess vault, ChildProcess::Start({.command = {...}, .log = log}));
//   vault.Offer(socket, With::kOther);  // its end of the next session with the other one
//   vault.Signal(SIGTERM);
//
// A child has three descriptors beside the standard ones: kControl, over which sessions come and
// over which it tells the supervisor something, kLog, the event log, open for appending, and no
// other. It begins with SIGTERM and SIGINT blocked, and dies with the supervisor
// (PR_SET_PDEATHSIG).
//
// PUBLIC. Threads: one; Start forks, so there must be no other. Errors: UNAVAILABLE with what the
// system says; INVALID_ARGUMENT for a user that does not exist.
#ifndef TOPICWALL_SERVER_SUPERVISOR_CHILD_PROCESS_H_
#define TOPICWALL_SERVER_SUPERVISOR_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "server/supervisor/control_line.h"

namespace topicwall::supervisor {

struct Launch {
  std::vector<std::string> command;  // the program's path and its arguments
  std::string user;                  // as whom; empty: as who started the supervisor
  int log;                           // open for appending
  // Of that user, whatever it does; 0: as many as the machine has for all. Without a user of its
  // own there is no such limit: it would be one of others, too.
  int most_threads = 0;
  // Not ours, as mpirun: it has the standard descriptors alone, and all signals.
  bool is_foreign = false;
};

// Where this program lies, and those of its installation beside it. Never by PATH or the current
// folder: where it runs as root, so do those that it starts, until they have taken their users.
// FAILED_PRECONDITION where the system does not tell.
absl::StatusOr<std::filesystem::path> FolderOfThisProgram();

class ChildProcess {
 public:
  static absl::StatusOr<ChildProcess> Start(const Launch& launch);

  pid_t pid() const { return pid_; }
  // Readable when the child has said something.
  int control() const { return control_.get(); }
  // One message; none if there is none or the child has closed it.
  std::optional<std::string> Said() const;
  // Sends it. False if the child is dead or does not listen.
  bool Offer(int socket, With with);
  // How many it was sent.
  int64_t offered() const { return offered_; }
  // It has received them all: one that dies receives none.
  bool HasTakenAll() const;
  // It has closed its end, or will say nothing more: dead or about to be, or none of ours any more.
  bool HasLeft() const;
  void Signal(int signal) const;

 private:
  ChildProcess(pid_t pid, base::FileDescriptor control) : pid_(pid), control_(std::move(control)) {}

  pid_t pid_;
  base::FileDescriptor control_;
  int64_t offered_ = 0;
};

}  // namespace topicwall::supervisor

#endif  // TOPICWALL_SERVER_SUPERVISOR_CHILD_PROCESS_H_
