// The exact sum over the sampled units, before noise: never seen by anybody.
//
//   absl::StatusOr<LatticeSum> sum =
//       LatticeSum::Create(*std::move(coins), *std::move(memory), {.clip_norm = 4});
//   // on every thread, over its share of the corpus:
//   LatticeSum::Adder adder(&*sum, &clipped);
//   sum->coins().Sample(ids, &sampled);
//   for (SampledUnit& unit : sampled) { …statistic…; adder.Add(std::move(unit), statistic); }
//   // when all threads are done and their adders gone:
//   absl::StatusOr<NoisyStatistics> noisy = AddNoise(*std::move(sum), num_threads);
//
// Each unit is clipped (unit_clipper.h) to an integer vector of L2 norm <= M and added modulo 2^64,
// negative entries in two's complement; a plan with a norm histogram also adds M_h to the bin of
// the unit's norm. Integers add in any order, so the sum is the same bits for any number of threads
// and any order of Add. With as many units as a corpus may have nothing wraps: plans for which
// it could are refused (ValidateSumFits in mechanism_limits.h).
// A unit that the clipper drops changes nothing, in the statistics or the histogram.
//
// Every thread adds into a copy of its own of the lower 32 bits of the lattice, if the matrix is
// not too large for that (release_memory.h); else threads share copies. Each copy has a lock,
// taken once for every unit. The upper bits are one array for all: carries reach it seldom.
// Measured, 50 rows and 8,000 columns, short documents: one matrix in parts with a lock each cost
// twice as much; collecting units gave nothing.
//
// Privacy: PRIVATE, and it has no accessor: the only way out is AddNoise, which takes it
// whole. It can be made only from ReleaseCoins, so only from a receipt. What reads it in
// server/audit, over corpora that an audit makes up, is not linked into topicwall-server.
// Threads: many adders may be at work at once, one to a thread, and coins() be called.
// Cost: an entry about 3 ns on short documents, 1.5 ns on long ones, clipping included.
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
#include "model/sparse_statistic.h"
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
    double clip_norm;  // C; free to differ from request to request
  };

  // The shape is the memory's. INVALID_ARGUMENT if it is not the paid one (rows, number of
  // weights), or if a parameter is outside mechanism_limits.h.
  static absl::StatusOr<LatticeSum> Create(ReleaseCoins&& coins, ReleaseMemory&& memory,
                                           const Params& params);

  LatticeSum(LatticeSum&&) = default;
  LatticeSum& operator=(LatticeSum&&) = default;

  const ReleaseCoins& coins() const { return coins_; }

  class Adder;

 private:
  friend class NoisyStatistics;
  friend class audit::LatticeReading;  // reads the sum of an audit's own corpus
  friend struct LatticeSumTestPeer;    // reads the sum

  // Entry column·(D/P) + row of the lattice.
  uint64_t At(std::size_t entry) const { return memory_.At(entry); }

  using Histogram = std::array<uint64_t, kNormHistogramBins>;

  LatticeSum(ReleaseCoins coins, ReleaseMemory memory, UnitClipper clipper);

  ReleaseCoins coins_;
  UnitClipper clipper_;
  uint64_t histogram_bound_;  // M_h; 0 = no histogram
  Histogram histogram_{};
  // Of the copies of memory_; the first one also guards histogram_ and next_copy_.
  std::vector<std::mutex> locks_;
  std::size_t next_copy_ = 0;  // of the next adder
  ReleaseMemory memory_;
};

// One thread's way into the sum, which must stay where it is meanwhile. The norm histogram has its
// units only when the adder is gone.
class LatticeSum::Adder {
 public:
  // `clipped`: what it works in; must outlive it, and is nobody else's meanwhile.
  Adder(LatticeSum* sum, ClippedUnit* clipped);
  ~Adder();
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;

  // Clips and adds the statistic of one sampled unit.
  void Add(SampledUnit unit, const model::SparseStatistic& statistic);

 private:
  LatticeSum& sum_;
  std::size_t copy_;
  ClippedUnit& clipped_;
  Histogram histogram_{};
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_LATTICE_SUM_H_
