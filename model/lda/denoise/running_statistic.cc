#include "model/lda/denoise/running_statistic.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::lda {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max();
// Entries that a thread updates at a time.
constexpr size_t kEntriesPerBlock = size_t{1} << 15;

bool IsFractionAboveZero(double x) { return x > 0 && x <= 1; }

std::vector<float> DeviationsOf(const std::vector<double>& variances) {
  std::vector<float> deviations;
  // Kept in double as variances, since the recursion is one of variances; rounded here, where it
  // is only read.
  for (const double x : variances) deviations.push_back(static_cast<float>(std::sqrt(x)));
  return deviations;
}

absl::Status CheckVariances(const std::vector<double>& variances) {
  for (const double variance : variances) {
    if (!(variance >= 0 && std::sqrt(variance) <= kLargest)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "variances of the state must be at least 0 and within float32 squared; got ", variance));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckState(const RunningStatisticState& state, size_t entries, size_t terms) {
  const bool empty = state.updates == 0;
  const size_t values = empty ? 0 : entries, variances = empty ? 0 : terms;
  if (state.updates < 0 || state.values.size() != values ||
      state.noise_variances.size() != variances) {
    return absl::InvalidArgumentError(absl::StrCat(
        "state of ", state.updates, " updates must have ", values, " values and ", variances,
        " variances; got ", state.values.size(), " and ", state.noise_variances.size()));
  }
  for (const float value : state.values) {
    if (!std::isfinite(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("values of the state must be finite; got ", value));
    }
  }
  const size_t masses = state.mass_variances.size();
  if (masses != 0 && (empty || masses != entries / terms)) {
    return absl::InvalidArgumentError(
        absl::StrCat("state of ", state.updates, " updates must have no variances of masses",
                     empty ? "" : absl::StrCat(" or ", entries / terms), "; got ", masses));
  }
  TW_RETURN_IF_ERROR(CheckVariances(state.noise_variances));
  return CheckVariances(state.mass_variances);
}

// Entries begin … end of (1 − ρ)·before + ρ·sum/ν. False if a sum or a result is not finite.
struct Step {
  const float* sums;
  const float* before;  // null: the first update
  float* after;
  double rho;
  double rate;

  bool Take(size_t begin, size_t end) const {
    int bad = 0;  // without a branch the loop is vectorised
    for (size_t i = begin; i < end; ++i) {
      const double kept = before == nullptr ? 0 : (1 - rho) * before[i];
      after[i] = static_cast<float>(kept + rho * (sums[i] / rate));
      bad |= static_cast<int>(!(std::fabs(sums[i]) <= kLargest));
      bad |= static_cast<int>(!(std::fabs(after[i]) <= kLargest));
    }
    return bad == 0;
  }
};

absl::Status SumError(absl::Span<const float> sums, absl::Span<const float> after, size_t terms) {
  size_t i = 0;
  while (i + 1 < sums.size() && std::isfinite(sums[i]) && std::isfinite(after[i])) ++i;
  return absl::InvalidArgumentError(
      absl::StrCat("noisy_sum must be finite and its share of the corpus within float32; got ",
                   sums[i], " for topic ", i / terms, ", term ", i % terms, " (counted from 0)"));
}

// exp(ℓ) of a topic, over the largest; returns their sum.
double TakeShares(absl::Span<const float> logs, absl::Span<double> shares) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (size_t v = 0; v < logs.size(); ++v) sum += shares[v] = PortableExp(logs[v] - largest);
  return sum;
}

}  // namespace

absl::StatusOr<RunningStatistic> RunningStatistic::Create(const RunningStatisticShape& shape,
                                                          RunningStatisticState state) {
  TW_RETURN_IF_ERROR(CheckTopicShape(shape.num_topics, shape.vocabulary_size));
  if (!IsFractionAboveZero(shape.sampling_rate)) {
    return absl::InvalidArgumentError(
        absl::StrCat("sampling_rate must be in (0, 1]; got ", shape.sampling_rate));
  }
  const auto terms = static_cast<size_t>(shape.vocabulary_size);
  TW_RETURN_IF_ERROR(CheckState(state, static_cast<size_t>(shape.num_topics) * terms, terms));
  return RunningStatistic(shape, std::move(state));
}

RunningStatistic::RunningStatistic(const RunningStatisticShape& shape, RunningStatisticState state)
    : shape_(shape), state_(std::move(state)) {
  TakeDeviations();
}

void RunningStatistic::TakeDeviations() {
  noise_deviations_ = DeviationsOf(state_.noise_variances);
  mass_deviations_ = DeviationsOf(state_.mass_variances);
}

absl::Status RunningStatistic::Check(const Release& release) const {
  const auto terms = static_cast<size_t>(shape_.vocabulary_size);
  const size_t entries = static_cast<size_t>(shape_.num_topics) * terms;
  if (release.noisy_sum.size() != entries) {
    return absl::InvalidArgumentError(
        absl::StrCat("noisy_sum must have ", entries, " entries; got ", release.noisy_sum.size()));
  }
  if (!(release.noise_deviation >= 0 && release.noise_deviation <= kLargest)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "noise_deviation must be finite and at least 0; got ", release.noise_deviation));
  }
  if (!IsFractionAboveZero(release.step_size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("step_size must be in (0, 1]; got ", release.step_size));
  }
  if (!release.term_weights.empty() && release.term_weights.size() != terms) {
    return absl::InvalidArgumentError(absl::StrCat("term_weights must be none or ", terms, "; got ",
                                                   release.term_weights.size()));
  }
  for (const float weight : release.term_weights) {
    // Also keeps the deviations below within float32.
    if (!(weight > 0 && release.noise_deviation / (weight * shape_.sampling_rate) <= kLargest)) {
      return absl::InvalidArgumentError(
          absl::StrCat("term_weights must be above 0, and the noise within float32; got ", weight));
    }
  }
  const size_t masses = release.mass_deviations.size();
  if (masses != 0 && masses != static_cast<size_t>(shape_.num_topics)) {
    return absl::InvalidArgumentError(
        absl::StrCat("mass_deviations must be none or ", shape_.num_topics, "; got ", masses));
  }
  for (const double deviation : release.mass_deviations) {
    if (!(deviation >= 0 && deviation / shape_.sampling_rate <= kLargest)) {
      return absl::InvalidArgumentError(
          absl::StrCat("mass_deviations must be at least 0 and within float32; got ", deviation));
    }
  }
  return absl::OkStatus();
}

absl::Status RunningStatistic::Update(const Release& release, int num_threads) {
  TW_RETURN_IF_ERROR(Check(release));
  const bool first = state_.updates == 0;
  // The first sum stands alone: beside it anything before would be a guess of weight 1 − ρ.
  const double rho = first ? 1 : release.step_size;
  const size_t entries = release.noisy_sum.size();
  // Into a new vector: an entry that is found not finite leaves the state as it was.
  std::vector<float> after(entries);
  const Step step = {.sums = release.noisy_sum.data(),
                     .before = first ? nullptr : state_.values.data(),
                     .after = after.data(),
                     .rho = rho,
                     .rate = shape_.sampling_rate};
  std::atomic<bool> all_finite = true;
  ForEachPart(entries, kEntriesPerBlock, num_threads, [&](size_t begin, size_t end, size_t) {
    if (!step.Take(begin, end)) all_finite = false;
  });
  if (!all_finite) {
    return SumError(release.noisy_sum, after, static_cast<size_t>(shape_.vocabulary_size));
  }
  state_.values = std::move(after);
  UpdateVariances(release, rho);
  ++state_.updates;
  TakeDeviations();
  return absl::OkStatus();
}

// Independent noises: variances add, each by the square of the weight that its release has in Y.
void RunningStatistic::UpdateVariances(const Release& release, double rho) {
  state_.noise_variances.resize(static_cast<size_t>(shape_.vocabulary_size));
  for (size_t v = 0; v < state_.noise_variances.size(); ++v) {
    const double weight = release.term_weights.empty() ? 1.0 : double{release.term_weights[v]};
    const double added = rho * release.noise_deviation / (weight * shape_.sampling_rate);
    state_.noise_variances[v] = (1 - rho) * (1 - rho) * state_.noise_variances[v] + added * added;
  }
  if (!release.mass_deviations.empty())
    state_.mass_variances.resize(release.mass_deviations.size());
  for (size_t k = 0; k < state_.mass_variances.size(); ++k) {
    const double deviation = release.mass_deviations.empty() ? 0 : release.mass_deviations[k];
    const double added = rho * deviation / shape_.sampling_rate;
    state_.mass_variances[k] = (1 - rho) * (1 - rho) * state_.mass_variances[k] + added * added;
  }
}

std::vector<double> MassDeviations(const LogTopicsView& asked, absl::Span<const float> term_weights,
                                   double deviation) {
  const auto terms = static_cast<size_t>(asked.vocabulary_size);
  std::vector<double> deviations, shares(terms);
  for (size_t row = 0; row < asked.values.size(); row += terms) {
    const double sum = TakeShares(asked.values.subspan(row, terms), absl::MakeSpan(shares));
    double squares = 0;
    for (size_t v = 0; v < terms; ++v) {
      const double weighted = shares[v] * (term_weights.empty() ? 1.0 : double{term_weights[v]});
      squares += weighted * weighted;
    }
    // Along wβ/‖wβ‖ the noise has this deviation. With the weights taken off it moves a topic's sum
    // by Σβ/‖wβ‖ times as much.
    deviations.push_back(deviation * sum / std::sqrt(squares));
  }
  return deviations;
}

NoiseOfSums NoiseAlongInSums(const LogTopicsView& asked, absl::Span<const double> mass_deviations) {
  const auto terms = static_cast<size_t>(asked.vocabulary_size);
  NoiseOfSums noise = {.variances = std::vector<double>(terms), .of_all_terms = 0};
  std::vector<double> shares(terms);
  for (size_t k = 0; k < mass_deviations.size(); ++k) {
    const double sum = TakeShares(asked.values.subspan(k * terms, terms), absl::MakeSpan(shares));
    for (size_t v = 0; v < terms; ++v) {
      const double deviation = mass_deviations[k] * shares[v] / sum;
      noise.variances[v] += deviation * deviation;
    }
    // One draw moves all terms of a topic together, so that their deviations add, not their
    // variances.
    noise.of_all_terms += mass_deviations[k] * mass_deviations[k];
  }
  return noise;
}

NoisyTopics RunningStatistic::noisy_topics() const {
  return {.num_topics = shape_.num_topics,
          .vocabulary_size = shape_.vocabulary_size,
          .values = state_.values,
          .noise_deviations = noise_deviations_,
          .mass_deviations = mass_deviations_};
}

}  // namespace topicwall::lda
