#include "server/mechanism/lattice_sum.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/mechanism/lattice_rows.h"
#include "server/mechanism/lattice_scale.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::mechanism {

absl::StatusOr<LatticeSum> LatticeSum::Create(ReleaseCoins&& coins, ReleaseMemory&& memory,
                                              const Params& params) {
  const ledger::PaidMechanism& paid = coins.mechanism();
  absl::Status status = ValidatePaidMechanism(paid, memory.vocabulary_size());
  if (!status.ok()) return status;
  if (memory.num_topics() != paid.num_topics) {
    return absl::InvalidArgumentError(absl::StrCat("num_topics must be the plan's, ",
                                                   paid.num_topics, "; got ", memory.num_topics(),
                                                   ". Reserve memory for the plan."));
  }
  absl::StatusOr<UnitClipper> clipper =
      UnitClipper::Create({.num_topics = paid.num_topics,
                           .vocabulary_size = memory.vocabulary_size(),
                           .clip_norm = params.clip_norm,
                           .term_weights = paid.term_weights,
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

void LatticeSum::Adder::Add(SampledUnit unit, const lda::UnitStatistic& statistic) {
  Add(std::move(unit), UnitClipper::Entries{.terms = statistic.terms(),
                                            .topics = statistic.topics(),
                                            .values = statistic.rows(&clipped_.rows)});
}

void LatticeSum::Adder::Add(SampledUnit /*unit*/, const UnitClipper::Entries& statistic) {
  if (!sum_.clipper_.ClipEntries(statistic, &clipped_)) return;
  {
    // Once for the whole unit. It does not guard the upper halves, which all copies share: those
    // are added to atomically.
    const std::lock_guard<std::mutex> lock(sum_.locks_[copy_]);
    AddRows(
        sum_.memory_.copy(copy_),
        {.terms = statistic.terms, .topics = statistic.topics, .values = clipped_.values.data()});
  }
  if (sum_.histogram_bound_ == 0) return;
  const int bin = NormHistogramBin(clipped_.weighted_norm);
  // Into the adder's own bins, which need no lock.
  histogram_[static_cast<std::size_t>(bin)] += sum_.histogram_bound_;
}

}  // namespace topicwall::mechanism
