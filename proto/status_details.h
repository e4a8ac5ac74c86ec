// The one place where absl::Status becomes a message (v1::StatusDetails, which has the form of
// google.rpc.Status) and back, its payloads with it.
//
// PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_PROTO_STATUS_DETAILS_H_
#define TOPICWALL_PROTO_STATUS_DETAILS_H_

#include "absl/status/status.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

v1::StatusDetails ToStatusDetails(const absl::Status& status);
// A code that is none becomes UNKNOWN. Of OK, nothing but the code is kept.
absl::Status FromStatusDetails(const v1::StatusDetails& details);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_STATUS_DETAILS_H_
