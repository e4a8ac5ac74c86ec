#include "proto/status_details.h"

#include <string>

#include "absl/strings/cord.h"

namespace topicwall::proto {

v1::StatusDetails ToStatusDetails(const absl::Status& status) {
  v1::StatusDetails details;
  // raw_code: code() would turn a number that this version of Abseil does not know into UNKNOWN.
  details.set_code(status.raw_code());
  details.set_message(std::string(status.message()));
  status.ForEachPayload([&](absl::string_view type_url, const absl::Cord& payload) {
    google::protobuf::Any* any = details.add_details();
    any->set_type_url(std::string(type_url));
    any->set_value(std::string(payload));
  });
  return details;
}

absl::Status FromStatusDetails(const v1::StatusDetails& details) {
  const int code = details.code();
  const bool known = code >= 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  absl::Status status(known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      details.message());
  if (status.ok()) return status;
  for (const google::protobuf::Any& any : details.details()) {
    status.SetPayload(any.type_url(), absl::Cord(any.value()));
  }
  return status;
}

}  // namespace topicwall::proto
