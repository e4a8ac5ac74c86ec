// What the sums of draws say: that units take part by independent coins of the paid rate.
//
//   std::vector<Finding> findings = DrawFindings(sums, x);
//
// Altogether, for every unit, in the scatter of batch sizes, between units and between releases.
// `x`: each check fails by chance with probability at most e^-x on each side. Fewer units drawn
// than were paid for is UTILITY LOST, everything else VIOLATED. Threads: pure.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_FINDINGS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_FINDINGS_H_

#include <vector>

#include "server/audit/finding.h"
#include "server/audit/statistics/draw_sums.h"

namespace topicwall::audit {

// Of at least two releases and two units.
std::vector<Finding> DrawFindings(const DrawSums& sums, double x);

// Of many units and few releases, from which single units and batches tell nothing: altogether,
// between units and between releases.
std::vector<Finding> LargeDrawFindings(const DrawSums& sums, double x);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_FINDINGS_H_
