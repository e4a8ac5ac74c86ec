#include "model/lda/denoise/noisy_topics.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {

absl::Status CheckNoisyTopics(const NoisyTopics& noisy) {
  TW_RETURN_IF_ERROR(CheckTopicShape(noisy.num_topics, noisy.vocabulary_size));
  const auto terms = static_cast<size_t>(noisy.vocabulary_size);
  const size_t entries = static_cast<size_t>(noisy.num_topics) * terms;
  if (noisy.values.size() != entries || noisy.noise_deviations.size() != terms) {
    return absl::InvalidArgumentError(absl::StrCat(
        "noisy topics must have num_topics times vocabulary_size = ", entries, " values and ",
        terms, " deviations; got ", noisy.values.size(), " and ", noisy.noise_deviations.size()));
  }
  for (size_t i = 0; i < entries; ++i) {
    if (!std::isfinite(noisy.values[i])) {
      return absl::InvalidArgumentError(absl::StrCat("values must be finite; got ", noisy.values[i],
                                                     " for topic ", i / terms, ", term ", i % terms,
                                                     " (counted from 0)"));
    }
  }
  for (size_t v = 0; v < terms; ++v) {
    if (!(std::isfinite(noisy.noise_deviations[v]) && noisy.noise_deviations[v] >= 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("noise_deviations must be finite and at least 0; got ",
                       noisy.noise_deviations[v], " for term ", v, " (counted from 0)"));
    }
  }
  const size_t masses = noisy.mass_deviations.size();
  if (masses != 0 && masses != static_cast<size_t>(noisy.num_topics)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "mass_deviations must be none or num_topics = ", noisy.num_topics, "; got ", masses));
  }
  for (size_t k = 0; k < masses; ++k) {
    if (!(std::isfinite(noisy.mass_deviations[k]) && noisy.mass_deviations[k] >= 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("mass_deviations must be finite and at least 0; got ",
                       noisy.mass_deviations[k], " for topic ", k, " (counted from 0)"));
    }
  }
  return absl::OkStatus();
}

std::vector<double> TopicMasses(const NoisyTopics& noisy) {
  const auto terms = static_cast<size_t>(noisy.vocabulary_size);
  std::vector<double> masses;
  for (size_t row = 0; row < noisy.values.size(); row += terms) {
    masses.push_back(FastestArrayMath().sum(noisy.values.data() + row, terms));
  }
  return masses;
}

double MassVariance(const NoisyTopics& noisy) {
  double variance = 0;
  for (const float tau : noisy.noise_deviations) variance += double{tau} * tau;
  return variance;
}

std::vector<double> MassVariances(const NoisyTopics& noisy) {
  std::vector<double> variances(static_cast<size_t>(noisy.num_topics), MassVariance(noisy));
  for (size_t k = 0; k < noisy.mass_deviations.size(); ++k) {
    variances[k] += double{noisy.mass_deviations[k]} * double{noisy.mass_deviations[k]};
  }
  return variances;
}

absl::Status CheckTermProbabilities(absl::Span<const double> probabilities, int vocabulary_size) {
  if (vocabulary_size < 1 || probabilities.size() != static_cast<size_t>(vocabulary_size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("term_probabilities must have vocabulary_size = ", vocabulary_size,
                     " entries, at least 1; got ", probabilities.size()));
  }
  double sum = 0;
  for (size_t v = 0; v < probabilities.size(); ++v) {
    if (!(probabilities[v] > 0 && probabilities[v] <= 1)) {
      return absl::InvalidArgumentError(absl::StrCat("term_probabilities must be in (0, 1]; got ",
                                                     probabilities[v], " for term ", v,
                                                     " (counted from 0)"));
    }
    sum += probabilities[v];
  }
  // Rounding of V terms, and not a law of something else.
  if (!(std::fabs(sum - 1) <= 1e-6)) {
    return absl::InvalidArgumentError(
        absl::StrCat("term_probabilities must sum to 1 within 1e-6; got ", sum));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::lda
