#include "server/mechanism/lattice_sum.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
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
      stripes_(kStripes + 1),
      memory_(std::move(memory)) {
  const ledger::PaidMechanism& paid = coins_.mechanism();
  if (paid.histogram_noise_multiplier.has_value()) {
    histogram_bound_ = LatticeBound(*paid.histogram_noise_multiplier);
  }
}

void LatticeSum::Add(SampledUnit /*unit*/, const lda::UnitStatistic& statistic,
                     ClippedUnit* scratch) {
  Prefetch(statistic);
  if (!clipper_.Clip(statistic, scratch)) return;
  const absl::Span<const uint32_t> terms = statistic.terms();
  const absl::Span<const uint32_t> topics = statistic.topics();
  const auto num_topics = static_cast<std::size_t>(memory_.num_topics());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const uint64_t* from = scratch->values.data() + i * topics.size();
    uint64_t* to = memory_.lattice_.data() + terms[i] * num_topics;
    const std::lock_guard<std::mutex> lock(stripes_[terms[i] % kStripes]);
    for (std::size_t a = 0; a < topics.size(); ++a) to[topics[a]] += from[a];
  }
  AddToHistogram(scratch->weighted_norm);
}

void LatticeSum::Prefetch(const lda::UnitStatistic& statistic) const {
  const auto num_topics = static_cast<std::size_t>(memory_.num_topics());
  if (statistic.topics().empty() || statistic.terms().empty() ||
      statistic.topics().back() >= num_topics ||
      int64_t{statistic.terms().back()} >= memory_.vocabulary_size()) {
    return;  // the clipper will drop it
  }
  for (const uint32_t term : statistic.terms()) {
    const uint64_t* row = memory_.lattice_.data() + term * num_topics;
    for (const uint32_t topic : statistic.topics()) __builtin_prefetch(row + topic, /*rw=*/1);
  }
}

void LatticeSum::AddToHistogram(double weighted_norm) {
  if (histogram_bound_ == 0) return;
  const auto bin = static_cast<std::size_t>(NormHistogramBin(weighted_norm));
  const std::lock_guard<std::mutex> lock(stripes_[kStripes]);
  histogram_[bin] += histogram_bound_;
}

}  // namespace topicwall::mechanism
