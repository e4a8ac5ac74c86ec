#include "model/lda/reading/word_intervals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "model/lda/math/normal_tail.h"

namespace topicwall::lda {
namespace {

constexpr double kLeastMass = 3;  // in deviations of its noise

}  // namespace

absl::StatusOr<WordIntervals> WordIntervals::Create(const NoisyTopics& noisy,
                                                    absl::Span<const double> term_probabilities,
                                                    absl::Span<const RelatedPair> related_terms,
                                                    int num_threads) {
  TW_ASSIGN_OR_RETURN(DenoisedTopics denoised,
                      Denoise(noisy, term_probabilities,
                              {.related_terms = related_terms, .num_threads = num_threads}));
  return WordIntervals(noisy, std::move(denoised));
}

WordIntervals::WordIntervals(const NoisyTopics& noisy, DenoisedTopics denoised)
    : terms_(static_cast<std::size_t>(noisy.vocabulary_size)),
      denoised_(std::move(denoised)),
      masses_(TopicMasses(noisy)),
      mass_variance_(MassVariance(noisy)) {}

WordIntervals::Interval WordIntervals::of(int topic, uint32_t term, double probability) const {
  const double mass = masses_[static_cast<std::size_t>(topic)];
  if (!(mass > kLeastMass * std::sqrt(mass_variance_))) return {.low = 0, .high = 1};
  const std::size_t entry = static_cast<std::size_t>(topic) * terms_ + term;
  const double share = denoised_.means[entry] / mass;
  const double own = denoised_.deviations[entry];
  const double deviation = std::sqrt(own * own + share * share * mass_variance_) / mass;
  const double half = UsualPoint() * deviation;
  return {.low = std::max(std::min(share - half, probability), 0.0),
          .high = std::min(std::max(share + half, probability), 1.0)};
}

}  // namespace topicwall::lda
