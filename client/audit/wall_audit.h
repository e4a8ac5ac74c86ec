// The ledger of a corpus, read from a wall that is asked now, and what the wall says held against
// it: as an audit (budget_auditor.h), and before anything is bought.
//
//   TW_ASSIGN_OR_RETURN(const WallAudit found, AuditWall(wall, "notes"));
//   found.audit.findings      // empty: all of it fits
//
//   TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, OpenBudget(wall, "notes"));
//   TW_ASSIGN_OR_RETURN(const Account account, AccountOf(wall, description, budget));
//
// Whatever is bought is chosen and quoted by an Account, and so by the policy that the budget's
// chain was opened with, never by one that a wall only says. Beside what AuditLedger finds:
// DescribeCorpus, which is what most analysts ever read, must tell what the chain tells.
//
// Errors: the wall's; DATA_LOSS for a chain that does not verify; FAILED_PRECONDITION
// (proto::IsWrittenByNewer) for what this program does not know. PUBLIC. Cost: the whole chain is
// read.
#ifndef TOPICWALL_CLIENT_AUDIT_WALL_AUDIT_H_
#define TOPICWALL_CLIENT_AUDIT_WALL_AUDIT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/audit/budget_auditor.h"
#include "client/audit/spend.h"
#include "client/wall/wall_port.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct WallAudit {
  v1::BudgetStatus budget;
  std::vector<v1::LedgerEntry> entries;  // of the whole chain, perhaps more than `budget` knows
  LedgerAudit audit;
};

absl::StatusOr<WallAudit> AuditWall(WallPort& wall, const std::string& corpus);

// FAILED_PRECONDITION (proto::IsWrittenByNewer) for a privacy unit or a state that this program
// does not know: nothing is bought then. AccountOf asks it first.
absl::Status CheckKnown(const v1::CorpusDescription& description);

// The budget of a corpus, which states a policy; FAILED_PRECONDITION if none is open.
absl::StatusOr<v1::BudgetStatus> OpenBudget(WallPort& wall, const std::string& corpus);

// What is spent of it. `description`: of the corpus, asked for before the budget. DATA_LOSS, saying
// what differs, unless both tell the policy, the unit and the sum over budgets that the chain
// tells, and the budget no less spent than its events add up to (DifferencesOf). What others spent
// whose events come as commitments is the wall's word.
absl::StatusOr<Account> AccountOf(WallPort& wall, const v1::CorpusDescription& description,
                                  const v1::BudgetStatus& budget);

// The budget, held against the chain: errors of both of the above.
absl::StatusOr<v1::BudgetStatus> HeldBudget(WallPort& wall, const std::string& corpus,
                                            const v1::CorpusDescription& description);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_WALL_AUDIT_H_
