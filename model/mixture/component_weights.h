// The analyst's half of a mixture, beside what is made of its words (model/lda/denoise/): how
// common each component is, and how words and documents lie side by side.
//
//   const NoisyMixture noisy = Split(release.statistics, num_components);
//   noisy.words;       // K×V, for the trainer of topics
//   weights.Update(noisy.documents, {.sampling_rate = ν, .step_size = ρ});
//   WithWeights(log_topics, *weights.Probabilities());   // ℓ of the next request
//
//   N_k ← (1 − ρ)N_k + ρ·Σ_d r_dk/ν,   π_k ∝ max(N_k, ΣN/(50 K))
//
// Counts of documents are far above their noise where words are not: they are averaged like words
// and not denoised. No component is given less than a fiftieth of an equal share, from which it
// could not come back.
//
// PUBLIC: post-processing of releases. Threads: not safe. Cost: one pass over K·(V + 1).
#ifndef TOPICWALL_MODEL_MIXTURE_COMPONENT_WEIGHTS_H_
#define TOPICWALL_MODEL_MIXTURE_COMPONENT_WEIGHTS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::mixture {

struct NoisyMixture {
  std::vector<float> words;      // K×V, row = component
  std::vector<float> documents;  // K
};
// A release of K rows of V + 1. INVALID_ARGUMENT if it is none.
absl::StatusOr<NoisyMixture> Split(absl::Span<const float> statistics, int num_components);

// K rows of V + 1: ℓ of the terms, and log π. `log_topics`: K×V.
std::vector<float> WithWeights(absl::Span<const float> log_topics,
                               absl::Span<const double> probabilities);

class ComponentWeights {
 public:
  struct Reading {
    absl::Span<const float> documents;  // K, with noise, of either sign
    double sampling_rate;               // ν in (0, 1]
    double step_size;                   // ρ in (0, 1]; the first reading takes 1
  };

  // `averages`: N of an earlier run; empty before the first reading. INVALID_ARGUMENT unless there
  // are none or K finite ones.
  static absl::StatusOr<ComponentWeights> Create(int num_components, std::vector<double> averages);

  // INVALID_ARGUMENT for another number of counts, or one that is not finite; nothing is changed.
  absl::Status Update(const Reading& reading);

  int num_components() const { return num_components_; }
  // N; empty before the first reading.
  absl::Span<const double> averages() const { return averages_; }
  // π: K numbers > 0 with a sum of 1. Equal ones before the first reading, and where the noise is
  // larger than all counts together.
  std::vector<double> Probabilities() const;

 private:
  ComponentWeights(int num_components, std::vector<double> averages);

  int num_components_;
  std::vector<double> averages_;
};

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_COMPONENT_WEIGHTS_H_
