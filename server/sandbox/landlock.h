// Files by Landlock (landlock(7)): what is not beneath a path that was named cannot be opened,
// made, renamed or removed, whoever the process runs as. And, from its version 6 (Linux 6.12) on,
// no socket is reached by an abstract name (unix(7)) that a process outside gave it.
//
// Landlock looks at no modes, owners, times or extended attributes, and not at sockets that have a
// path: those are seccomp's.
#ifndef TOPICWALL_SERVER_SANDBOX_LANDLOCK_H_
#define TOPICWALL_SERVER_SANDBOX_LANDLOCK_H_

#include "absl/status/status.h"
#include "server/sandbox/sandbox.h"

namespace topicwall::sandbox {

// The version of the kernel's Landlock; 0: it has none, or it is switched off.
int LandlockAbi();

// Holds this thread, and those it starts, to `paths`. Needs LandlockAbi() > 0 and no_new_privs.
// INVALID_ARGUMENT naming a path that cannot be opened; INTERNAL if the kernel refuses.
absl::Status RestrictByLandlock(const Paths& paths);

}  // namespace topicwall::sandbox

#endif  // TOPICWALL_SERVER_SANDBOX_LANDLOCK_H_
