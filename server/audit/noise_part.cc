#include "server/audit/noise_part.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/statistics/large_noise_sums.h"
#include "server/audit/statistics/noise_findings.h"
#include "server/audit/statistics/noise_sums.h"
#include "server/audit/walls/noise_world.h"
#include "server/audit/walls/production_world.h"

namespace topicwall::audit {
namespace {

constexpr int kMostSharpReleases = 2000;
// One large release is made for so many small ones.
constexpr int kReleasesForALargeOne = 50;
constexpr int kMostLargeReleases = 20;

absl::Status Observe(const AuditOptions& options, NoiseWorld* world, const char* what,
                     const NoiseWorld::Setting& setting, NoiseSums* sums) {
  return world->Observe(setting, [&](const NoiseWorld::Releases& releases) {
    sums->Add(releases);
    if (options.progress != nullptr && sums->releases % 100 == 0) {
      options.progress(absl::StrFormat("noise: %s, release %d of %d, variance %.5f", what,
                                       sums->releases, setting.releases,
                                       sums->noise_squared.value()));
    }
  });
}

absl::StatusOr<LargeNoiseSums> ObserveProduction(const AuditOptions& options,
                                                 ScratchFolder* folder) {
  if (options.progress != nullptr) options.progress("noise: K = 100, V = 50,000");
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ProductionWorld> world, ProductionWorld::Start(folder));
  LargeNoiseSums sums;
  const int releases = std::clamp(options.releases / kReleasesForALargeOne, 2, kMostLargeReleases);
  TW_RETURN_IF_ERROR(world->Observe(
      {.sampling_rate = 1, .noise_multiplier = kPlainMultiplier, .releases = releases},
      [&](const ReceivedRelease& release) { sums.Add(release); }));
  return sums;
}

}  // namespace

absl::StatusOr<std::vector<Finding>> AuditNoise(const AuditOptions& options, double x,
                                                ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<NoiseWorld> world, NoiseWorld::Start(folder));
  NoiseSums plain(kPlainMultiplier);
  TW_RETURN_IF_ERROR(Observe(options, world.get(), "σ = 1",
                             {.noise_multiplier = kPlainMultiplier,
                              .histogram_noise_multiplier = 0,
                              .releases = options.releases},
                             &plain));
  NoiseSums sharp(kSharpMultiplier, kHistogramMultiplier);
  const int few = std::clamp(options.releases / 4, 10, kMostSharpReleases);
  TW_RETURN_IF_ERROR(Observe(options, world.get(), "σ = 1/16",
                             {.noise_multiplier = kSharpMultiplier,
                              .histogram_noise_multiplier = kHistogramMultiplier,
                              .releases = few},
                             &sharp));
  if (sharp.histogram_shift.n == 0) {
    return absl::InternalError("a release that was paid with a norm histogram came without one");
  }
  std::vector<Finding> findings = NoiseFindings(plain, sharp, x);
  TW_ASSIGN_OR_RETURN(const LargeNoiseSums large, ObserveProduction(options, folder));
  for (Finding& finding : LargeNoiseFindings(large, x)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace topicwall::audit
