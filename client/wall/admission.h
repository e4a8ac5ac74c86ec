// Whether a wall lets the holder of some credentials in, and if not, what is in the way.
//
// Asks the wall's health. Whoever is not on the custodian's list is hung up on like somebody whose
// certificate is over. Errors, each with what to do:
//   UNAVAILABLE          nobody answers there, or not in time: the network, or the server is down
//   FAILED_PRECONDITION  certificates: the wall's is not of the CA, the caller's was not accepted
//                        or names nobody on the list, or the caller's key cannot be used with it
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
// "certificate", or "list" for what the custodian does not admit them to.
absl::Status NotAdmitted(absl::string_view reason, absl::Status status);

// What an error of the connection means, by its text.
absl::Status ExplainNoConnection(const std::string& server, absl::string_view message);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_ADMISSION_H_
