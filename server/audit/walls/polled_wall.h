// What another principal measures of a wall, by a real clock, while an analyst's release is made.
//
//   PolledWall polled(&wall, "thin", bobs_plan);
//   TW_ASSIGN_OR_RETURN(const PolledRelease seen, polled.During([&] { return RunTheEStep(); }));
//
// While the act runs, every call of the service is made over and over on bob's and ann's
// connections, which the act does not use. Of each call two numbers are kept: how long the slowest
// took, and when that was. What has to wait for a lock that a release takes when it is ready shows
// in both.
//
// PUBLIC: measured from outside. Threads: one at a time; the act runs in a thread of its own.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_POLLED_WALL_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_POLLED_WALL_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/wall.pb.h"
#include "server/audit/walls/audited_wall.h"

namespace topicwall::audit {

struct PolledCall {
  double slowest_ms = 0;
  double when_ms = 0;  // it was asked, since the act began
};

struct PolledRelease {
  double took_ms;                 // the act
  std::vector<PolledCall> calls;  // as CallNames
};

class PolledWall {
 public:
  // `plan`: one of bob's whose first iteration is released, over `corpus`.
  PolledWall(AuditedWall* wall, std::string corpus, v1::PlanState plan);

  std::vector<std::string> CallNames() const;

  // Reservations stay open: at most a thousand can be made (AuditedWall). Errors: of the act, else
  // of a call.
  absl::StatusOr<PolledRelease> During(absl::FunctionRef<absl::Status()> act) const;

 private:
  struct Call {
    std::string name;
    std::function<absl::Status()> make;
    double pause_ms = 0;  // from one to the next
  };

  std::vector<Call> calls_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_POLLED_WALL_H_
