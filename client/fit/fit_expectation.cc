#include "client/fit/fit_expectation.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"

namespace topicwall::client {

absl::StatusOr<std::optional<int64_t>> DocumentsOf(const v1::CorpusDescription& description,
                                                   const CorpusGuess& guess) {
  if (!guess.num_documents.has_value()) {
    if (!description.has_nominal_size() || description.nominal_size() < 1) return std::nullopt;
    return description.nominal_size();
  }
  if (*guess.num_documents < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("nominal-size must be at least 1; got ", *guess.num_documents, "."));
  }
  return guess.num_documents;
}

absl::StatusOr<std::optional<lda::ExpectedSignal>> ExpectationOf(
    const FitPlans& plans, const v1::CorpusDescription& description, const CorpusGuess& guess) {
  TW_ASSIGN_OR_RETURN(const std::optional<int64_t> documents, DocumentsOf(description, guess));
  if (!documents.has_value() || plans.algorithm != kDenoised || !plans.unigram.has_value()) {
    return std::nullopt;
  }
  TW_ASSIGN_OR_RETURN(
      lda::ExpectedSignal expected,
      lda::ExpectSignal(
          {.num_documents = static_cast<double>(*documents) * (1 - plans.topics.held_out_share()),
           .words_per_document = guess.words_per_document,
           .vocabulary_size = static_cast<int>(description.vocabulary_size())},
          {.num_topics = plans.topics.lda().num_topics(),
           .iterations = plans.topics.iterations(),
           .sampling_rate = plans.topics.sampling_rate(),
           .noise_multiplier = plans.topics.noise_multiplier(),
           .counts_noise_multiplier = plans.unigram->noise_multiplier(),
           .counts_clip_norm = kUnigramClipNorm}));
  return expected;
}

std::string WarningOf(const lda::ExpectedSignal& expected, double epsilon) {
  if (!expected.IsJunk()) return "";
  if (expected.CountsAreNoise()) {
    return absl::StrFormat(
        "warning: at epsilon %.4g even the counts of all words are expected to drown in noise "
        "(%.2g deviations of it, at least %.2g are needed): the fit would stop before its "
        "topics, with nothing. It takes a larger epsilon or a larger corpus.",
        epsilon, expected.counts_signal, lda::kLeastCountsSignal);
  }
  // Signal to noise is close to proportional to epsilon.
  const double enough = epsilon * lda::kLeastSignal / expected.judged.signal_to_noise;
  return absl::StrFormat(
      "warning: at epsilon %.4g this fit is expected to be junk, worse than word frequencies "
      "alone: "
      "a word of rank %d has %.2g deviations of the noise in its topics, and at least %.2g are "
      "needed. It takes an epsilon of about %.2g, or a larger corpus.",
      epsilon, expected.judged.rank, expected.judged.signal_to_noise, lda::kLeastSignal, enough);
}

}  // namespace topicwall::client
