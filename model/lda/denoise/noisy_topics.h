// A matrix of topics that was released with noise: what is known of the sums behind the wall.
//
// values[k·V + v] = true sum of topic k and term v, at least 0, plus a normal error of its own, of
// standard deviation noise_deviations[v] (the same for all topics), plus, where noise was asked for
// along the topics, one that all of a topic share by their part of it: of their sum its deviation
// is mass_deviations[k]. In words.
//
// PUBLIC. A view: the arrays are the caller's. Plain data; CheckNoisyTopics says whether it is
// good.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_NOISY_TOPICS_H_
#define TOPICWALL_MODEL_LDA_DENOISE_NOISY_TOPICS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace topicwall::lda {

struct NoisyTopics {
  int num_topics;                                // K >= 1
  int vocabulary_size;                           // V >= 1
  absl::Span<const float> values;                // Y: K×V, row-major, row = topic; signed, finite
  absl::Span<const float> noise_deviations;      // τ: V, each finite and >= 0
  absl::Span<const float> mass_deviations = {};  // m: K, likewise, or empty: all 0
};

// INVALID_ARGUMENT naming the first thing that is not as said above.
absl::Status CheckNoisyTopics(const NoisyTopics& noisy);

// M_k = Σ_v y_kv: K, signed, in words. `noisy` is good, here and below.
std::vector<double> TopicMasses(const NoisyTopics& noisy);
// Σ_v τ_v²: what the noise of its entries leaves in each mass, in words²; that along topics is
// mass_deviations.
double MassVariance(const NoisyTopics& noisy);
// Σ_v τ_v² + m_k²: of all noise in each mass, K, in words². That of different topics is
// independent.
std::vector<double> MassVariances(const NoisyTopics& noisy);

// INVALID_ARGUMENT unless there are V finite probabilities > 0 with a sum of 1 within 1e-6.
absl::Status CheckTermProbabilities(absl::Span<const double> probabilities, int vocabulary_size);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_NOISY_TOPICS_H_
