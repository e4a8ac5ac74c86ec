#include "server/audit/statistics/noise_sums.h"

#include <algorithm>
#include <cmath>

#include "server/mechanism/noise_mechanism.h"

namespace topicwall::audit {
namespace {

// Of whole terms, as the mechanism draws them.
std::size_t BlockOf(const CanaryShape& shape) {
  return mechanism::kEntriesPerNoiseBlock / shape.topics * shape.topics;
}

// Of pairs that far apart, no number in two of them.
void AddProducts(const std::vector<double>& noise, std::size_t distance, Mean* mean) {
  for (std::size_t first = 0; first + distance < noise.size(); first += 2 * distance) {
    const std::size_t end = std::min(first + distance, noise.size() - distance);
    for (std::size_t i = first; i < end; ++i) mean->Add(noise[i] * noise[i + distance]);
  }
}

}  // namespace

void NoiseSums::Add(const CanaryWall::Seen& seen) {
  ++releases_;
  not_repeatable_ += seen.is_repeatable ? 0 : 1;
  std::vector<double> noise;
  noise.reserve(seen.by_term.size());
  for (std::size_t i = 0; i < seen.by_term.size(); ++i) {
    noise.push_back((static_cast<double>(seen.by_term[i]) - (shape_.IsOfUnit(i) ? 1 : 0)) / sigma_);
  }
  AddNoise(noise, seen.by_term);
  AddHistogram(seen, noise);
  CompareRuns(seen.by_term);
  if (releases_ % 2 == 0) {
    for (std::size_t i = 0; i < noise.size(); ++i) between_releases_.Add(noise[i] * last_noise_[i]);
  }
  AddProducts(noise, 1, &next_entries_);
  AddProducts(noise, BlockOf(shape_), &next_blocks_);
  last_noise_ = std::move(noise);
}

void NoiseSums::AddNoise(const std::vector<double>& noise, const std::vector<float>& seen) {
  const std::size_t block = BlockOf(shape_);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (i % block == 0) squared_by_block_.emplace_back();
    squared_by_block_.back().Add(noise[i] * noise[i]);
    const bool is_of_unit = shape_.IsOfUnit(i);
    // Half way between N(0, σ²) and N(1, σ²): no other threshold, nor any other test, tells them
    // apart better (Neyman and Pearson).
    above_[is_of_unit ? 1 : 0] += seen[i] > 0.5F ? 1 : 0;
    (is_of_unit ? squared_with_data_ : noise_squared_).Add(noise[i] * noise[i]);
    if (is_of_unit) {
      shift_.Add(static_cast<double>(seen[i]));
      continue;
    }
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      beyond_level_[level][0] += noise[i] < -kLevels[level] ? 1 : 0;
      beyond_level_[level][1] += noise[i] > kLevels[level] ? 1 : 0;
    }
  }
}

void NoiseSums::AddHistogram(const CanaryWall::Seen& seen, const std::vector<double>& noise) {
  if (seen.histogram.empty()) return;
  const std::size_t last = seen.histogram.size() - 1;
  histogram_shift_.Add(static_cast<double>(seen.histogram[last]) /
                       static_cast<double>(shape_.units));
  // All units are in the last bin, so the others are noise alone. Their products with the first of
  // the statistics' noise show a stream that both began with.
  for (std::size_t bin = 0; bin < last; ++bin) {
    const double of_bin = static_cast<double>(seen.histogram[bin]) / sigma_h_;
    histogram_squared_.Add(of_bin * of_bin);
    histogram_with_statistics_.Add(of_bin * noise[bin]);
  }
}

void NoiseSums::CompareRuns(const std::vector<float>& by_term) {
  const auto run_at = [&](std::size_t i) {
    return Run{by_term[i], by_term[i + 1], by_term[i + 2], by_term[i + 3]};
  };
  const auto has_unit = [&](std::size_t i) {
    return shape_.IsOfUnit(i) || shape_.IsOfUnit(i + 1) || shape_.IsOfUnit(i + 2) ||
           shape_.IsOfUnit(i + 3);
  };
  const std::size_t end = by_term.size() - (Run().size() - 1);
  const std::size_t block = BlockOf(shape_);
  for (std::size_t begin = 0; begin < end; begin += block) {
    std::size_t i = begin;
    while (i < end && has_unit(i)) ++i;  // a unit's own entry is not noise alone: behind it
    if (i < end && !first_runs_.emplace(run_at(i), std::pair(releases_, i)).second) ++runs_twice_;
  }
  for (std::size_t i = 0; i < end; ++i) {
    const auto found = first_runs_.find(run_at(i));
    if (found != first_runs_.end() && found->second != std::pair(releases_, i)) ++runs_twice_;
  }
}

}  // namespace topicwall::audit
