#include "server/audit/statistics/noise_sums.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "server/audit/statistics/statistical_bounds.h"

namespace topicwall::audit {
namespace {

// Releases that are looked at for repetitions within them.
constexpr std::size_t kFirst = 4;
// Enough entries to tell two releases' noise apart.
constexpr std::size_t kFingerprint = 32;
// Norms from 8 words on: documents are shorter, and canaries in the last bin.
constexpr int kFirstEmptyBin = 25;

std::string Fingerprint(const std::vector<double>& noise) {
  return {reinterpret_cast<const char*>(noise.data()),
          std::min(kFingerprint, noise.size()) * sizeof(double)};
}

// Of pairs that far apart, no number in two of them.
Mean ProductAtDistance(const std::vector<double>& noise, std::size_t distance) {
  Mean mean;
  for (std::size_t first = 0; first + distance < noise.size(); first += 2 * distance) {
    const std::size_t end = std::min(first + distance, noise.size() - distance);
    for (std::size_t i = first; i < end; ++i) mean.Add(noise[i] * noise[i + distance]);
  }
  return mean;
}

}  // namespace

void NoiseSums::Add(const NoiseWorld::Releases& released) {
  ++releases;
  if (!released.replays_are_equal) ++replays_that_differ;
  AddCanaries(released);
  AddHistograms(released);
  const std::vector<double> with = NoiseOf(released.with);
  const std::vector<double> without = NoiseOf(released.without);
  for (const auto* values : {&with, &without}) {
    if (!seen_.insert(Fingerprint(*values)).second) ++releases_twice;
    if (first_noises_.size() < kFirst) first_noises_.push_back(*values);
    for (const double value : *values) {
      noise.Add(value);
      noise_squared.Add(value * value);
    }
  }
  for (std::size_t i = 0; i < with.size(); ++i) between_walls.Add(with[i] * without[i]);
  AddPair(released, with);
}

void NoiseSums::AddCanaries(const NoiseWorld::Releases& released) {
  for (int canary = 0; canary < NoiseWorld::kCanaries; ++canary) {
    const double with = NoiseWorld::Project(released.with, canary);
    const double without = NoiseWorld::Project(released.without, canary);
    ++trials;
    if (with > 0.5) ++true_positives;
    if (without > 0.5) ++false_positives;
    shift.Add(with - without);
  }
}

void NoiseSums::AddHistograms(const NoiseWorld::Releases& released) {
  const auto& with = released.with.header.norm_histogram();
  const auto& without = released.without.header.norm_histogram();
  const int bin = NoiseWorld::CanaryBin();
  if (with.size() <= bin || without.size() <= bin) return;
  histogram_shift.Add(static_cast<double>(with[bin] - without[bin]) / NoiseWorld::kCanaries);
  const std::vector<float>& statistics = released.without.statistics;
  const double unit = noise_multiplier_ * NoiseWorld::kClipNorm;
  for (int empty = kFirstEmptyBin; empty < bin; ++empty) {
    for (const auto* histogram : {&with, &without}) {
      const double value = static_cast<double>((*histogram)[empty]) / histogram_noise_multiplier_;
      histogram_noise_squared.Add(value * value);
    }
    const double noise_of_bin = static_cast<double>(without[empty]) / histogram_noise_multiplier_;
    const auto number = static_cast<std::size_t>(empty);
    const std::size_t by_terms =
        number % NoiseWorld::kTopics * NoiseWorld::kTerms + number / NoiseWorld::kTopics;
    histogram_by_terms.Add(noise_of_bin * static_cast<double>(statistics[by_terms]) / unit);
    histogram_by_topics.Add(noise_of_bin * static_cast<double>(statistics[number]) / unit);
  }
}

std::vector<double> NoiseSums::NoiseOf(const ReceivedRelease& release) {
  std::vector<double> values;
  values.reserve(NoiseWorld::EmptyEntries().size());
  for (const int entry : NoiseWorld::EmptyEntries()) {
    values.push_back(static_cast<double>(release.statistics[static_cast<std::size_t>(entry)]) /
                     (noise_multiplier_ * NoiseWorld::kClipNorm));
  }
  return values;
}

void NoiseSums::AddPair(const NoiseWorld::Releases& released, const std::vector<double>& with) {
  if (releases % 2 == 1) {
    last_noise_ = with;
    last_statistics_ = released.with.statistics;
    return;
  }
  for (std::size_t i = 0; i < with.size(); ++i) between_releases.Add(with[i] * last_noise_[i]);
  const double unit = noise_multiplier_ * NoiseWorld::kClipNorm;
  for (const int entry : NoiseWorld::DocumentEntries()) {
    const auto place = static_cast<std::size_t>(entry);
    const double difference = static_cast<double>(released.with.statistics[place]) -
                              static_cast<double>(last_statistics_[place]);
    document_noise_squared.Add(difference * difference / (2 * unit * unit));
  }
}

double NoiseSums::WorstDistance(double x) const {
  if (first_noises_.empty()) return 0;
  const std::size_t distances = first_noises_[0].size() / 2;
  const double all = x + std::log(static_cast<double>(distances * first_noises_.size()));
  double worst = 0;
  for (std::size_t distance = 1; distance <= distances; ++distance) {
    for (const std::vector<double>& values : first_noises_) {
      const Mean mean = ProductAtDistance(values, distance);
      worst = std::max(worst, std::fabs(mean.value()) / MeanProductBound(mean.n, all));
    }
  }
  return worst;
}

}  // namespace topicwall::audit
