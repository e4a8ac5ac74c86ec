// The act that computes a release, from its header to the last chunk of what is released.
//
// Receives the parameters, into memory that is bounded for each principal and for all; enters the
// queue when they are there, so that a slow sender keeps nobody waiting; and hands over to
// private_e_step.h. Errors: those of the request, of the queue (UNAVAILABLE, nothing is charged),
// and of RunPrivateEStep.
//
// Threads: the act's own.
#ifndef TOPICWALL_SERVER_VAULT_RELEASE_ACT_H_
#define TOPICWALL_SERVER_VAULT_RELEASE_ACT_H_

#include "absl/status/status.h"
#include "proto/wall.pb.h"
#include "server/access/authorizer.h"
#include "server/acts/act_handler.h"
#include "server/vault/wall.h"

namespace topicwall::server {

absl::Status AnswerRelease(Wall& wall, const Caller& caller, const v1::RunReleaseHeader& header,
                           acts::ActStream& stream);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_RELEASE_ACT_H_
