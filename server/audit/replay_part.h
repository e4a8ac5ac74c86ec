// Part (a), grey box: exact sums of neighbouring corpora over the real code, no statistics.
//
// Runs the pairs known by name (neighbouring_pair.h), then pairs made up at random and, for half
// of the search, variations of the worst one so far (pair_search.h). Unless --pairs is 0 it goes on
// with pairs of the size of real models, by name (production_pairs.h) and made up. Hands the
// clipper what no document makes (clip_probe.h), and looks at where release keys come from
// (fresh_keys.h).
//
// Findings: the length of what one unit adds, in the statistics and in the norm histogram; that it
// depends on that unit alone; that a release computed again is the same; that nothing after the
// sum depends on it in another way; bad entries; squares in 128 bits; fresh keys; and that a unit
// at the clip norm arrives at its full length. All exact: no false alarms.
#ifndef TOPICWALL_SERVER_AUDIT_REPLAY_PART_H_
#define TOPICWALL_SERVER_AUDIT_REPLAY_PART_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/audit_options.h"
#include "server/audit/audit_seed.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

absl::StatusOr<std::vector<Finding>> AuditReplay(const AuditOptions& options, const AuditSeed& seed,
                                                 ScratchFolder& folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_REPLAY_PART_H_
