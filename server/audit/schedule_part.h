// Part (e): when a release is readable, and what two corpora show of themselves besides.
//
// Two walls with the same configuration serve corpora of which one has twice the documents and ten
// times the tokens; time is simulated, and the larger one's work is made to take ten times as long.
// Asked of both:
//   - before its instant a release is readable by no path: not on the stream that computes it, not
//     by GetRelease, not in the plan's state, not in the chain that an auditor reads;
//   - it becomes readable exactly at t0 + T, for one corpus as for the other; work longer than T
//     ends at t0 + 2T and is counted as an overrun, and nothing lies between;
//   - the schedule gives the same instant for every duration up to T;
//   - descriptions, sizes of messages and the custodian's log are equal but for what is random;
//   - the same documents ingested twice have different versions: a version says nothing of them.
// Compared are the instants that the wall states, not measured times: no false alarms.
#ifndef TOPICWALL_SERVER_AUDIT_SCHEDULE_PART_H_
#define TOPICWALL_SERVER_AUDIT_SCHEDULE_PART_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

absl::StatusOr<std::vector<Finding>> AuditSchedule(ScratchFolder* folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_SCHEDULE_PART_H_
