// `topicwall-admin audit`: attacks the wall as it is built, before anybody's documents are in it.
//
// Runs server/audit/run_audit.h on corpora, keys and budgets that it makes up in a folder of its
// own; it takes no configuration, and neither reads nor touches a data directory. Prints the seed
// of what it chose, which --seed takes to choose the same again, and a table: part, verdict, claim,
// what was tried, what was measured, the bound, and the smallest violation that this run would have
// seen.
//
// A finding that does not hold makes the outcome bad news, so the exit code 1.
// Errors: INVALID_ARGUMENT for flags out of range; UNAVAILABLE if the folder cannot be made.
//
// Privacy: PUBLIC. Cost: run_audit.h.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_AUDIT_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_AUDIT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct AuditFlags {
  std::vector<std::string> parts = {};  // names; none = all
  bool long_run = false;
  std::optional<int> releases = std::nullopt;  // otherwise as RunAudit, or as long_run, has it
  std::optional<int> pairs = std::nullopt;
  std::optional<double> false_alarm = std::nullopt;
  std::string seed = {};  // 32 hexadecimal digits; none = a fresh one
  std::string scratch = {};
};

// The names that `parts` may have.
std::vector<std::string> AuditParts();

// `progress` may be null.
absl::StatusOr<Outcome> Audit(const AuditFlags& flags,
                              const std::function<void(absl::string_view)>& progress);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_AUDIT_H_
