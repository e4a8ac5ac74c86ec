// The bins of the norm histogram: how long the sampled units' weighted statistics are,
// from which an analyst chooses the next clip norm.
//
//   int bin = NormHistogramBin(weighted_norm);
//
// 48 bins, the same for every corpus and plan (PUBLIC constants): bin b < 47 holds norms up
// to 0.5·2^(b/6), bin 0 everything from 0, the last one everything above bin 46.
// Each sampled unit whose statistic is finite adds one count to one bin; with noise of
// multiplier σ_h, drawn on the grid like all noise (grid_scale.h).
//
// A release of statistics (σ) and histogram (σ_h) from the same coins is one Gaussian of
// σ_eff = (σ^-2 + σ_h^-2)^-1/2: scaled by their multipliers the two form one vector, of
// which a unit may change each part by at most 1.
//
// Privacy: a unit's norm and bin are PRIVATE. Threads: any.
#ifndef TOPICWALL_SERVER_MECHANISM_NORM_HISTOGRAM_H_
#define TOPICWALL_SERVER_MECHANISM_NORM_HISTOGRAM_H_

namespace topicwall::mechanism {

inline constexpr int kNormHistogramBins = 48;

// Precondition: weighted_norm is >= 0 and not NaN.
int NormHistogramBin(double weighted_norm);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_NORM_HISTOGRAM_H_
