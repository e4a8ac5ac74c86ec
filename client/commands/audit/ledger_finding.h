// What `topicwall watch` found of one ledger, as it tells it.
//
//   terminal.Print(LineOf(finding));
//   return SummaryOf(findings);        // what the exit code says of them all
//
// PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_CLIENT_COMMANDS_AUDIT_LEDGER_FINDING_H_
#define TOPICWALL_CLIENT_COMMANDS_AUDIT_LEDGER_FINDING_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/json.h"
#include "client/audit/chain_watch.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct LedgerFinding {
  std::string corpus;
  absl::Status status;
  ChainSight sight;  // if OK
  bool accepted = false;
  std::optional<v1::NotedHead> noted = {};  // of a ledger that is not shown any more
};

// To whoever asked, who is let in: no other try shows it.
bool IsNotShown(const absl::Status& error);
// Accepted where nothing is shown: what was noted is forgotten, and nothing noted instead.
bool IsForgotten(const LedgerFinding& finding);

std::string LineOf(const LedgerFinding& finding);
base::JsonObject ObjectOf(const LedgerFinding& finding);

// OK if all go on or were accepted. DATA_LOSS, FAILED_PRECONDITION or UNAVAILABLE.
absl::Status SummaryOf(absl::Span<const LedgerFinding> findings);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_AUDIT_LEDGER_FINDING_H_
