// A refusal for lack of budget, as a status that carries its numbers.
//
//   return BudgetRefusal("the plan does not fit in the budget.", detail);
//   if (auto detail = BudgetExhaustedOf(status)) { … detail->epsilon_left() … }
//
// FAILED_PRECONDITION with a serialized PrivacyBudgetExhausted as payload; grpc_status.h
// carries payloads over the wire. Not RESOURCE_EXHAUSTED, which gRPC's own limits use
// and proxies retry. PUBLIC: depends on public parameters only.
#ifndef TOPICWALL_PROTO_BUDGET_REFUSAL_H_
#define TOPICWALL_PROTO_BUDGET_REFUSAL_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

absl::Status BudgetRefusal(absl::string_view message, const v1::PrivacyBudgetExhausted& detail);

// The numbers of a refusal; none for any other status or a damaged payload.
std::optional<v1::PrivacyBudgetExhausted> BudgetExhaustedOf(const absl::Status& status);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_BUDGET_REFUSAL_H_
