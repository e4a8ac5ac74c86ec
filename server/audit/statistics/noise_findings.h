// What the noise part's sums say: its findings, as noise_part.h lists them.
//
//   std::vector<Finding> findings = NoiseFindings(plain, sharp, x);
//
// `plain` was released with σ = 1 and no histogram, `sharp` with σ = 1/16 and σ_h = 1/8. `x`: each
// check fails by chance with probability at most e^-x on each side (statistical_bounds.h).
//
// Verdicts. What tells an attacker more than was paid for is VIOLATED: too large a shift, too
// little noise, noise that repeats. What costs accuracy alone is UTILITY LOST: too small a shift,
// too much noise, a mean that is not 0.
// Threads: pure.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_FINDINGS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_FINDINGS_H_

#include <vector>

#include "server/audit/finding.h"
#include "server/audit/statistics/large_noise_sums.h"
#include "server/audit/statistics/noise_sums.h"

namespace topicwall::audit {

inline constexpr double kPlainMultiplier = 1;
inline constexpr double kSharpMultiplier = 1.0 / 16.0;
inline constexpr double kHistogramMultiplier = 1.0 / 8.0;  // σ_h, with it

// Of the production world, with σ = 1.
std::vector<Finding> LargeNoiseFindings(const LargeNoiseSums& sums, double x);

std::vector<Finding> NoiseFindings(const NoiseSums& plain, const NoiseSums& sharp, double x);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_FINDINGS_H_
