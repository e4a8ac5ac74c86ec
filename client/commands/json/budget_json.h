// A budget and what each plan took of it, as JSON. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_JSON_BUDGET_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_JSON_BUDGET_JSON_H_

#include "base/json.h"
#include "client/audit/takings.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// "open", "no_budget", "paused", "frozen", or "unknown" of a newer wall's.
const char* StateWord(v1::CorpusState state);

// {"corpus":…,"state":…,"epsilon_total":…,"epsilon_spent":…,"epsilon_left":…,"delta":…,"plans":[{"plan_id":…,
// "principal":…,"corpus":…,"cancelled":…,"taken":…},…],"taken_by_others":…,"events":…,…}
base::JsonObject BudgetJson(const v1::BudgetStatus& budget, const Takings& takings);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_JSON_BUDGET_JSON_H_
