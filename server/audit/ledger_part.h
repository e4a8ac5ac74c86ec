// Part (d): what was paid, counted again, and what was refused.
//
// Two analysts use up a small budget over gRPC: plans with and without a norm histogram, sampled
// and full batches, a cancel while a release waits for its instant, a request with other content,
// plans that do not fit, an analyst at a cap. Every sum is then counted again from the chain's
// events alone (ledger_recount.h). Findings:
//   - the ledger's price is at least Rényi's at every order, and σ_eff^-2 for a Gaussian witness,
//     histogram included;
//   - the ε it states is at least what its own recorded rule makes of the events, and at least
//     the exact one of the same list; the rule's weights come to 1 at most;
//   - a release is charged before it can be read, and a cancel gives back only what was not;
//   - a refused plan, and a second content for a paid iteration, leave the ledger as it was;
//   - the cap of an analyst and the budget of all hold by the recount, and everything beyond is
//     refused, for good; nothing is refused that fits;
//   - as many charges as releases that came.
// All exact up to 1e-9: no false alarms.
#ifndef TOPICWALL_SERVER_AUDIT_LEDGER_PART_H_
#define TOPICWALL_SERVER_AUDIT_LEDGER_PART_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

absl::StatusOr<std::vector<Finding>> AuditLedger(ScratchFolder* folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_LEDGER_PART_H_
