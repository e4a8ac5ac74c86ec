// `topicwall-admin statement`: the signed privacy statement of a corpus, for people and programs.
//
// Says what is promised and on what it rests: unit and adjacency, mechanism, (ε, δ) of the whole
// budget, policy and odometer, what an attacker can reach, the sum with all budgets that may
// concern the same people, restores, the worst timing of the budget's life, arithmetic and the
// computational assumption, what is not protected, version and build, and the place in the ledger's
// chain it was made at. Format: proto/signed_statement.h; `topicwall statement
// --verify` checks it anywhere.
//
// Only what has a proof, or is a fact of configuration or ledger, is in it: no ε of what was
// spent so far by the meter or by other accountants, and no time at which anything was computed.
// Two statements at the same head and configuration have the same bytes.
//
// Reads only, also beside a running server, but needs the custodian's key to sign. NOT_FOUND for a
// corpus without a budget; FAILED_PRECONDITION if the budget names another signing key.
// PUBLIC: a function of configuration and ledger. Cost: some 30 compositions for an inventory.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_STATEMENT_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_STATEMENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct StatementFlags {
  std::string config;
  std::string corpus;  // a name, or the 32 digits of a version
  std::string out;     // a new file; empty: standard output
};

absl::StatusOr<Outcome> MakeStatement(const StatementFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_STATEMENT_H_
