// What a release did to privacy, and nothing else: the one type that reaches an accountant.
//
// A release takes each privacy unit by its own coin of probability ν and adds Gaussian noise of
// standard deviation σ_i·(sensitivity_i) to each statistic i it computes from *the same* coins.
// Scaled by its own sensitivity, statistic i is shifted by at most one unit of length, so the
// whole release is one Gaussian mechanism shifted by at most (Σ σ_i⁻²)^½ standard deviations:
//   σ_eff = (Σ_i σ_i⁻²)^−½   (exact: the worst unit moves every statistic by its full length).
// Pricing the statistics as separate releases would ignore that they share coins; that is why
// this type is made from *all* multipliers of a release at once and shows only σ_eff and ν.
//
// PUBLIC. Immutable; safe to share between threads.
// Source: the mechanism of the paper's Algorithm 1 with clipping per unit instead of per batch.
#ifndef TOPICWALL_ACCOUNTANT_EVENTS_DP_EVENT_H_
#define TOPICWALL_ACCOUNTANT_EVENTS_DP_EVENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace topicwall::accountant {

// The largest σ_eff: beyond, 1/σ² is soon no double, and a release would look like none.
inline constexpr double kMostNoise = 1e150;

class SubsampledGaussian {
 public:
  struct Params {
    double sampling_rate;                   // ν in (0, 1]; 1 = every unit, no coin
    std::vector<double> noise_multipliers;  // σ_i = std ÷ L2 sensitivity, finite, > 0, unitless
  };

  // INVALID_ARGUMENT for ν outside (0, 1], no multiplier, one that is not finite and > 0, or a
  // σ_eff beyond kMostNoise.
  static absl::StatusOr<SubsampledGaussian> Create(const Params& params);

  double sampling_rate() const { return sampling_rate_; }

  // σ_eff. For one multiplier that multiplier itself; for several rounded down, so that the
  // price of the joint release is never understated.
  double noise_multiplier() const { return noise_multiplier_; }

 private:
  SubsampledGaussian(double sampling_rate, double noise_multiplier)
      : sampling_rate_(sampling_rate), noise_multiplier_(noise_multiplier) {}

  double sampling_rate_;
  double noise_multiplier_;
};

// `count` releases of one kind, in any order and with any choice of topics between them.
struct DpEvent {
  SubsampledGaussian release;
  int64_t count;  // 0 … kMostReleases
};

// More releases than any budget could hold; keeps count × price in range.
inline constexpr int64_t kMostReleases = int64_t{1} << 40;

// INVALID_ARGUMENT unless 0 ≤ count ≤ kMostReleases.
absl::Status ValidateCount(int64_t count);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_EVENTS_DP_EVENT_H_
