// For plans whose analyst does not do it: somebody who has left holds budget that others could use,
// until the reservation expires, and for ever once an iteration was charged.
#include "server/admin/commands/command_cancel_plan.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"

namespace topicwall::admin {
namespace {

constexpr size_t kIdBytes = 16;

// Of a slip the ledger would only say that there is no such plan.
absl::Status RequireId(const std::string& plan) {
  if (base::BytesOfHex(plan, kIdBytes).has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--plan must be ", 2 * kIdBytes,
                                                 " hexadecimal digits; got \"", plan,
                                                 "\". topicwall-admin status lists the plans."));
}

}  // namespace

absl::StatusOr<Outcome> CancelPlan(const CancelPlanFlags& flags) {
  TW_RETURN_IF_ERROR(RequireId(flags.plan));
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  v1::CustodianAct act;
  act.set_cancelled_plan_id(flags.plan);
  TW_ASSIGN_OR_RETURN(const v1::CustodianAnswer answer, Perform(custody, act));
  const v1::PlanState& plan = answer.plan();
  Outcome outcome;
  outcome.text = absl::StrCat("Plan ", plan.plan_id(), " of ", plan.principal(), " is cancelled; ",
                              plan.iterations_size(), " of its ", plan.plan().iterations(),
                              " iterations were charged and stay readable.\n");
  outcome.json.SetString("plan_id", plan.plan_id())
      .SetString("principal", plan.principal())
      .SetString("corpus", plan.plan().corpus())
      .SetInteger("charged", plan.iterations_size())
      .SetInteger("iterations", plan.plan().iterations());
  return outcome;
}

}  // namespace topicwall::admin
