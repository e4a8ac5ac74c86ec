// The exact sum over the sampled units, before noise: never seen by anybody.
//
//   absl::StatusOr<LatticeSum> sum =
//       LatticeSum::Create(*std::move(coins), *std::move(memory), {.clip_norm = 4});
//   // on every thread, over its share of the corpus:
//   sum->coins().Sample(ids, &sampled);
//   for (SampledUnit& unit : sampled) { …E-step…; sum->Add(std::move(unit), statistic, &scratch); }
//   // when all threads are done:
//   absl::StatusOr<NoisyStatistics> noisy = AddNoise(*std::move(sum), num_threads);
//
// Each unit is clipped (unit_clipper.h) to a non-negative integer vector of L2 norm <= M and
// added modulo 2^64; a plan with a norm histogram also adds M_h to the bin of the unit's
// norm. Integers add in any order, so the sum is the same bits for any number of threads
// and any order of Add. With at most 2^26 units nothing wraps (2^26·2^36 = 2^62); if it
// did, accuracy would suffer and privacy would not.
// A unit that the clipper drops changes nothing, in the statistics or the histogram.
//
// There is one V×K matrix for all threads; a unit locks one stripe of terms at a time.
//
// Privacy: PRIVATE, and it has no accessor: the only way out is AddNoise, which takes it
// whole. It can be made only from ReleaseCoins, so only from a receipt.
// Threads: Add and coins() may be called from many threads at once.
// Cost: Add, about 3 ns an entry, clipping included.
#ifndef TOPICWALL_SERVER_MECHANISM_LATTICE_SUM_H_
#define TOPICWALL_SERVER_MECHANISM_LATTICE_SUM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lda/sufficient_statistics.h"
#include "server/mechanism/norm_histogram.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/release_memory.h"
#include "server/mechanism/unit_clipper.h"

namespace topicwall::mechanism {

class LatticeSum {
 public:
  struct Params {
    double clip_norm;  // C, in words; free to differ from request to request
  };

  // The shape is the memory's. INVALID_ARGUMENT if it is not the paid one (K, number of
  // term weights), or if a parameter is outside mechanism_limits.h.
  static absl::StatusOr<LatticeSum> Create(ReleaseCoins&& coins, ReleaseMemory&& memory,
                                           const Params& params);

  LatticeSum(LatticeSum&&) = default;
  LatticeSum& operator=(LatticeSum&&) = default;

  const ReleaseCoins& coins() const { return coins_; }

  // Clips and adds the statistic of one sampled unit. `scratch` belongs to the thread.
  void Add(SampledUnit unit, const lda::UnitStatistic& statistic, ClippedUnit* scratch);

 private:
  friend class NoisyStatistics;
  friend struct LatticeSumTestPeer;  // reads the sum

  // A power of two, so many that two threads seldom meet.
  static constexpr std::size_t kStripes = 1024;
  using Histogram = std::array<uint64_t, kNormHistogramBins>;

  LatticeSum(ReleaseCoins coins, ReleaseMemory memory, UnitClipper clipper);
  // Fetches what Add will write while the unit is being clipped: the lattice outgrows the caches.
  void Prefetch(const lda::UnitStatistic& statistic) const;
  void AddToHistogram(double weighted_norm);

  ReleaseCoins coins_;
  UnitClipper clipper_;
  uint64_t histogram_bound_;  // M_h; 0 = no histogram
  // Term v of memory_ is guarded by stripes_[v mod kStripes], histogram_ by the last one.
  std::vector<std::mutex> stripes_;
  ReleaseMemory memory_;
  Histogram histogram_{};
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_LATTICE_SUM_H_
