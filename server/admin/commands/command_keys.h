// `topicwall-admin keys`: draws the custodian's key and writes it to a new file, mode 0600.
//
// Never writes over anything: ALREADY_EXISTS. Other errors as CustodianKey::WriteNew; then
// no file is left. The outcome holds the key's public id and no secret.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_KEYS_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_KEYS_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct KeysFlags {
  std::string output;
};

absl::StatusOr<Outcome> MakeKeys(const KeysFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_KEYS_H_
