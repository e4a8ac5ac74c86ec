// The one place where absl::Status becomes grpc::Status and back.
//
// Codes and messages map one to one. A status payload becomes an entry of the
// standard details (google.rpc.Status in grpc-status-details-bin), so that a client
// in any language finds a PrivacyBudgetExhausted there.
#ifndef TOPICWALL_PROTO_GRPC_STATUS_H_
#define TOPICWALL_PROTO_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <optional>

#include "absl/status/status.h"
#include "proto/topicwall.pb.h"

namespace topicwall::proto {

// Type URL under which a refusal travels, as payload and in the details.
inline constexpr char kBudgetExhaustedTypeUrl[] =
    "type.googleapis.com/topicwall.v1.PrivacyBudgetExhausted";

grpc::Status ToGrpcStatus(const absl::Status& status);
// Details that cannot be parsed are dropped; code and message stay.
absl::Status FromGrpcStatus(const grpc::Status& status);

// The refusal a status carries, if it carries a well-formed one.
std::optional<v1::PrivacyBudgetExhausted> BudgetExhaustedOf(const absl::Status& status);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_GRPC_STATUS_H_
