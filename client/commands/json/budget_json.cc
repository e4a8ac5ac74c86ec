#include "client/commands/json/budget_json.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "base/hex.h"
#include "client/audit/budget_sum.h"

namespace topicwall::client {
namespace {

base::JsonObject PrincipalJson(const v1::PrincipalBudget& principal) {
  return base::JsonObject()
      .SetString("principal", principal.principal())
      .SetNumber("epsilon_spent", principal.epsilon_spent())
      .SetNumber("epsilon_cap", principal.epsilon_cap());
}

}  // namespace

std::string EnumWord(absl::string_view name, absl::string_view prefix) {
  const bool is_known = absl::ConsumePrefix(&name, prefix) && name != "UNSPECIFIED";
  return is_known ? absl::AsciiStrToLower(name) : "unknown";
}

base::JsonObject BudgetJson(const v1::BudgetStatus& budget, const Takings& takings) {
  std::vector<base::JsonObject> plans;
  for (const PlanTaking& plan : takings.plans) {
    plans.push_back(base::JsonObject()
                        .SetString("plan_id", plan.plan_id)
                        .SetString("principal", plan.principal)
                        .SetString("corpus", plan.corpus)
                        .SetBool("cancelled", plan.is_cancelled)
                        // The whole number; the text of the command tells the one that adds up in
                        // four digits (takings.h).
                        .SetNumber("taken", plan.taken.exact));
  }
  std::vector<base::JsonObject> principals;
  for (const v1::PrincipalBudget& one : budget.principals()) {
    principals.push_back(PrincipalJson(one));
  }
  base::JsonObject object;
  object.SetString("corpus", budget.corpus())
      .SetString("state", StateWord(budget.state()))
      .SetNumber("epsilon_total", budget.epsilon_total())
      .SetNumber("epsilon_spent", budget.epsilon_spent())
      .SetNumber("epsilon_left", budget.epsilon_left())
      .SetNumber("delta", budget.delta())
      .SetObjects("plans", plans)
      .SetNumber("taken_by_others", takings.others.exact)
      .SetInteger("events", budget.events())
      .SetString("chain_head", base::Hex(budget.chain_head()))
      .SetRaw("sum", SumJson(budget.sum()));
  // An analyst is told of itself, an auditor of all: what the wall left out is no member, and no 0.
  if (budget.has_own()) object.SetObject("own", PrincipalJson(budget.own()));
  if (!principals.empty()) object.SetObjects("principals", principals);
  return object;
}

}  // namespace topicwall::client
