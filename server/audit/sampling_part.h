// Part (c): who takes part in a release, seen from outside.
//
// A wall of 512 units, each of one word that nobody else has, releases with σ = 1/16: an entry says
// beyond doubt (8 standard deviations) whether its unit was drawn. Over many releases at rate ν,
// and over some of a wall of K = 100 and V = 50,000 with as many units (production_world.h):
//   - units drawn altogether, and those of every single unit, are binomial with rate ν;
//   - the numbers of units drawn by each release scatter as a binomial's do: batches of a fixed
//     size do not scatter, coins shared by units scatter more;
//   - neighbouring units, and a unit in two releases, are drawn independently;
//   - the norm histogram counts the very units that the statistics hold: one set of coins;
//   - a release without anybody is answered like any other: as many messages, of the same sizes;
//   - words of a document that is too long, and documents of an owner who has too many, are chosen
//     afresh and evenly each time;
//   - the coin's threshold is at most ν·2^64, exactly, for rates of every size.
#ifndef TOPICWALL_SERVER_AUDIT_SAMPLING_PART_H_
#define TOPICWALL_SERVER_AUDIT_SAMPLING_PART_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/audit_options.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

// `x`: each statistical check fails by chance with probability at most e^-x on each side.
absl::StatusOr<std::vector<Finding>> AuditSampling(const AuditOptions& options, double x,
                                                   ScratchFolder* folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_SAMPLING_PART_H_
