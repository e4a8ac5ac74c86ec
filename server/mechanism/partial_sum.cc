// What a sum knows of the mechanism it takes from the coins, and so from the receipt: a release
// that ran with another σ, other weights or without its histogram would not be the one that was
// priced. Only C comes from the request; it is no part of the price.
//
// Adders work at once, each on a copy of the lower halves of the grid. All else is done while
// none of them is there: Create before, CountShard and the noise after.
#include "server/mechanism/partial_sum.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/mechanism/grid_rows.h"
#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::mechanism {

absl::StatusOr<PartialSum> PartialSum::Create(const ReleaseCoins& coins, ReleaseMemory&& memory,
                                              const Params& params) {
  const ledger::PaidMechanism& paid = coins.mechanism();
  TW_RETURN_IF_ERROR(ValidatePaidMechanism(paid, memory.shape()));
  // Clipped along other directions than those that are noised, a unit would be too long.
  if (params.direction_noise != 0 && !memory.took_directions_) {
    return absl::InvalidArgumentError(
        "direction_noise must be 0 where no directions were taken in. Take them before the "
        "charge.");
  }
  TW_ASSIGN_OR_RETURN(
      UnitClipper clipper,
      UnitClipper::Create({.shape = memory.shape(),
                           .clip_norm = params.clip_norm,
                           .weights = paid.weights,
                           .noise_multiplier = paid.noise_multiplier,
                           .direction_noise = params.direction_noise},
                          ChosenClipKernel(), memory.noisy_, std::move(memory.directions_)));
  return PartialSum(coins, std::move(memory), std::move(clipper));
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
  // 2 stands for more than once, so that no number of times comes round to once again.
  uint8_t& times = shards_[static_cast<std::size_t>(shard)];
  times = static_cast<uint8_t>(std::min(times + 1, 2));
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
