#include "accountant/pld/loss_schedule.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

absl::StatusOr<SubsampledGaussian> ReleaseOfEveryone(double noise_multiplier) {
  return SubsampledGaussian::Create({.sampling_rate = 1, .noise_multipliers = {noise_multiplier}});
}

}  // namespace

void ReleasesOfEveryone::Add(const DpEvent& event) {
  const double sigma = event.release.noise_multiplier();
  inverse_variance_ += static_cast<double>(event.count) / sigma / sigma;
  ++additions_;
}

// A sum of n positive terms, each of two roundings, is off by (n + 1)·2^-53 relative at most, so
// that σ is by half of that; root, quotient, and the two operations here are another four. The rest
// of 31 is room.
double ReleasesOfEveryone::NoiseMultiplier(double rounding) const {
  return (1 + rounding * (additions_ + 31) * 0x1p-53) / std::sqrt(inverse_variance_);
}

absl::StatusOr<LossSchedule> MakeSchedule(std::vector<DpEvent> sampled,
                                          const ReleasesOfEveryone& everyone) {
  LossSchedule schedule{.events = std::move(sampled), .everyone_from_below = std::nullopt};
  if (!everyone.none()) {
    TW_ASSIGN_OR_RETURN(const SubsampledGaussian from_above,
                        ReleaseOfEveryone(everyone.LeastNoiseMultiplier()));
    // The greatest σ of all has none above it.
    const auto from_below = ReleaseOfEveryone(everyone.MostNoiseMultiplier());
    if (from_below.ok()) schedule.everyone_from_below = *from_below;
    schedule.events.push_back({.release = from_above, .count = 1});
  }
  // The widest first: they leave fewest frequencies for the others.
  const auto spread = [](const DpEvent& event) {
    const double wide = event.release.sampling_rate() / event.release.noise_multiplier();
    return static_cast<double>(event.count) * wide * wide;
  };
  std::stable_sort(schedule.events.begin(), schedule.events.end(),
                   [&spread](const DpEvent& a, const DpEvent& b) { return spread(a) > spread(b); });
  return schedule;
}

}  // namespace topicwall::accountant
