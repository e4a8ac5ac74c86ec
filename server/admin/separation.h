// Whether gate and vault are held apart on this machine: by two users, and by the kernel.
//
// Writes to `outcome` "separated" or "not separated" with the reason and what to do, what the
// kernel offers to confine them (server/sandbox/sandbox.h), whether keys are locked into memory
// (server/random/secret_key.h), and how much may be.
// Errors are what the server does not start with: as of CheckUsers (server/processes.h), and
// FAILED_PRECONDITION if the configuration requires of the kernel what it does not have.
//
// PUBLIC. Threads: one. Changes nothing.
#ifndef TOPICWALL_SERVER_ADMIN_SEPARATION_H_
#define TOPICWALL_SERVER_ADMIN_SEPARATION_H_

#include "absl/status/status.h"
#include "proto/wall_config.pb.h"
#include "server/admin/outcome.h"
#include "server/sandbox/sandbox.h"

namespace topicwall::admin {

absl::Status CheckSeparation(const v1::WallConfig& config, const sandbox::Confinement& kernel,
                             Outcome* outcome);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_SEPARATION_H_
