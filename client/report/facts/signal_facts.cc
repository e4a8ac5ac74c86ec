#include "client/report/facts/signal_facts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "client/fit/algorithms/denoised_plans.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/noise_model.h"

namespace topicwall::client {
namespace {

constexpr double kNear = 1.5;
constexpr int kTopicsOfAWord = 3;

std::vector<uint32_t> ByFrequency(const std::vector<double>& probabilities) {
  std::vector<uint32_t> terms(probabilities.size());
  std::iota(terms.begin(), terms.end(), 0U);
  std::stable_sort(terms.begin(), terms.end(), [&probabilities](uint32_t a, uint32_t b) {
    return probabilities[a] > probabilities[b];
  });
  return terms;
}

// Of the topics that have most of it, in words; without the prior, which every topic has.
double SignalOf(const lda::TopicModel& model, uint32_t term, double prior) {
  std::vector<double> sums;
  for (int k = 0; k < model.num_topics(); ++k) {
    sums.push_back(std::max(double{model.topic(k)[term]} - prior, 0.0));
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min<size_t>(sums.size(), kTopicsOfAWord));
  std::partial_sort(sums.begin(), sums.begin() + count, sums.end(), std::greater<>());
  return std::accumulate(sums.begin(), sums.begin() + count, 0.0) / static_cast<double>(count);
}

v1::ReportedSignal GotAt(int rank, const std::vector<uint32_t>& by_frequency,
                         const lda::TopicModel& model, const std::vector<double>& priors,
                         const ModelNoise& noise) {
  const auto terms = static_cast<double>(by_frequency.size());
  const auto first = static_cast<size_t>(std::ceil(rank / kNear)) - 1;
  const auto last = static_cast<size_t>(std::min(std::floor(rank * kNear), terms));
  v1::ReportedSignal got;
  got.set_rank(rank);
  for (size_t i = first; i < last; ++i) {
    const auto share = 1 / static_cast<double>(last - first);
    const uint32_t term = by_frequency[i];
    got.set_signal(got.signal() + share * SignalOf(model, term, priors[term]));
    got.set_noise(got.noise() + share * double{noise.deviations[term]});
  }
  return got;
}

// L, as far as it counts. How many documents of an owner do, a model does not say.
double WordsThatCount(const v1::ModelFile& file) {
  const v1::FitSpec& spec = file.spec();
  const bool is_document = file.unit_naming().privacy_unit() == v1::PRIVACY_UNIT_DOCUMENT;
  if (!is_document || spec.max_words() < 1) return spec.words_per_unit();
  return std::min(spec.words_per_unit(), static_cast<double>(spec.max_words()));
}

// None of a model that does not say what was bought and assumed, or of a plan that the formula is
// not of.
std::optional<lda::ExpectedSignal> Expected(const v1::ModelFile& file, const ModelNoise& noise) {
  const v1::FitSpec& spec = file.spec();
  // Of the noisy sums: noise of mean 0 adds up to little over K·V entries.
  const double words = std::accumulate(noise.statistics.begin(), noise.statistics.end(), 0.0);
  const double words_per_unit = WordsThatCount(file);
  const double documents = words / lda::kKeptWords / words_per_unit;
  if (!(documents >= 1)) return std::nullopt;
  const absl::StatusOr<DenoisedPlans> plans = PlanDenoised({}, spec.noise_multiplier());
  if (!plans.ok()) return std::nullopt;
  // What is said of word counts is not shown.
  auto expected = lda::ExpectSignal(
      {.num_documents = documents,
       .words_per_document = words_per_unit,
       .vocabulary_size = static_cast<int>(file.vocabulary_size())},
      {.num_topics = file.num_topics(),
       .iterations = spec.iterations(),
       .sampling_rate = spec.sampling_rate(),
       .noise_multiplier = spec.noise_multiplier(),
       .counts_noise_multiplier = 1,
       .counts_clip_norm = 1,
       .first_clip_norm =
           spec.clip_norm() > 0 ? std::optional<double>(spec.clip_norm()) : std::nullopt,
       .histogram_noise_multiplier = plans->topics.gaussian().histogram_noise_multiplier()});
  if (!expected.ok()) return std::nullopt;
  // As many words were counted, whatever a clip left of how many.
  for (lda::ExpectedTerm& term : expected->terms) {
    term.signal *= lda::kKeptWords / expected->kept_words;
  }
  return *expected;
}

std::vector<int> RanksToShow(int terms) {
  std::vector<int> ranks;
  for (const int rank : {1, 10, 100, 1000, terms / 2}) {
    if (rank >= 1 && rank <= terms && (ranks.empty() || rank > ranks.back())) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

absl::Status AddSignalFacts(const v1::ModelFile& file, v1::Report& report) {
  TW_ASSIGN_OR_RETURN(const std::optional<ModelNoise> noise, NoiseOf(file));
  if (!noise.has_value()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  const std::vector<uint32_t> by_frequency = ByFrequency(noise->term_probabilities);
  const std::vector<double> priors = TermPriors(file);
  const std::optional<lda::ExpectedSignal> expected = Expected(file, *noise);
  for (const int rank : RanksToShow(model.vocabulary_size())) {
    v1::ReportedSignal& signal = *report.add_signals();
    signal = GotAt(rank, by_frequency, model, priors, *noise);
    if (!expected.has_value()) continue;
    for (const lda::ExpectedTerm& term : expected->terms) {
      if (term.rank != rank) continue;
      signal.set_expected_signal(term.signal);
      signal.set_expected_noise(term.noise);
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::client
