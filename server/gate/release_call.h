// One call of RunRelease, from its header to the last chunk of the release.
//
// Receives the parameters, into memory that is bounded for each principal and for all; enters the
// queue when they are there, so that a slow sender keeps nobody waiting; and hands over to
// private_e_step.h. Errors: those of the request, of the queue (UNAVAILABLE, nothing is charged),
// and of RunPrivateEStep.
//
// Threads: the call's own.
#ifndef TOPICWALL_SERVER_GATE_RELEASE_CALL_H_
#define TOPICWALL_SERVER_GATE_RELEASE_CALL_H_

#include "absl/status/status.h"
#include "proto/wall.grpc.pb.h"
#include "server/access/authorizer.h"
#include "server/vault/wall.h"

namespace topicwall::server {

using RunReleaseStream = grpc::ServerReaderWriter<v1::ReleaseChunk, v1::RunReleaseRequest>;

absl::Status ServeRelease(Wall& wall, const Caller& caller, grpc::ServerContext* context,
                          RunReleaseStream* stream);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_RELEASE_CALL_H_
