#include "proto/budget_refusal.h"

#include <string>

#include "absl/strings/cord.h"

namespace topicwall::proto {
namespace {

// As google.protobuf.Any names it: a client in any language unpacks it with its own library.
constexpr char kTypeUrl[] = "type.googleapis.com/topicwall.v1.PrivacyBudgetExhausted";

}  // namespace

absl::Status BudgetRefusal(absl::string_view message, const v1::PrivacyBudgetExhausted& detail) {
  absl::Status status = absl::FailedPreconditionError(message);
  status.SetPayload(kTypeUrl, absl::Cord(detail.SerializeAsString()));
  return status;
}

std::optional<v1::PrivacyBudgetExhausted> BudgetExhaustedOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kTypeUrl);
  v1::PrivacyBudgetExhausted detail;
  if (!payload.has_value() || !detail.ParseFromString(std::string(*payload))) return std::nullopt;
  return detail;
}

}  // namespace topicwall::proto
