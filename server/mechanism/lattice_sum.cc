#include "server/mechanism/lattice_sum.h"

#include <cstddef>

#include "absl/status/status.h"
#include "server/mechanism/lattice_rows.h"
#include "server/mechanism/lattice_scale.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::mechanism {

absl::StatusOr<LatticeSum> LatticeSum::Create(ReleaseCoins&& coins, ReleaseMemory&& memory,
                                              const Params& params) {
  const ledger::PaidMechanism& paid = coins.mechanism();
  absl::Status status = ValidatePaidMechanism(paid, memory.shape());
  if (!status.ok()) return status;
  absl::StatusOr<UnitClipper> clipper =
      UnitClipper::Create({.shape = memory.shape(),
                           .clip_norm = params.clip_norm,
                           .weights = paid.term_weights,
                           .noise_multiplier = paid.noise_multiplier});
  if (!clipper.ok()) return clipper.status();
  return LatticeSum(std::move(coins), std::move(memory), *std::move(clipper));
}

LatticeSum::LatticeSum(ReleaseCoins coins, ReleaseMemory memory, UnitClipper clipper)
    : coins_(std::move(coins)),
      clipper_(std::move(clipper)),
      histogram_bound_(0),
      locks_(memory.num_copies()),
      memory_(std::move(memory)) {
  const ledger::PaidMechanism& paid = coins_.mechanism();
  if (paid.histogram_noise_multiplier.has_value()) {
    histogram_bound_ = LatticeBound(*paid.histogram_noise_multiplier);
  }
}

LatticeSum::Adder::Adder(LatticeSum* sum, ClippedUnit* clipped) : sum_(*sum), clipped_(*clipped) {
  // In turn: where there is a copy for every thread, none waits for another's lock.
  const std::lock_guard<std::mutex> lock(sum_.locks_[0]);
  copy_ = sum_.next_copy_++ % sum_.locks_.size();
}

LatticeSum::Adder::~Adder() {
  const std::lock_guard<std::mutex> lock(sum_.locks_[0]);
  for (std::size_t bin = 0; bin < histogram_.size(); ++bin) {
    sum_.histogram_[bin] += histogram_[bin];
  }
}

void LatticeSum::Adder::Add(SampledUnit /*unit*/, const model::SparseStatistic& statistic) {
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
