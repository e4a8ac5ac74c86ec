// Where the custodian's program reaches a server that runs: a Unix socket without a file.
//
//   TW_ASSIGN_OR_RETURN(const FileDescriptor listener, ListenForCustodian(config));   // the server
//   FileDescriptor connection = AcceptCustodian(listener.get(), config);
//   TW_ASSIGN_OR_RETURN(FileDescriptor socket, ConnectToServer(config));       // topicwall-admin
//
// Its name (unix(7), abstract) follows from data_directory, so it is found by whoever has the same
// configuration on the same machine. Anybody may connect, and anybody may take the name before the
// server does; so each side asks the kernel who the other is, and hangs up unless it is root or the
// user that the documents belong to: processes.vault, or whom the server was started as.
//
// PUBLIC. Threads: any.
#ifndef TOPICWALL_SERVER_CUSTODIAN_SOCKET_H_
#define TOPICWALL_SERVER_CUSTODIAN_SOCKET_H_

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "proto/wall_config.pb.h"

namespace topicwall::server {

// Nonblocking. UNAVAILABLE if another process has the name.
absl::StatusOr<base::FileDescriptor> ListenForCustodian(const v1::WallConfig& config);

// One connection; not valid if none waits or it is not the custodian's. Whoever receives from it
// and is sent nothing for a minute is told so: a program that stands still keeps out no other.
base::FileDescriptor AcceptCustodian(int listener, const v1::WallConfig& config);

// NOT_FOUND if no server listens; PERMISSION_DENIED if whoever does is not it.
absl::StatusOr<base::FileDescriptor> ConnectToServer(const v1::WallConfig& config);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_CUSTODIAN_SOCKET_H_
