// `topicwall-admin check-config`: everything that can be wrong before the server starts.
//
// Reads the configuration and, with or without a server running beside it, checks that the
// TLS pair belongs together, that the key opens every corpus file that is there and that the
// ledger verifies, and says which corpora have a budget. Then times the worst case of a
// release of each ingested corpus at its stated nominal size (release_timing.h) and warns
// where release_interval_ms is shorter. What is not there yet (a corpus, a budget) is said
// and is no error: between the steps of a set-up that is how it should be.
//
// Errors, the first one found: as of ReadWallConfig, CheckTlsFiles, CustodianKey::Read,
// CorpusStore::Open, SqliteLedger::OpenReadOnly. Changes nothing.
// Privacy: PUBLIC. Of a corpus only its vocabulary is looked at.
// Cost: some two seconds for each corpus.
#ifndef TOPICWALL_SERVER_ADMIN_COMMAND_CHECK_CONFIG_H_
#define TOPICWALL_SERVER_ADMIN_COMMAND_CHECK_CONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct CheckConfigFlags {
  std::string config;
};

absl::StatusOr<Outcome> CheckConfig(const CheckConfigFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMAND_CHECK_CONFIG_H_
