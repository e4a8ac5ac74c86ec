// What a child of the supervisor inherits: the line to it, and the log.
//
//   while ((session = NextSession()).socket.valid()) client.Attach(std::move(session.socket));
//   TellSupervisor(kServing);  // the gate: "serving 127.0.0.1:8443"
//
// Sessions come as descriptors from the supervisor alone; over a session itself no descriptor is
// ever received. PUBLIC. Threads: NextSession: one; the others: any.
#ifndef TOPICWALL_SERVER_SUPERVISOR_CONTROL_LINE_H_
#define TOPICWALL_SERVER_SUPERVISOR_CONTROL_LINE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"

namespace topicwall::supervisor {

inline constexpr int kControl = 3;
inline constexpr int kLog = 4;
inline constexpr size_t kLongestMessage = 256;

// What a child says: that it serves, the gate with a blank and where it listens; and gate and store
// that they have lost a session, with a blank and its number. It is replaced if it was the last
// that they were offered: of a word that is late another one is on its way.
inline constexpr char kServing[] = "serving";
inline constexpr char kLostSession[] = "lost-session";

// Whether this process was started by a supervisor.
bool HasSupervisor();

enum class With : char {
  kOther = 'o',      // the gate for the vault, the vault for the gate
  kCustodian = 'c',  // a connection of the custodian's own, for the vault
  kStore = 's',      // the store for the vault; the store has it as kOther
  kJob = 'j',        // rank 0 of the job that sums for the vault
};

struct Session {
  base::FileDescriptor socket;
  With with;
  int64_t number = 0;  // of those that this process was offered, from 1
};

// Blocks. Not valid once the supervisor is gone or NoMoreSessions was called, from any thread.
Session NextSession();
void NoMoreSessions();

// Returns at SIGTERM or SIGINT, which are blocked since this process began (child_process.h): true.
// False if none of them came for so long.
bool AwaitStop(absl::Duration at_most = absl::InfiniteDuration());

// Longer messages are cut.
void TellSupervisor(absl::string_view message);
// The word for a session of this process that is over.
void TellLost(int64_t session);

// Sends a duplicate of `socket` as one message. False if nobody takes it.
bool OfferSession(int control, int socket, With with);

}  // namespace topicwall::supervisor

#endif  // TOPICWALL_SERVER_SUPERVISOR_CONTROL_LINE_H_
