#include "server/audit/statistics/large_noise_sums.h"

#include "server/audit/walls/production_world.h"
#include "server/mechanism/noise_mechanism.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kTopics = ProductionWorld::kTopics;
constexpr std::size_t kTerms = ProductionWorld::kTerms;
// Whole terms.
constexpr std::size_t kBlock = mechanism::kEntriesPerNoiseBlock / kTopics * kTopics;

// Of the entries counted term by term.
bool IsOfUnit(std::size_t entry) { return entry / kTopics % kTopics == entry % kTopics; }

std::vector<float> ByTerm(const std::vector<float>& by_topic) {
  std::vector<float> by_term(by_topic.size());
  for (std::size_t topic = 0; topic < kTopics; ++topic) {
    for (std::size_t term = 0; term < kTerms; ++term) {
      by_term[term * kTopics + topic] = by_topic[topic * kTerms + term];
    }
  }
  return by_term;
}

}  // namespace

void LargeNoiseSums::Add(const ReceivedRelease& release) {
  std::vector<float> by_term = ByTerm(release.statistics);
  ++releases;
  AddBlocks(by_term);
  CompareRuns(by_term);
  if (releases % 2 == 0) {
    for (std::size_t i = 0; i < by_term.size(); ++i) {
      if (IsOfUnit(i)) continue;
      between_releases.Add(static_cast<double>(by_term[i]) * static_cast<double>(last_[i]));
    }
  }
  last_ = std::move(by_term);
}

void LargeNoiseSums::AddBlocks(const std::vector<float>& by_term) {
  for (std::size_t i = 0; i < by_term.size(); ++i) {
    if (i % kBlock == 0) squared_by_block.emplace_back();
    const auto value = static_cast<double>(by_term[i]);
    if (IsOfUnit(i)) {
      shift.Add(value);
      continue;
    }
    noise.Add(value);
    noise_squared.Add(value * value);
    squared_by_block.back().Add(value * value);
  }
}

void LargeNoiseSums::CompareRuns(const std::vector<float>& by_term) {
  const auto run_at = [&](std::size_t i) {
    return Run{by_term[i], by_term[i + 1], by_term[i + 2], by_term[i + 3]};
  };
  const std::size_t end = by_term.size() - (Run().size() - 1);
  for (std::size_t begin = 0; begin < end; begin += kBlock) {
    std::size_t i = begin;  // a unit's own entry is not noise alone: behind it
    while (IsOfUnit(i) || IsOfUnit(i + 1) || IsOfUnit(i + 2) || IsOfUnit(i + 3)) ++i;
    if (!first_runs_.emplace(run_at(i), std::pair(releases, i)).second) ++runs_twice;
  }
  for (std::size_t i = 0; i < end; ++i) {
    const auto found = first_runs_.find(run_at(i));
    if (found != first_runs_.end() && found->second != std::pair(releases, i)) ++runs_twice;
  }
}

}  // namespace topicwall::audit
