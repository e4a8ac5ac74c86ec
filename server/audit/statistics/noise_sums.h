// The sums that the part noise looks at, release by release, and what they say.
//
//   NoiseSums sums(kSmallShape, /*noise_multiplier=*/1, /*histogram_noise_multiplier=*/0);
//   wall->Observe(setting, [&](const CanaryWall::Seen& seen) { sums.Add(seen); });
//   std::vector<Finding> findings = sums.Report(x);
//
// Every unit takes part (ν = 1). Noise is counted in units of σC, as it was paid for, so that it
// should be N(0, 1): then every mean below is one of independent numbers. `x`: each check fails by
// chance with probability at most e^-x on each side (bounds.h).
//
// Verdicts. What tells an attacker more than was paid for is VIOLATED: too large a shift, too
// little noise, noise that repeats. What costs accuracy alone is UTILITY LOST: too small a shift,
// too much noise.
//
// Repetition. Runs of four entries are compared exactly: those at which blocks begin are kept, of
// every release, and every four entries in a row of every release are compared with them. A stream
// that two blocks share, at whatever place in them, shows itself; that four numbers come again by
// chance has probability below 2^-60.
//
// Threads: one. Cost: 1 s and 60 MB a release of the large shape.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_SUMS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_SUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/audit/finding.h"
#include "server/audit/walls/canary_wall.h"

namespace topicwall::audit {

struct Mean {
  int64_t n = 0;
  double sum = 0;
  void Add(double value) {
    ++n;
    sum += value;
  }
  double value() const { return sum / static_cast<double>(n); }
};

class NoiseSums {
 public:
  // σ, and σ_h, 0 where there is no histogram.
  NoiseSums(const CanaryShape& shape, double sigma, double sigma_h)
      : shape_(shape), sigma_(sigma), sigma_h_(sigma_h) {}

  void Add(const CanaryWall::Seen& seen);
  // Of at least two releases.
  std::vector<Finding> Report(double x) const;

 private:
  using Run = std::array<float, 4>;
  static constexpr std::array<double, 4> kLevels = {1, 2, 3, 4};

  void AddNoise(const std::vector<double>& noise, const std::vector<float>& seen);
  void AddHistogram(const CanaryWall::Seen& seen, const std::vector<double>& noise);
  void CompareRuns(const std::vector<float>& by_term);

  std::string Tried(int64_t n, const char* of) const;
  Finding Spread(std::string claim, const Mean& squared, double x) const;
  Finding Repetition(std::string claim, const Mean& products, double x) const;
  Finding Shift(std::string claim, const Mean& shift, double deviation, double x) const;
  Finding Advantage(double x) const;
  Finding Law(double x) const;
  Finding Blocks(double x) const;

  const CanaryShape shape_;
  const double sigma_;
  const double sigma_h_;
  int64_t releases_ = 0;
  int64_t not_repeatable_ = 0;
  std::array<int64_t, 2> above_ = {};       // a threshold of C/2: empty entries, units' own
  Mean shift_;                              // of units' own entries, ÷ C
  Mean noise_squared_, squared_with_data_;  // of empty entries, and of units' own
  std::vector<Mean> squared_by_block_;      // of every block of every release
  std::array<std::array<int64_t, 2>, kLevels.size()> beyond_level_ = {};  // both sides
  Mean histogram_shift_;             // of the units' bin, ÷ their number
  Mean histogram_squared_;           // noise of bins that nobody is in …
  Mean histogram_with_statistics_;   // … and its products with that of entries
  Mean between_releases_;            // products of every second release with the one before
  Mean next_entries_, next_blocks_;  // products so far apart within releases
  std::vector<double> last_noise_;
  int64_t runs_twice_ = 0;
  // Where each begins: release and entry.
  absl::flat_hash_map<Run, std::pair<int64_t, std::size_t>> first_runs_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_SUMS_H_
