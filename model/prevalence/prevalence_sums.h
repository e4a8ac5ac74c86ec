// Noisy sums of topics by group, from releases of the prevalence model, and what may be merged.
//
//   TW_ASSIGN_OR_RETURN(PrevalenceSums months, SumsOfReleases(releases, K, cells.size(), noise));
//   TW_ASSIGN_OR_RETURN(PrevalenceSums quarters, MergeCells(months, {0, 0, 0, 1, 1, 1, …}));
//   TW_ASSIGN_OR_RETURN(PrevalenceSums coarse, MergeTopics(quarters, {0, 1, 1, 2}));
//   EstimatePrevalence(coarse);                                    // prevalence_estimate.h
//
// A release has (K + 1)·G numbers, cell by cell (cells.h): the sums s_k of the topics' shares of
// its documents, then the number n of its documents. Each carries independent normal noise, of
// deviation τ on sums and τ_n on counts: with noise σ, clip C and weight b on the document's
// column, τ = σC and τ_n = σC/b. J releases of one plan are averaged: noise τ²/J.
//
// All that follows is of clipped units. Where a unit is one document and C >= √(1 + b²), nothing is
// ever clipped and the sums are those of the documents.
//
// At a sampling rate ν < 1 sums are divided by ν, and who was drawn is a second error. Of a unit of
// at most m documents, Σ_d c_d over them enters with variance (1−ν)/ν·(Σ_d c_d)² <=
// (1−ν)/ν·m·Σ_d c_d². Θ is seen nowhere; with θ² <= θ that is, for s_k − r·n at r = s_k/n,
//   at most κ·n·r(1−r),   κ = (1−ν)·m/(ν·J)
// as if every document were of one topic. Drawn are units, each by itself, anew in every release.
//
// Merging is post-processing and free: sums add, and so do the variances of their noise; κ stays.
//
// Errors: INVALID_ARGUMENT for shapes that do not fit, numbers that are not finite, deviations that
// are not finite and > 0, a rate outside (0, 1]. PUBLIC. Threads: values. Cost: one pass.
#ifndef TOPICWALL_MODEL_PREVALENCE_PREVALENCE_SUMS_H_
#define TOPICWALL_MODEL_PREVALENCE_PREVALENCE_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::prevalence {

// Of one release, as it comes from the wall.
struct PrevalenceNoise {
  double topic_deviation;          // τ, in documents
  double count_deviation;          // τ_n, in documents
  double sampling_rate;            // ν
  int64_t documents_per_unit = 1;  // m >= 1: the most that a unit is cut to
};

struct PrevalenceSums {
  int num_topics;              // K
  std::vector<double> values;  // groups × (K + 1), row = group; of the whole corpus, not a sample
  std::vector<double> variances;  // K + 1, > 0: of the noise, of one cell
  std::vector<int64_t> cells;     // >= 1: how many were merged into each group
  double sampling;                // κ >= 0

  int64_t num_groups() const { return static_cast<int64_t>(cells.size()); }
  absl::Span<const double> Row(int64_t group) const {
    const auto columns = static_cast<size_t>(num_topics) + 1;
    return absl::MakeConstSpan(values).subspan(static_cast<size_t>(group) * columns, columns);
  }
};

absl::Status CheckNoise(const PrevalenceNoise& noise);
// `variances` and `sampling` of the mean of `num_releases` >= 1.
std::vector<double> NoiseVariances(const PrevalenceNoise& noise, int num_topics,
                                   int64_t num_releases);
double SamplingExcess(const PrevalenceNoise& noise, int64_t num_releases);

// Every cell is a group. `releases`: one or more of the same plan, K >= 1.
absl::StatusOr<PrevalenceSums> SumsOfReleases(absl::Span<const absl::Span<const float>> releases,
                                              int num_topics, int64_t num_cells,
                                              const PrevalenceNoise& noise);

// groups[g] is the new group of the present group g, or kLeftOut. The new ones are numbered from 0
// and each has a present one.
inline constexpr int64_t kLeftOut = -1;
absl::StatusOr<PrevalenceSums> MergeCells(const PrevalenceSums& sums,
                                          absl::Span<const int64_t> groups);

// topics[k] is the new topic of the present topic k. None is left out: shares sum to 1.
absl::StatusOr<PrevalenceSums> MergeTopics(const PrevalenceSums& sums,
                                           absl::Span<const int> topics);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_PREVALENCE_SUMS_H_
