// The exact sum over the sampled units of some shards of a corpus, before noise: never seen by
// anybody.
//
//   absl::StatusOr<PartialSum> sum =
//       PartialSum::Create(coins, *std::move(memory), {.clip_norm = 4});
//   // on every thread, over its share of the shard:
//   PartialSum::Adder adder(&*sum, &clipped);
//   coins.Sample(ids, &sampled);
//   for (SampledUnit& unit : sampled) { …statistic…; adder.Add(std::move(unit), statistic); }
//   // when all threads are done and their adders gone:
//   sum->CountShard(0);
//   absl::StatusOr<NoisyStatistics> noisy = AddNoise(*std::move(sum), std::move(noise), threads);
//
// Each unit is clipped (unit_clipper.h) to an integer vector of L2 norm <= M and added modulo 2^64,
// negative entries in two's complement; a plan with a norm histogram also adds M_h to the bin of
// the unit's norm. Integers add in any order, so the sum is the same bits for any number of
// threads, any order of Add and any shards. With as many units as a corpus may
// have nothing wraps: plans for which it could are refused (ValidateSumFits in mechanism_limits.h).
// A unit that the clipper drops changes nothing, in the statistics or the histogram.
//
// With the integers goes what they are the sum of: the tag of the release (release_coins.h) and how
// often each of its shards is in. AddNoise refuses what is not every shard exactly once.
//
// Every thread adds into a copy of its own of the lower 32 bits of the grid, if the matrix is
// not too large for that (release_memory.h); else threads share copies. Each copy has a lock,
// taken once for every unit. The upper bits are one array for all: carries reach it seldom.
// Measured, 50 rows and 8,000 columns, short documents: one matrix in parts with a lock each cost
// twice as much; collecting units gave nothing.
//
// Privacy: PRIVATE, and it has no accessor: the only way out is AddNoise, which takes it
// whole. It can be made only from ReleaseCoins, so only from a receipt. Serialise is for another
// process of the wall (server/worker), and for audits of corpora that they make up; the vault reads
// such bytes and cannot write them (tests/layering).
// Threads: many adders may be at work at once, one to a thread; all else is one thread's.
// Cost: an entry about 3 ns on short documents, 1.5 ns on long ones, clipping included;
// Serialise and Parse one pass over the grid.
#ifndef TOPICWALL_SERVER_MECHANISM_PARTIAL_SUM_H_
#define TOPICWALL_SERVER_MECHANISM_PARTIAL_SUM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/sparse_statistic.h"
#include "server/mechanism/norm_histogram.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/release_memory.h"
#include "server/mechanism/unit_clipper.h"

namespace topicwall::mechanism {

class PartialSum {
 public:
  struct Params {
    double clip_norm;            // C; free to differ from request to request
    double direction_noise = 0;  // r, likewise; else 0, the memory has the directions
  };

  // Of no shard yet. The shape is the memory's. INVALID_ARGUMENT if it is not the paid one (rows,
  // number of weights), or if a parameter is outside mechanism_limits.h.
  static absl::StatusOr<PartialSum> Create(const ReleaseCoins& coins, ReleaseMemory&& memory,
                                           const Params& params);

  PartialSum(PartialSum&&) = default;
  PartialSum& operator=(PartialSum&&) = default;

  class Adder;

  // To be told once for each shard, when all that the shard has is added. INVALID_ARGUMENT unless
  // `shard` is in [0, the release's number of shards).
  absl::Status CountShard(int shard);

  // As bytes, of every number the lowest byte first:
  //   "TWPSUM02" · release (32) · begun_at_ms (8) · number of shards (8) · C and r (8 each, of a
  //   double) · D (8) · P (8) · digest of the directions (32) · of each shard 0, 1 or 2 = more than
  //   once (a byte) · D entries of the grid, column by column (8 each) · 48 bins of the histogram
  //   (8 each)
  // Bytes of other shards of the release, clipped alike, begin with the same kHeaderBytes; what
  // comes behind the shards is added modulo 2^64, number by number: so processes join their sums.
  static constexpr std::size_t kHeaderBytes = 120;
  static constexpr absl::string_view kFormat = "TWPSUM02";
  std::string Serialise() const;
  // INVALID_ARGUMENT as Create, and unless `bytes` are of the same release, clip and shape.
  static absl::StatusOr<PartialSum> Parse(const ReleaseCoins& coins, ReleaseMemory&& memory,
                                          const Params& params, absl::string_view bytes);

 private:
  friend class NoisyStatistics;
  friend struct PartialSumTestPeer;  // reads the sum

  // Entry column·(D/P) + row of the grid.
  uint64_t At(std::size_t entry) const { return memory_.At(entry); }

  using Histogram = std::array<uint64_t, kNormHistogramBins>;

  PartialSum(const ReleaseCoins& coins, ReleaseMemory memory, UnitClipper clipper);

  // What Serialise writes up to P: all that must agree.
  std::string Header() const;

  ReleaseTag tag_;
  std::vector<uint8_t> shards_;  // of each: 0, 1, or 2 = more than once
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
class PartialSum::Adder {
 public:
  // `clipped`: what it works in; must outlive it, and is nobody else's meanwhile.
  Adder(PartialSum* sum, ClippedUnit* clipped);
  ~Adder();
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;

  // Clips and adds the statistic of one sampled unit.
  void Add(SampledUnit unit, const model::SparseStatistic& statistic);

 private:
  PartialSum& sum_;
  std::size_t copy_;
  ClippedUnit& clipped_;
  Histogram histogram_{};
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_PARTIAL_SUM_H_
