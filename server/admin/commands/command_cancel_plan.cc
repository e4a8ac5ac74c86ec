#include "server/admin/commands/command_cancel_plan.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"
#include "server/release/clock.h"

namespace topicwall::admin {

absl::StatusOr<Outcome> CancelPlan(const CancelPlanFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      OpenLedgerToWrite(custody, std::move(lock)));
  TW_ASSIGN_OR_RETURN(const v1::PlanState plan,
                      ledger->CancelAnyPlan(flags.plan, release::SystemClock().NowMs()));
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
