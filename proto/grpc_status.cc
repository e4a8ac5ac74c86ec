#include "proto/grpc_status.h"

#include "base/table.h"
#include "proto/status_details.h"

namespace topicwall::proto {

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const v1::StatusDetails details = ToStatusDetails(status);
  return grpc::Status(static_cast<grpc::StatusCode>(details.code()), details.message(),
                      details.details().empty() ? "" : details.SerializeAsString());
}

absl::Status FromGrpcStatus(const grpc::Status& status) {
  v1::StatusDetails details;
  if (!details.ParseFromString(status.error_details())) details.Clear();
  // Code and message are those of the call, not those within the details: a proxy may have replaced
  // the former, and then they are the truth about this call.
  details.set_code(status.error_code());
  details.set_message(base::WithoutControls(status.error_message()));
  return FromStatusDetails(details);
}

}  // namespace topicwall::proto
