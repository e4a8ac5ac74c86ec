// Who was drawn, release by release, and the sums that the sampling part looks at.
//
//   DrawSums sums(/*units=*/512, /*rate=*/0.3);
//   sums.Add(drawn);   // of one release: a flag for each unit
//
// Threads: one.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_SUMS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/audit/statistics/statistical_bounds.h"

namespace topicwall::audit {

class DrawSums {
 public:
  DrawSums(int units, double rate) : rate_(rate), drawn_of_unit_(static_cast<std::size_t>(units)) {}

  void Add(const std::vector<bool>& drawn);

  int units() const { return static_cast<int>(drawn_of_unit_.size()); }
  double rate() const { return rate_; }
  int64_t releases() const { return releases_; }
  int64_t drawn() const { return drawn_; }  // altogether
  const std::vector<int64_t>& drawn_of_unit() const { return drawn_of_unit_; }
  // Σ over releases of (units drawn - nν)² ÷ (nν(1 - ν)): 1 a release, on average.
  double batch_scatter() const { return batch_scatter_; }
  // Pairs of units 2i and 2i + 1 of one release, and pairs of releases 2j - 1 and 2j of one unit,
  // that were drawn alike; no unit and release is in two pairs of a kind.
  int64_t unit_pairs() const { return unit_pairs_; }
  int64_t units_alike() const { return units_alike_; }
  int64_t release_pairs() const { return release_pairs_; }
  int64_t releases_alike() const { return releases_alike_; }

 private:
  const double rate_;
  int64_t releases_ = 0;
  int64_t drawn_ = 0;
  std::vector<int64_t> drawn_of_unit_;
  double batch_scatter_ = 0;
  int64_t unit_pairs_ = 0, units_alike_ = 0, release_pairs_ = 0, releases_alike_ = 0;
  std::vector<bool> last_;
};

// Of batch_scatter() ÷ releases, if units are drawn by independent coins. By Chernoff's argument
// over the binomial law itself: broken by chance with probability at most e^-x on each side.
Interval BatchScatterBounds(int64_t releases, int units, double rate, double x);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_SUMS_H_
