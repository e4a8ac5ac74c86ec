// How long units are, told from one release of the model of lengths (lengths_model.h).
//
//   const std::vector<float> edges = EdgesUpTo(10'000);   // what to ask
//   LengthEstimate told = EstimateLengths({.counts = release, .edges = edges, .most = 10'000,
//                                          .deviation = 35});
//   told.median->value;   // and low, high: with 95 %
//
// Bins are of one length each below 8 words, and from there four an octave, the widest a quarter as
// wide as its lowest length: 8, 10, 12, 14, 16, 20, …. So a length is known to some 10 % of itself
// however long it is, by few bins: their noise is what limits a cheap release.
//
// Bin b holds n_b units and is seen with noise of variance σ², N = Σ n_b. The p-quantile is the
// least length w for which units of at most w are p·N or more. Whether that is below an edge is
// told by the sign of
//   T_b = (1 − p)·Σ_{i <= b} n_i − p·Σ_{i > b} n_i,   with noise σ²·[(1 − p)²·(b + 1) + p²·(B − b −
//   1)]
// which needs no estimate of N; at the median the noise is σ√B/2 wherever it is. The interval
// begins at the first edge from below at which T is not below 0 for sure (z = 1.96), and ends
// before the last from above at which it is not above 0 for sure. To be wrong, it would have to be
// so at the one edge next to the truth: it holds in at least 95 %, whatever the lengths inside a
// bin are, and is never shorter than a bin. The value in it is interpolated, as if lengths were
// even in their bin.
//
// The mean is at least that of lengths at the lower ends of their bins and at most that of the
// upper ends; each is a ratio Σ n_b·c_b / N, of which Fieller's interval (the roots r of (Σ
// n_b·(c_b − r))² = z²σ²·Σ (c_b − r)²) is exact. It ends where the two together do: with so many
// bins that may hold a long unit each, it is far wider than those of quantiles.
//
// Nothing but N is told where the noise of N is more than a quarter of it.
//
// PUBLIC: of released numbers. Pure. Errors: INVALID_ARGUMENT for counts that are not finite, edges
// that are no whole numbers above 1 or do not ascend, another number of them than bins need, and a
// deviation that is not above 0.
#ifndef TOPICWALL_MODEL_LENGTHS_LENGTH_ESTIMATE_H_
#define TOPICWALL_MODEL_LENGTHS_LENGTH_ESTIMATE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::lengths {

// The lowest lengths of all bins but the first, which begins at 1: at least one, and none above
// max(2, most).
std::vector<float> EdgesUpTo(int64_t most);

struct LengthCounts {
  std::vector<float> counts;  // B >= 2, of either sign
  std::vector<float> edges;   // B − 1
  int64_t most;               // words of the longest unit that there may be
  double deviation;           // σ of the noise in each count
};

struct LengthRange {
  double value;
  double low, high;  // 95 %
};

struct LengthEstimate {
  LengthRange units;
  // In known words of a unit; none of the four, or all.
  std::optional<LengthRange> lower_quartile, median, upper_quartile, mean;
};
absl::StatusOr<LengthEstimate> EstimateLengths(const LengthCounts& counts);

// Beforehand: half the interval of how many of all units are below the median, as a share of them,
// but for the width of a bin. More than kMostRankError, and there is nothing to tell.
inline constexpr double kMostRankError = 0.25;
double ExpectedRankError(int num_bins, double deviation, double units);

}  // namespace topicwall::lengths

#endif  // TOPICWALL_MODEL_LENGTHS_LENGTH_ESTIMATE_H_
