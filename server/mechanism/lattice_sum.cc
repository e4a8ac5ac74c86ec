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
      parts_(kParts + 1),
      memory_(std::move(memory)) {
  while ((memory_.vocabulary_size() - 1) >> part_shift_ >= int64_t{kParts}) ++part_shift_;
  const ledger::PaidMechanism& paid = coins_.mechanism();
  if (paid.histogram_noise_multiplier.has_value()) {
    histogram_bound_ = LatticeBound(*paid.histogram_noise_multiplier);
  }
}

void LatticeSum::Add(SampledUnit /*unit*/, const lda::UnitStatistic& statistic,
                     ClippedUnit* scratch) {
  Prefetch(statistic);
  if (!clipper_.Clip(statistic, scratch)) return;
  scratch->places.assign(statistic.topics().begin(), statistic.topics().end());
  const absl::Span<const uint32_t> terms = statistic.terms();
  const uint64_t* from = scratch->values.data();
  for (std::size_t i = 0; i < terms.size();) {
    const uint32_t part = terms[i] >> part_shift_;
    const std::lock_guard<std::mutex> lock(parts_[part]);
    for (; i < terms.size() && terms[i] >> part_shift_ == part; ++i) {
      AddRow(terms[i], scratch->places, from);
      from += scratch->places.size();
    }
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
  constexpr uintptr_t kLine = 64;
  for (const uint32_t term : statistic.terms()) {
    const uint32_t* row = memory_.low_.data() + term * num_topics;
    uintptr_t last_line = 0;
    for (const uint32_t topic : statistic.topics()) {
      const uintptr_t line = reinterpret_cast<uintptr_t>(row + topic) / kLine;
      if (line != last_line) __builtin_prefetch(row + topic, /*rw=*/0, /*locality=*/2);
      last_line = line;
    }
  }
}

void LatticeSum::AddRow(uint32_t term, absl::Span<const std::size_t> places, const uint64_t* from) {
  const std::size_t row = term * static_cast<std::size_t>(memory_.num_topics());
  uint32_t* low = memory_.low_.data() + row;
  uint32_t* high = memory_.high_.data() + row;
  for (std::size_t a = 0; a < places.size(); ++a) {
    const uint64_t sum = low[places[a]] + from[a];  // from[a] < 2^37: does not wrap
    low[places[a]] = static_cast<uint32_t>(sum);
    if (sum >> 32 != 0) high[places[a]] += static_cast<uint32_t>(sum >> 32);
  }
}

void LatticeSum::AddToHistogram(double weighted_norm) {
  if (histogram_bound_ == 0) return;
  const auto bin = static_cast<std::size_t>(NormHistogramBin(weighted_norm));
  const std::lock_guard<std::mutex> lock(parts_[kParts]);
  histogram_[bin] += histogram_bound_;
}

}  // namespace topicwall::mechanism
