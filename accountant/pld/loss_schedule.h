// LossSchedule: what a PldAccountant adds up, one event for each kind of release.
//
//   ReleasesOfEveryone everyone;
//   everyone.Add(event);                                   // those with ν = 1
//   TW_ASSIGN_OR_RETURN(const LossSchedule schedule, MakeSchedule(sampled, everyone));
//
// Releases of everyone are together one Gaussian release, exactly, of 1/σ² = Σ n/σ_i². That sum is
// rounded once an addition, in whatever order they come, so σ is told from both sides. PUBLIC.
// Values.
#ifndef TOPICWALL_ACCOUNTANT_PLD_LOSS_SCHEDULE_H_
#define TOPICWALL_ACCOUNTANT_PLD_LOSS_SCHEDULE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

class ReleasesOfEveryone {
 public:
  void Add(const DpEvent& event);

  bool none() const { return additions_ == 0; }
  // Whether 1/σ² passes a double: then nothing finite bounds them.
  bool unbounded() const { return !none() && LeastNoiseMultiplier() == 0; }
  // σ of all of them together, from below and from above.
  double LeastNoiseMultiplier() const { return NoiseMultiplier(-1); }
  double MostNoiseMultiplier() const { return NoiseMultiplier(1); }

 private:
  double NoiseMultiplier(double rounding) const;

  double inverse_variance_ = 0;
  double additions_ = 0;
};

struct LossSchedule {
  // Their composition costs at least the true one: the release of everyone has its least σ.
  std::vector<DpEvent> events;
  // The same release with its most σ, for bounds from below. Without it they leave that release
  // out, as they may.
  std::optional<SubsampledGaussian> everyone_from_below;
};

// INVALID_ARGUMENT if `everyone` is unbounded.
absl::StatusOr<LossSchedule> MakeSchedule(std::vector<DpEvent> sampled,
                                          const ReleasesOfEveryone& everyone);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_LOSS_SCHEDULE_H_
