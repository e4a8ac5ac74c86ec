// What the configuration says of the server's processes: as whom they run, and what they read.
//
// The gate (network, TLS) and the vault (documents, keys, ledger) are two programs that
// topicwall-server starts. Either is confined by the kernel (server/sandbox/sandbox.h); the rights
// of files hold them apart only if they are two users.
//
// PUBLIC. Threads: any, but for CheckUsers, which asks the system's list of users.
#ifndef TOPICWALL_SERVER_PROCESSES_H_
#define TOPICWALL_SERVER_PROCESSES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "proto/wall_config.pb.h"

namespace topicwall::server {

// INVALID_ARGUMENT for a user without the others or two of the same name, and for files of TLS in a
// folder that holds the key or the data as well, be it by a link: the gate may read all of that
// folder, since certificates are replaced while it runs. Likewise for the files of the store; and
// for an event_log that is the key, a file of these, or one of the data directory's. Paths must be
// absolute.
absl::Status CheckProcesses(const v1::WallConfig& config);

// Whether gate and vault are two users. A server that was told so and for which CheckUsers is not
// good does not start.
bool AreSeparated(const v1::WallConfig& config);

// Whether a process that cannot be confined does not run.
bool RequiresSandbox(const v1::WallConfig& config);

// AreSeparated in one sentence; whether each is confined wherever the kernel can.
std::string SeparationSentence(bool separated, bool sandbox_required);

// If two users are given: FAILED_PRECONDITION with what to do unless both exist, neither is root or
// the other, the gate's can read the files of tls, the vault's can use data_directory and key_file,
// and the gate's has no right to either nor to a folder on the way. By owners and modes alone:
// access control lists are not looked at. What this process may not look at is refused if it is
// the vault's, and otherwise left to the process whose it is.
absl::Status CheckUsers(const v1::WallConfig& config);

// How the topicwall-store that lies at `program` is started for config.ledger.
std::vector<std::string> CommandOfTheStore(const std::string& program,
                                           const v1::WallConfig& config);

// What the gate reads while it runs, and nothing else: folders of its files of TLS; names of hosts,
// and what libraries look up, where the machine has them.
std::vector<std::string> ReadableByTheGate(const v1::WallConfig& config);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_PROCESSES_H_
