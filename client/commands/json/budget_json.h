// A budget and what each plan took of it, as JSON. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_JSON_BUDGET_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_JSON_BUDGET_JSON_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/json.h"
#include "client/audit/takings.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// "no_budget" of CORPUS_STATE_NO_BUDGET; "unknown" of what this program does not know, as a newer
// wall may say it. `name`: by protobuf's NAME_Name, "" of such a one.
std::string EnumWord(absl::string_view name, absl::string_view prefix);
inline std::string StateWord(v1::CorpusState state) {
  return EnumWord(v1::CorpusState_Name(state), "CORPUS_STATE_");
}

// {"corpus":…,"state":…,"epsilon_total":…,"epsilon_spent":…,"epsilon_left":…,"delta":…,"plans":[{"plan_id":…,
// "principal":…,"corpus":…,"cancelled":…,"taken":…},…],"taken_by_others":…,"events":…,…}
base::JsonObject BudgetJson(const v1::BudgetStatus& budget, const Takings& takings);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_JSON_BUDGET_JSON_H_
