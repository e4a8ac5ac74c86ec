// The one place where absl::Status becomes grpc::Status and back.
//
// Codes and messages map one to one. A status payload becomes an entry of the
// standard details (proto/status_details.h, in grpc-status-details-bin), so that a client
// in any language finds a PrivacyBudgetExhausted there.
#ifndef TOPICWALL_PROTO_GRPC_STATUS_H_
#define TOPICWALL_PROTO_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace topicwall::proto {

grpc::Status ToGrpcStatus(const absl::Status& status);
// Details that cannot be parsed are dropped; code and message stay. Of the message, which is
// another's text, ends of lines and what a terminal would obey are shown as no character.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_GRPC_STATUS_H_
