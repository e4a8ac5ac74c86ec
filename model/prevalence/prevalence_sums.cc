#include "model/prevalence/prevalence_sums.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace topicwall::prevalence {
namespace {

absl::Status CheckDeviation(absl::string_view name, double deviation) {
  if (deviation > 0 && std::isfinite(deviation)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, " must be finite and above 0; got ", deviation,
      ". It is the noise of the plan times its clip norm, over the weight of the column."));
}

absl::Status CheckRelease(absl::Span<const float> release, int num_topics, int64_t num_cells) {
  const auto length = static_cast<int64_t>(release.size());
  // By division: whoever says how many cells there are may say anything.
  if (num_topics < 1 || num_cells < 1 || length % num_cells != 0 ||
      length / num_cells != int64_t{num_topics} + 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a release of ", num_topics, " topics in ", num_cells,
                     " cells must have one number more than topics, of each cell; got ",
                     release.size(), ". Take topics and attributes from the plan."));
  }
  if (!std::all_of(release.begin(), release.end(), [](float x) { return std::isfinite(x); })) {
    return absl::InvalidArgumentError("a release must be of finite numbers; ask the wall again.");
  }
  return absl::OkStatus();
}

// How many new ones there are, each of which must have an old one.
template <typename Number>
absl::StatusOr<size_t> CountNew(absl::string_view name, absl::Span<const Number> news,
                                size_t num_olds, Number least) {
  if (news.size() != num_olds) {
    return absl::InvalidArgumentError(absl::StrCat("to merge ", name, "s, each of ", num_olds,
                                                   " must be given its new one; got ",
                                                   news.size()));
  }
  std::vector<bool> seen;
  for (const Number one : news) {
    if (!(one >= least && one < static_cast<Number>(num_olds))) {
      return absl::InvalidArgumentError(absl::StrCat("the new number of a ", name, " must be from ",
                                                     least, " to ", num_olds, " − 1; got ", one));
    }
    // Left out (kLeftOut): of groups alone, whose least is below 0.
    if (one < 0) continue;
    // Below num_olds, so the numbers that are asked for take no more memory than those there are.
    seen.resize(std::max(seen.size(), static_cast<size_t>(one) + 1));
    seen[static_cast<size_t>(one)] = true;
  }
  const auto gap = std::find(seen.begin(), seen.end(), false);
  if (seen.empty() || gap != seen.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("new ", name, "s must be numbered from 0; none is ", gap - seen.begin()));
  }
  return seen.size();
}

}  // namespace

absl::Status CheckNoise(const PrevalenceNoise& noise) {
  TW_RETURN_IF_ERROR(CheckDeviation("topic_deviation", noise.topic_deviation));
  TW_RETURN_IF_ERROR(CheckDeviation("count_deviation", noise.count_deviation));
  if (!(noise.sampling_rate > 0 && noise.sampling_rate <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sampling_rate must be in (0, 1]; got ", noise.sampling_rate, ". Take that of the plan."));
  }
  if (!(noise.documents_per_unit >= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("documents_per_unit must be at least 1; got ",
                                                   noise.documents_per_unit,
                                                   ". Take the limit of the corpus."));
  }
  return absl::OkStatus();
}

std::vector<double> NoiseVariances(const PrevalenceNoise& noise, int num_topics,
                                   int64_t num_releases) {
  const auto variance = [&](double deviation) {
    // A sum over a share ν of the units, divided by ν, estimates that of all: its noise is divided
    // with it.
    const double of_corpus = deviation / noise.sampling_rate;
    return of_corpus * of_corpus / static_cast<double>(num_releases);
  };
  std::vector<double> variances(static_cast<size_t>(num_topics), variance(noise.topic_deviation));
  variances.push_back(variance(noise.count_deviation));
  return variances;
}

// Of an estimate Σ b_i x_i/ν with coins b_i of rate ν the variance is Σ x_i² (1 - ν)/ν; a unit's x
// is at most its documents, and x² ≤ x · documents_per_unit.
double SamplingExcess(const PrevalenceNoise& noise, int64_t num_releases) {
  return (1 - noise.sampling_rate) / noise.sampling_rate *
         static_cast<double>(noise.documents_per_unit) / static_cast<double>(num_releases);
}

absl::StatusOr<PrevalenceSums> SumsOfReleases(absl::Span<const absl::Span<const float>> releases,
                                              int num_topics, int64_t num_cells,
                                              const PrevalenceNoise& noise) {
  TW_RETURN_IF_ERROR(CheckNoise(noise));
  if (releases.empty()) {
    return absl::InvalidArgumentError("there must be a release; got none. Ask the wall for one.");
  }
  for (const absl::Span<const float> release : releases) {
    TW_RETURN_IF_ERROR(CheckRelease(release, num_topics, num_cells));
  }
  const auto num_releases = static_cast<int64_t>(releases.size());
  PrevalenceSums sums{.num_topics = num_topics,
                      .values = std::vector<double>(releases[0].size()),
                      .variances = NoiseVariances(noise, num_topics, num_releases),
                      .cells = std::vector<int64_t>(static_cast<size_t>(num_cells), 1),
                      .sampling = SamplingExcess(noise, num_releases)};
  // The mean of the releases, of which each is divided by ν.
  const double scale = 1 / (noise.sampling_rate * static_cast<double>(num_releases));
  for (const absl::Span<const float> release : releases) {
    for (size_t i = 0; i < release.size(); ++i) sums.values[i] += double{release[i]} * scale;
  }
  return sums;
}

absl::StatusOr<PrevalenceSums> MergeCells(const PrevalenceSums& sums,
                                          absl::Span<const int64_t> groups) {
  TW_ASSIGN_OR_RETURN(const size_t num_groups,
                      CountNew<int64_t>("group", groups, sums.cells.size(), kLeftOut));
  const auto columns = static_cast<size_t>(sums.num_topics) + 1;
  PrevalenceSums merged{.num_topics = sums.num_topics,
                        .values = std::vector<double>(num_groups * columns),
                        .variances = sums.variances,
                        .cells = std::vector<int64_t>(num_groups),
                        .sampling = sums.sampling};
  for (size_t g = 0; g < groups.size(); ++g) {
    // Its noise goes with it: what a merged cell holds is only that of the cells in it.
    if (groups[g] == kLeftOut) continue;
    const auto group = static_cast<size_t>(groups[g]);
    const absl::Span<const double> row = sums.Row(static_cast<int64_t>(g));
    for (size_t k = 0; k < columns; ++k) merged.values[group * columns + k] += row[k];
    merged.cells[group] += sums.cells[g];
  }
  return merged;
}

absl::StatusOr<PrevalenceSums> MergeTopics(const PrevalenceSums& sums,
                                           absl::Span<const int> topics) {
  TW_ASSIGN_OR_RETURN(const size_t num_topics,
                      CountNew<int>("topic", topics, static_cast<size_t>(sums.num_topics), 0));
  const size_t columns = num_topics + 1;
  PrevalenceSums merged{.num_topics = static_cast<int>(num_topics),
                        .values = std::vector<double>(sums.cells.size() * columns),
                        .variances = std::vector<double>(columns),
                        .cells = sums.cells,
                        .sampling = sums.sampling};
  for (size_t k = 0; k <= topics.size(); ++k) {
    const size_t column = k < topics.size() ? static_cast<size_t>(topics[k]) : num_topics;
    // Noises of columns are independent, so that variances add up, and are the same in every row.
    merged.variances[column] += sums.variances[k];
    for (size_t g = 0; g < sums.cells.size(); ++g) {
      merged.values[g * columns + column] += sums.Row(static_cast<int64_t>(g))[k];
    }
  }
  return merged;
}

}  // namespace topicwall::prevalence
