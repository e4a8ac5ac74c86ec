// One release asked of a wall in this process, without a connection: from charge to reply.
//
//   TW_ASSIGN_OR_RETURN(InProcessRequest request, InProcessRequest::Make(*wall, plan, question));
//   absl::StatusOr<InProcessRelease> release = request.Run();
//
// For where nothing but the release may happen in a process. Make reserves a plan of alice's; Run
// asks for its first iteration, once. Errors: as the wall answers them.
// Threads: one at a time, beside a clock whose sleepers jump.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_IN_PROCESS_RELEASE_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_IN_PROCESS_RELEASE_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "proto/wall.pb.h"
#include "server/audit/walls/audited_wall.h"
#include "server/audit/walls/wall_probe.h"
#include "server/vault/release_request.h"
#include "server/vault/wall.h"

namespace topicwall::audit {

struct InProcessRelease {
  int64_t waited_ms;  // from charge to instant
  int64_t bytes;      // of statistics
};

class InProcessRequest {
 public:
  // `wall` must outlive this.
  static absl::StatusOr<InProcessRequest> Make(AuditedWall& wall, const v1::ReleaseSpec& plan,
                                               const ReleaseQuestion& question);

  absl::StatusOr<InProcessRelease> Run();

 private:
  InProcessRequest(server::Wall* wall, server::ReleaseRequest request)
      : wall_(wall), request_(std::move(request)) {}

  server::Wall* wall_;
  server::ReleaseRequest request_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_IN_PROCESS_RELEASE_H_
