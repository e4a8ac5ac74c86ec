#include <algorithm>
#include <memory>
#include <vector>

#include "base/status_macros.h"
#include "server/audit/parts.h"
#include "server/audit/statistics/noise_sums.h"
#include "server/audit/walls/canary_wall.h"

namespace topicwall::audit {
namespace {

// A sixteenth of the noise: shifts are measured sixteen times as finely.
constexpr double kSharp = 1.0 / 16.0;
constexpr double kSharpHistogram = 1.0 / 8.0;

absl::Status Observe(const CanaryWall::Setting& setting, const CanaryShape& shape, double x,
                     CanaryWall& wall, std::vector<Finding>* findings) {
  NoiseSums sums(shape, setting.noise_multiplier, setting.histogram_noise_multiplier);
  TW_RETURN_IF_ERROR(wall.Observe(setting, [&](const CanaryWall::Seen& seen) { sums.Add(seen); }));
  Append(sums.Report(x), findings);
  return absl::OkStatus();
}

}  // namespace

Findings AttackNoise(Attack& attack) {
  const int releases = attack.options().releases;
  std::vector<Finding> findings;
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<CanaryWall> small,
                      CanaryWall::Start(attack, kSmallShape));
  TW_RETURN_IF_ERROR(Observe({.noise_multiplier = 1, .releases = releases}, kSmallShape, attack.x(),
                             *small, &findings));
  // Unlike multipliers: noise of one that is scaled by the other's is seen.
  TW_RETURN_IF_ERROR(Observe({.noise_multiplier = kSharp,
                              .histogram_noise_multiplier = kSharpHistogram,
                              .releases = std::clamp(releases / 4, 10, 2000)},
                             kSmallShape, attack.x(), *small, &findings));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<CanaryWall> large,
                      CanaryWall::Start(attack, kLargeShape));
  TW_RETURN_IF_ERROR(Observe({.noise_multiplier = 1, .releases = std::clamp(releases / 50, 2, 20)},
                             kLargeShape, attack.x(), *large, &findings));
  return findings;
}

}  // namespace topicwall::audit
