// What a sum knows of the mechanism it takes from the coins, and so from the receipt: a release
// that ran with another σ, other weights or without its histogram would not be the one that was
// priced. Only C comes from the request; it is no part of the price.
//
// Adders work at once, each on a copy of the lower halves of the grid. All else is done while
// none of them is there: Create before, CountShard, Merge and the noise after.
#include "server/mechanism/partial_sum.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/mechanism/grid_rows.h"
#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::mechanism {
namespace {

// 2 stands for more than once, so that no number of merges comes round to once again.
uint8_t TimesOfBoth(uint8_t times, uint8_t others) {
  return static_cast<uint8_t>(std::min(times + others, 2));
}

}  // namespace

absl::StatusOr<PartialSum> PartialSum::Create(const ReleaseCoins& coins, ReleaseMemory&& memory,
                                              const Params& params) {
  const ledger::PaidMechanism& paid = coins.mechanism();
  absl::Status status = ValidatePaidMechanism(paid, memory.shape());
  if (!status.ok()) return status;
  absl::StatusOr<UnitClipper> clipper =
      UnitClipper::Create({.shape = memory.shape(),
                           .clip_norm = params.clip_norm,
                           .weights = paid.weights,
                           .noise_multiplier = paid.noise_multiplier});
  if (!clipper.ok()) return clipper.status();
  return PartialSum(coins, std::move(memory), *std::move(clipper));
}

PartialSum::PartialSum(const ReleaseCoins& coins, ReleaseMemory memory, UnitClipper clipper)
    : tag_(coins.tag()),
      shards_(static_cast<std::size_t>(tag_.num_shards)),
      clipper_(std::move(clipper)),
      histogram_bound_(0),
      locks_(memory.num_copies()),
      memory_(std::move(memory)) {
  const ledger::PaidMechanism& paid = coins.mechanism();
  if (paid.histogram_noise_multiplier.has_value()) {
    histogram_bound_ = IntegerSensitivity(*paid.histogram_noise_multiplier);
  }
}

absl::Status PartialSum::CountShard(int shard) {
  if (shard < 0 || shard >= tag_.num_shards) {
    return absl::InvalidArgumentError(absl::StrCat("shard must be in [0, ", tag_.num_shards,
                                                   "); got ", shard,
                                                   ". Sum the shards that the release has."));
  }
  uint8_t& times = shards_[static_cast<std::size_t>(shard)];
  times = TimesOfBoth(times, 1);
  return absl::OkStatus();
}

// The tag covers plan, request, corpus and attempt. C is asked for besides: sums of two radii would
// be a sum of neither.
absl::Status PartialSum::Merge(PartialSum&& other) {
  const UnitClipper::Params& params = clipper_.params();
  const UnitClipper::Params& others = other.clipper_.params();
  if (&other == this || other.tag_ != tag_ || other.shards_.size() != shards_.size() ||
      others.shape.dimension != params.shape.dimension ||
      others.shape.period != params.shape.period || others.clip_norm != params.clip_norm) {
    return absl::InvalidArgumentError(
        "both sums must be of one release and computed in one attempt; got two that are not. Sum "
        "the shards of this release again.");
  }
  // Not before everything is checked: a refusal leaves both as they were.
  const PartialSum taken = std::move(other);
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    shards_[i] = TimesOfBoth(shards_[i], taken.shards_[i]);
  }
  const auto entries = static_cast<std::size_t>(params.shape.dimension);
  for (std::size_t i = 0; i < entries; ++i) memory_.Add(i, taken.At(i));
  for (std::size_t bin = 0; bin < histogram_.size(); ++bin) {
    histogram_[bin] += taken.histogram_[bin];
  }
  return absl::OkStatus();
}

PartialSum::Adder::Adder(PartialSum* sum, ClippedUnit* clipped) : sum_(*sum), clipped_(*clipped) {
  // In turn: where there is a copy for every thread, none waits for another's lock.
  const std::lock_guard<std::mutex> lock(sum_.locks_[0]);
  copy_ = sum_.next_copy_++ % sum_.locks_.size();
}

// Bins of all adders meet here, once for each instead of once for each unit.
PartialSum::Adder::~Adder() {
  const std::lock_guard<std::mutex> lock(sum_.locks_[0]);
  for (std::size_t bin = 0; bin < histogram_.size(); ++bin) {
    sum_.histogram_[bin] += histogram_[bin];
  }
}

// The unit is taken by value and not asked anything: it is what pays for one addition. A dropped
// unit adds to neither part, for the histogram's count is of its norm, which must be a number.
void PartialSum::Adder::Add(SampledUnit /*unit*/, const model::SparseStatistic& statistic) {
  if (!sum_.clipper_.Clip(statistic, &clipped_)) return;
  {
    // Once for the whole unit. It does not guard the upper halves, which all copies share: those
    // are added to atomically.
    const std::lock_guard<std::mutex> lock(sum_.locks_[copy_]);
    AddRows(
        sum_.memory_.copy(copy_),
        {.columns = statistic.columns, .rows = statistic.rows, .values = clipped_.values.data()});
  }
  if (sum_.histogram_bound_ == 0) return;
  const int bin = NormHistogramBin(clipped_.weighted_norm);
  // Into the adder's own bins, which need no lock.
  histogram_[static_cast<std::size_t>(bin)] += sum_.histogram_bound_;
}

}  // namespace topicwall::mechanism
