#include "model/lda/denoise/topic_quality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "model/lda/math/array_math_choice.h"

namespace topicwall::lda {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The z with V·Φ(−z) = kExpectedFalseWords, by bisection. (libm's erfc may differ in its last bit
// from processor to processor; nothing but a mark depends on it.)
double LeastWordSignal(int vocabulary_size) {
  double low = 0, high = 10;
  for (int i = 0; i < 50; ++i) {
    const double z = (low + high) / 2;
    const double expected = 0.5 * std::erfc(z / std::sqrt(2.0)) * vocabulary_size;
    (expected > kExpectedFalseWords ? low : high) = z;
  }
  return high;
}

}  // namespace

absl::StatusOr<TopicQuality> TopicQuality::Create(const NoisyTopics& noisy,
                                                  absl::Span<const double> term_probabilities) {
  for (const absl::Status& status :
       {CheckNoisyTopics(noisy),
        CheckTermProbabilities(term_probabilities, noisy.vocabulary_size)}) {
    if (!status.ok()) return status;
  }
  return TopicQuality(noisy, term_probabilities);
}

TopicQuality::TopicQuality(const NoisyTopics& noisy, absl::Span<const double> term_probabilities)
    : noisy_(noisy), least_word_signal_(LeastWordSignal(noisy.vocabulary_size)) {
  for (int k = 0; k < noisy.num_topics; ++k) topics_.push_back(Judge(k, term_probabilities));
}

TopicQuality::Topic TopicQuality::Judge(int topic, absl::Span<const double> p) const {
  const float* const row = noisy_.values.data() + static_cast<size_t>(topic) * p.size();
  const double mass = FastestArrayMath().sum(row, p.size());
  // Terms known exactly are left out of both: one of them alone would make χ² infinite.
  double variance = 0, chi_square = 0, terms = 0;
  for (size_t v = 0; v < p.size(); ++v) {
    const double tau = noisy_.noise_deviations[v];
    if (!(tau > 0)) continue;
    const double z = (row[v] - mass * p[v]) / tau;
    variance += tau * tau;
    chi_square += z * z;
    terms += 1;
  }
  if (!(variance > 0)) {
    return {.mass = mass,
            .mass_signal_to_noise = kInfinity,
            .distinctness = kInfinity,
            .is_weak = !(mass > 0)};
  }
  const double signal = mass / std::sqrt(variance);
  // χ² of n terms has mean n and variance 2n.
  const double distinctness = (chi_square - terms) / std::sqrt(2 * terms);
  return {.mass = mass,
          .mass_signal_to_noise = signal,
          .distinctness = distinctness,
          // Written so that NaN is weak.
          .is_weak = !(signal >= kLeastTopicSignal && distinctness >= kLeastTopicSignal)};
}

int TopicQuality::NumWeakTopics() const {
  return static_cast<int>(std::count_if(topics_.begin(), topics_.end(),
                                        [](const Topic& topic) { return topic.is_weak; }));
}

double TopicQuality::SignalToNoise(int topic, uint32_t term) const {
  const auto terms = static_cast<size_t>(noisy_.vocabulary_size);
  const double tau = noisy_.noise_deviations[term];
  const double y = noisy_.values[static_cast<size_t>(topic) * terms + term];
  if (tau > 0) return y / tau;
  return y > 0 ? kInfinity : 0;
}

bool TopicQuality::MayBeNoise(int topic, uint32_t term) const {
  return !(SignalToNoise(topic, term) >= least_word_signal_);
}

}  // namespace topicwall::lda
