// `topicwall-admin cancel-plan`: ends a plan, whoever its analyst is.
//
// Takes the server's lock, or lets the server that runs do it. INVALID_ARGUMENT for what is no id;
// NOT_FOUND for an unknown plan; FAILED_PRECONDITION if another command holds the lock or the
// ledger is frozen. Cancelling twice changes nothing. PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_CANCEL_PLAN_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_CANCEL_PLAN_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct CancelPlanFlags {
  std::string config;
  std::string plan;  // 32 hexadecimal digits
};

absl::StatusOr<Outcome> CancelPlan(const CancelPlanFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_CANCEL_PLAN_H_
