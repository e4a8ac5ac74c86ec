// Whether a wall lets the holder of some credentials in, and if not, what is in the way.
//
// Asks the wall's health, which is told to whoever is on the custodian's list, analyst or auditor,
// and to nobody else. Errors, each with what to do:
//   UNAVAILABLE          nobody answers there, or not in time: the network, or the server is down
//   FAILED_PRECONDITION  certificates: the wall's is not of the CA, the caller's was not accepted,
//                        or the caller's key cannot be used with it
//   PERMISSION_DENIED, UNAUTHENTICATED   the certificates hold, but the custodian does not admit
//                        whom they name
// TLS says little of why it fails, so what is told is as much as can be known. PUBLIC. One try.
#ifndef TOPICWALL_CLIENT_WALL_ADMISSION_H_
#define TOPICWALL_CLIENT_WALL_ADMISSION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/wall/profile.h"

namespace topicwall::client {

absl::Status CheckAdmission(const std::string& server, const Credentials& credentials);

// `status` of a wall that does not let its caller in, with why (client/exit_code.h): "ca", "key",
// "certificate", or "list" for whom, or for what, the custodian does not.
absl::Status NotAdmitted(absl::string_view reason, absl::Status status);

// What an error of the connection means, by its text.
absl::Status ExplainNoConnection(const std::string& server, absl::string_view message);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_ADMISSION_H_
