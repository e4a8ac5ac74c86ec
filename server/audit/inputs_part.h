// Part: what a privacy unit is begins where documents are read. Neighbouring *inputs* through the
// ingestion itself, with ids that collide, ids given twice, bad lines and huge units.
//
// Runs the pairs known by name (input_pair.h), under every rule for lines of one name, and as many
// made up as a third of --pairs, from the files to the exact integer sums (input_replay.h).
//
// Findings: one unit's lines move the sum by at most M; they add what they add alone, so that
// nobody else's document comes, goes or changes with them; the order of lines changes nothing. An
// input that ingestion refuses gives no corpus, and breaks nothing. All exact: no false alarms.
#ifndef TOPICWALL_SERVER_AUDIT_INPUTS_PART_H_
#define TOPICWALL_SERVER_AUDIT_INPUTS_PART_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/audit_options.h"
#include "server/audit/audit_seed.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

absl::StatusOr<std::vector<Finding>> AuditInputs(const AuditOptions& options, const AuditSeed& seed,
                                                 ScratchFolder* folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_INPUTS_PART_H_
