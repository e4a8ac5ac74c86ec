// Part (b), black box: canaries and noise in releases over gRPC, as an attacker receives them.
//
// Two walls whose corpora differ in canaries (noise_world.h) release the same plan, once with
// σ = 1 and once with σ = 1/16 and a norm histogram of σ_h = 1/8; noise_sums.h takes the sums.
// Findings:
//   - no threshold tells a canary's presence better than 2Φ(μ/2) - 1, μ = 1/σ: the lower
//     confidence bound of TPR - FPR (statistical_bounds.h: Chernoff's, at the threshold C/2, which
//     was fixed beforehand) must not be above it;
//   - a canary shifts a release by C, and the histogram by one unit: no more (privacy) and no less
//     (utility), which with the noise gives an estimate of 1/σ from both sides;
//   - noise has standard deviation σC in empty entries, in entries with data and in the histogram,
//     and mean 0: too little is a violation, too much lost utility;
//   - noise does not repeat: between releases, between walls, within a release at any distance;
//   - asked for again, a release is the same bytes;
//   - in releases of K = 100 and V = 50,000 too (production_world.h, large_noise_sums.h) noise has
//     that spread in every block, nothing of it comes twice, and a unit shifts its entry by C.
// MeanProductBound over all distances of a release looks for streams shared by blocks or threads.
#ifndef TOPICWALL_SERVER_AUDIT_NOISE_PART_H_
#define TOPICWALL_SERVER_AUDIT_NOISE_PART_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/audit_options.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

// `x`: each statistical check fails by chance with probability at most e^-x on each side.
absl::StatusOr<std::vector<Finding>> AuditNoise(const AuditOptions& options, double x,
                                                ScratchFolder* folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_NOISE_PART_H_
