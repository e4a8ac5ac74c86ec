// The sums that the noise part's statistics are computed from, release by release.
//
//   NoiseSums sums(/*noise_multiplier=*/1);
//   world->Observe(setting, [&](const NoiseWorld::Releases& releases) { sums.Add(releases); });
//
// Noise is counted in units of σC, as it was paid for, so that it should be N(0, 1): then every
// mean below is one of independent numbers. Of statistics whose samples would share releases,
// every second pair of releases is left out.
//
// Threads: one.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_SUMS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_SUMS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "server/audit/walls/noise_world.h"

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
  // σ, and σ_h if there is a histogram.
  explicit NoiseSums(double noise_multiplier, double histogram_noise_multiplier = 1)
      : noise_multiplier_(noise_multiplier),
        histogram_noise_multiplier_(histogram_noise_multiplier) {}

  void Add(const NoiseWorld::Releases& releases);

  // A threshold of C/2 for the projection on each canary.
  int64_t trials = 0;
  int64_t true_positives = 0;
  int64_t false_positives = 0;
  Mean shift;            // with - without, ÷ C
  Mean histogram_shift;  // of the canaries' bin, ÷ kCanaries: M_h each is 1; only with a histogram

  Mean noise;  // of empty entries, both walls
  Mean noise_squared;
  Mean document_noise_squared;   // of entries with data: half the square of a difference
  Mean histogram_noise_squared;  // of bins that nobody is in
  // Products of a bin's noise and that of the entry of the same number, counted term by term, and
  // topic by topic: of the wall without canaries.
  Mean histogram_by_terms;
  Mean histogram_by_topics;
  Mean between_releases;  // products: of one wall's consecutive releases …
  Mean between_walls;     // … and of the two walls' releases of the same number
  // The largest |mean product| ÷ bound over all distances within a release, of the first few; the
  // bound is for x plus the logarithm of how many there are.
  double WorstDistance(double x) const;

  int64_t releases = 0;
  int64_t releases_twice = 0;  // whose noise had been there before
  int64_t replays_that_differ = 0;

 private:
  void AddCanaries(const NoiseWorld::Releases& releases);
  void AddHistograms(const NoiseWorld::Releases& releases);
  std::vector<double> NoiseOf(const ReceivedRelease& release);
  void AddPair(const NoiseWorld::Releases& releases, const std::vector<double>& noise);

  const double noise_multiplier_;
  const double histogram_noise_multiplier_;
  std::vector<double> last_noise_;  // of `with`, when it is the first of a pair
  std::vector<float> last_statistics_;
  std::set<std::string> seen_;
  std::vector<std::vector<double>> first_noises_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_NOISE_SUMS_H_
