// Readings are kept as two sums a term, in the form in which independent measurements add: values
// times precision, and precisions. So the order of readings does not matter but for rounding, and a
// checkpoint need not keep them. Denoising happens once, in Probabilities, from all of them
// together: to average denoised readings would average their bias.
#include "model/lda/denoise/private_unigram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/denoise/noise_denoiser.h"
#include "model/lda/denoise/noisy_topics.h"

namespace topicwall::lda {
namespace {

constexpr double kLeastSum = 5;  // of the sum, in deviations of its noise
// A term that is exactly absent still gets this share of the average count, so that p_v > 0.
constexpr double kLeastShare = 1e-6;
// Of the average count: keeps precisions finite where there is no noise.
constexpr double kLeastNoise = 1e-4;

std::vector<double> PowersOfTwo(int first, int last) {
  std::vector<double> powers;
  for (int e = first; e <= last; ++e) powers.push_back(std::ldexp(1.0, e));
  return powers;
}

// Of each term by itself, of counts whose shape is checked.
std::vector<float> DeviationsOf(const NoisyCounts& counts) {
  std::vector<float> deviations(counts.noisy_counts.size(),
                                static_cast<float>(counts.noise_deviation));
  for (size_t v = 0; v < counts.term_weights.size(); ++v) {
    deviations[v] = static_cast<float>(counts.noise_deviation / counts.term_weights[v]);
  }
  return deviations;
}

// s_v: with what terms share.
std::vector<float> WithShared(std::vector<float> deviations, const NoisyCounts& counts) {
  for (size_t v = 0; v < counts.shared_variances.size(); ++v) {
    const double own = deviations[v];
    deviations[v] = static_cast<float>(std::sqrt(own * own + counts.shared_variances[v]));
  }
  return deviations;
}

absl::Status CheckShape(const NoisyCounts& counts, int vocabulary_size) {
  const auto terms = static_cast<size_t>(vocabulary_size);
  if (counts.noisy_counts.size() != terms ||
      (!counts.term_weights.empty() && counts.term_weights.size() != terms) ||
      (!counts.shared_variances.empty() && counts.shared_variances.size() != terms)) {
    return absl::InvalidArgumentError(
        absl::StrCat("noisy_counts must be of ", terms,
                     " terms, and term_weights and shared_variances too or none; got ",
                     counts.noisy_counts.size(), ", ", counts.term_weights.size(), " and ",
                     counts.shared_variances.size(), "."));
  }
  for (const float weight : counts.term_weights) {
    if (weight > 0 && std::isfinite(weight)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("term_weights must be positive and finite; got ", weight, "."));
  }
  return absl::OkStatus();
}

// M, if it stands out from its noise.
// M scales everything that a reading says. If it were noise, a reading could enter upside down.
absl::StatusOr<double> SumOf(const NoisyTopics& one_topic, double shared_variance) {
  TW_RETURN_IF_ERROR(CheckNoisyTopics(one_topic));
  const double sum = TopicMasses(one_topic).front();
  const double noise = std::sqrt(shared_variance + MassVariance(one_topic));
  if (sum > kLeastSum * noise) return sum;
  return absl::FailedPreconditionError(absl::StrCat(
      "the counts must add up to more than ", kLeastSum,
      " deviations of their noise; they add up to ", sum, " words with a noise of ", noise,
      ": no unigram can be told from noise. Spend more on it, or use a larger "
      "corpus."));
}

absl::Status CheckState(const PrivateUnigramState& state, int vocabulary_size) {
  const size_t terms = state.sums.empty() ? 0 : static_cast<size_t>(vocabulary_size);
  bool is_good = state.sums.size() == terms && state.precisions.size() == terms;
  for (const double sum : state.sums) is_good = is_good && std::isfinite(sum);
  for (const double precision : state.precisions) {
    is_good = is_good && precision > 0 && std::isfinite(precision);
  }
  if (is_good && vocabulary_size >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the unigram's state must be none, or finite sums and positive precisions of each of ",
      vocabulary_size, " terms; got ", state.sums.size(), " and ", state.precisions.size(), "."));
}

}  // namespace

PrivateUnigram::PrivateUnigram(int vocabulary_size, PrivateUnigramState state)
    : vocabulary_size_(vocabulary_size), state_(std::move(state)) {}

absl::StatusOr<PrivateUnigram> PrivateUnigram::Create(int vocabulary_size,
                                                      PrivateUnigramState state) {
  TW_RETURN_IF_ERROR(CheckState(state, vocabulary_size));
  return PrivateUnigram(vocabulary_size, std::move(state));
}

absl::Status PrivateUnigram::Add(const NoisyCounts& counts) {
  TW_RETURN_IF_ERROR(CheckShape(counts, vocabulary_size_));
  std::vector<float> deviations = DeviationsOf(counts);
  TW_ASSIGN_OR_RETURN(const double sum, SumOf({.num_topics = 1,
                                               .vocabulary_size = vocabulary_size_,
                                               .values = counts.noisy_counts,
                                               .noise_deviations = deviations},
                                              counts.shared_variance_of_sum));
  deviations = WithShared(std::move(deviations), counts);
  state_.sums.resize(deviations.size());
  state_.precisions.resize(deviations.size());
  const double least = kLeastNoise / vocabulary_size_;
  for (size_t v = 0; v < deviations.size(); ++v) {
    const double s = std::max(deviations[v] / sum, least);
    state_.sums[v] += counts.noisy_counts[v] / sum / (s * s);
    state_.precisions[v] += 1 / (s * s);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> PrivateUnigram::Probabilities(
    absl::Span<const RelatedPair> related_terms) const {
  if (state_.sums.empty()) {
    return absl::FailedPreconditionError("no counts have been read yet: there is no unigram.");
  }
  std::vector<float> shares, deviations;
  const auto terms = static_cast<double>(vocabulary_size_);
  for (size_t v = 0; v < state_.sums.size(); ++v) {
    shares.push_back(static_cast<float>(state_.sums[v] / state_.precisions[v]));
    const double deviation = 1 / std::sqrt(state_.precisions[v]);
    // What was read without noise is known exactly, and there is no prior to find for it.
    const bool is_exact = deviation < 1.01 * kLeastNoise / terms;
    deviations.push_back(is_exact ? 0 : static_cast<float>(deviation));
  }
  // A flat base: nothing is known of the terms before. What a unigram's own prior needs is width,
  // for word frequencies span many octaves: hence means from 2^−8 to 2^6 of the average.
  const std::vector<double> flat(shares.size(), 1 / terms);
  TW_ASSIGN_OR_RETURN(const DenoisedTopics denoised, Denoise({.num_topics = 1,
                                                              .vocabulary_size = vocabulary_size_,
                                                              .values = shares,
                                                              .noise_deviations = deviations},
                                                             flat,
                                                             {.ratios = PowersOfTwo(-8, 6),
                                                              .em_iterations = 100,
                                                              .related_terms = related_terms}));
  std::vector<double> probabilities;
  double total = 0;
  for (const float mean : denoised.means) {
    probabilities.push_back(mean + kLeastShare / terms);
    total += probabilities.back();
  }
  for (double& p : probabilities) p /= total;
  return probabilities;
}

}  // namespace topicwall::lda
