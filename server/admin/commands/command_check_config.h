// `topicwall-admin check-config`: everything that can be wrong before the server starts.
//
// Goes through the very list that the server goes through when it starts
// (server/vault/start_checks.h), with or without a server running beside it: the data directory is
// there, the TLS pair belongs together, the ledger verifies and is this key's, gate and vault are
// held apart as far as the configuration says so (separation.h), and every corpus unseals to its
// last byte. Then times the worst case of a release of each corpus at its stated
// nominal size (release_timing.h) and storing one (store_timing.h), and warns where the
// configuration leaves less (timing_checks.h). Where a job sums (executor), it is started for that,
// unless a server runs; one that is not ready in time is ended.
//
// Errors, the first one found, are what the server does not start with: as of ReadWallConfig,
// CheckDataDirectory, CheckTlsFiles, CustodianKey::Read, FoldedLedger::OpenReadOnly,
// CheckSeparation, and of OpenToServe if corpora are there and none can be served. What is not
// there yet (a ledger, a corpus, a budget) and a corpus that is damaged beside others are warnings:
// between the steps of a set-up that is how it should be. With `strict` warnings are bad news: exit
// code 1. Changes nothing.
// Privacy: PUBLIC. Of a corpus only its vocabulary is looked at, and whether it can be unsealed.
// Cost: some eight seconds for each corpus, and reads all of it.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_CHECK_CONFIG_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_CHECK_CONFIG_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct CheckConfigFlags {
  std::string config;
  bool strict = false;
  std::function<void(absl::string_view line)> progress = {};  // what is being done; may be empty
  // As long as a release waits for another job after a death.
  absl::Duration job_start = absl::Minutes(10);
};

absl::StatusOr<Outcome> CheckConfig(const CheckConfigFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_CHECK_CONFIG_H_
