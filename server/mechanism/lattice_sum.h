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
// There is one V×K matrix for all threads, in kParts ranges of terms with a lock each. A unit's
// terms are ascending, so it takes a lock kParts times at most, not once for every term.
// Measured, K = 50 and 8,000 terms, short documents: a unit's 200 entries lie in some hundred
// cache lines, and waiting for them is most of the cost. Keeping the lower halves of the
// integers apart from the upper ones (release_memory.h) saved a third of it; fetching the lines
// while the unit is clipped saved up to as much, but not always. Tried without gain: collecting
// units and adding them range by range, larger pages.
//
// Privacy: PRIVATE, and it has no accessor: the only way out is AddNoise, which takes it
// whole. It can be made only from ReleaseCoins, so only from a receipt. What reads it in
// server/audit, over corpora that an audit makes up, is not linked into topicwall-server.
// Threads: Add and coins() may be called from many threads at once.
// Cost: Add, about 2 ns an entry, clipping included.
#ifndef TOPICWALL_SERVER_MECHANISM_LATTICE_SUM_H_
#define TOPICWALL_SERVER_MECHANISM_LATTICE_SUM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lda/sufficient_statistics.h"
#include "server/mechanism/norm_histogram.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/release_memory.h"
#include "server/mechanism/unit_clipper.h"

namespace topicwall::audit {
class LatticeReading;
}

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
  friend class audit::LatticeReading;  // reads the sum of an audit's own corpus
  friend struct LatticeSumTestPeer;    // reads the sum

  // Entry term·K + topic of the lattice.
  uint64_t At(std::size_t entry) const {
    return (uint64_t{memory_.high_[entry]} << 32) | memory_.low_[entry];
  }

  // A lock is held for some tens of nanoseconds in the microseconds that a unit takes, so two
  // threads seldom meet.
  static constexpr int kParts = 8;
  using Histogram = std::array<uint64_t, kNormHistogramBins>;

  LatticeSum(ReleaseCoins coins, ReleaseMemory memory, UnitClipper clipper);
  // Fetches what Add will write while the unit is being clipped.
  void Prefetch(const lda::UnitStatistic& statistic) const;
  // Adds from[a] to entry places[a] of the row of `term`, whose part is locked.
  void AddRow(uint32_t term, absl::Span<const std::size_t> places, const uint64_t* from);
  void AddToHistogram(double weighted_norm);

  ReleaseCoins coins_;
  UnitClipper clipper_;
  uint64_t histogram_bound_;  // M_h; 0 = no histogram
  Histogram histogram_{};
  // Term v of memory_ is guarded by parts_[v >> part_shift_], histogram_ by the last one.
  int part_shift_ = 0;
  std::vector<std::mutex> parts_;
  ReleaseMemory memory_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_LATTICE_SUM_H_
