// The ledger of a corpus, read from a wall that is asked now, and recounted (budget_auditor.h).
//
//   TW_ASSIGN_OR_RETURN(const WallAudit found, AuditWall(wall, "notes"));
//   found.audit.findings      // empty: all of it fits
//
// Beside what AuditLedger finds: DescribeCorpus, which is what most analysts ever read, must tell
// the same sum over budgets as GetBudget. Errors: the wall's; DATA_LOSS for a chain that does not
// verify. PUBLIC. Cost: the whole chain is read.
#ifndef TOPICWALL_CLIENT_AUDIT_WALL_AUDIT_H_
#define TOPICWALL_CLIENT_AUDIT_WALL_AUDIT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/audit/budget_auditor.h"
#include "client/wall/wall_port.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct WallAudit {
  v1::BudgetStatus budget;
  std::vector<v1::LedgerEntry> entries;  // of the whole chain, perhaps more than `budget` knows
  LedgerAudit audit;
};

absl::StatusOr<WallAudit> AuditWall(WallPort& wall, const std::string& corpus);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_WALL_AUDIT_H_
