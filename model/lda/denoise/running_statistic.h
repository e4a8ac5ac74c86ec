// The signed running average of the noisy sums of a fit, and how much noise is left in it.
//
//   absl::StatusOr<RunningStatistic> average = RunningStatistic::Create(
//       {.num_topics = 50, .vocabulary_size = 8000, .sampling_rate = 1}, {});
//   average->Update(release, {.noise_deviation = σ·C, .term_weights = w, .step_size = ρ});
//   Denoise(average->noisy_topics(), …);                                 // noise_denoiser.h
//
//   Y   ← (1 − ρ)Y + ρ·sum/ν                               K×V, row-major, row = topic, in words
//   τ_v² ← (1 − ρ)²τ_v² + (ρ·σC/(w_v ν))²                  V, in words²
//   m_k² ← (1 − ρ)²m_k² + (ρ·b_k/ν)²                       K, in words²
//
// The first update replaces what was there (its ρ counts as 1). Sums are never thresholded: noise
// of both signs averages out, while a clamp in every release would leave a bias as large as the
// signal. C, and so the noise, may differ from update to update; the noises of different releases
// are independent, which is what makes variances add. τ_v is the deviation of the noise that the
// wall added to each entry by itself, the same for all topics; what sampling with ν < 1 adds is not
// in it. b_k is that of a release along topic k (proto/wall.proto, RunReleaseHeader), in Σ_v of its
// row: m_k is what it leaves in the topic's mass. It is in the entries too, one draw for all of a
// row, as large as their shares of the topic; of that no more is kept than m_k.
//
// Errors: INVALID_ARGUMENT names what is wrong (size, a non-finite entry by topic and term, a
// result beyond float32); the state is then what it was.
// PUBLIC: post-processing of releases, no privacy is spent. Threads: not safe; const use from many.
// Bits: those of the state do not depend on the number of threads nor on the processor.
// Cost: one pass over K×V. Source: the paper's M-step with its S and D replaced by ν (m_step.h).
#ifndef TOPICWALL_MODEL_LDA_DENOISE_RUNNING_STATISTIC_H_
#define TOPICWALL_MODEL_LDA_DENOISE_RUNNING_STATISTIC_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {

// All that changes during a fit; a checkpoint keeps exactly this.
struct RunningStatisticState {
  int64_t updates = 0;
  std::vector<float> values;                // Y: K×V; empty before the first update
  std::vector<double> noise_variances;      // τ_v²: V; likewise
  std::vector<double> mass_variances = {};  // m_k²: K; empty = all 0
};

struct RunningStatisticShape {
  int num_topics;        // K >= 1
  int vocabulary_size;   // V >= 1
  double sampling_rate;  // ν of the plan, in (0, 1]
};

// b of a release with noise along the topics ℓ that were asked for: r·σC/|w·β_k| with β_k =
// exp(ℓ_k) of sum 1, where `deviation` is r·σC. K numbers, in words. w is V numbers > 0, or none:
// all 1.
std::vector<double> MassDeviations(const LogTopicsView& asked, absl::Span<const float> term_weights,
                                   double deviation);

// What that noise adds to the sums over topics, which draws of all of them are in.
struct NoiseOfSums {
  std::vector<double> variances;  // of each term's: Σ_k (b_k β_kv)², V, in words²
  double of_all_terms = 0;        // of their sum: Σ_k b_k²
};
NoiseOfSums NoiseAlongInSums(const LogTopicsView& asked, absl::Span<const double> mass_deviations);

class RunningStatistic {
 public:
  struct Release {
    absl::Span<const float> noisy_sum;     // K×V, signed, in words, as the wall sent it
    double noise_deviation;                // σC of this release, at weight 1, in words; >= 0
    absl::Span<const float> term_weights;  // w of the plan: V, each > 0; empty = all 1
    double step_size;                      // ρ in (0, 1]; the first update takes 1
    absl::Span<const double> mass_deviations = {};  // b: K, in words, each >= 0; empty = all 0
  };

  // INVALID_ARGUMENT for a shape out of range or a state that is not of this shape.
  static absl::StatusOr<RunningStatistic> Create(const RunningStatisticShape& shape,
                                                 RunningStatisticState state);

  absl::Status Update(const Release& release, int num_threads = 1);

  const RunningStatisticShape& shape() const { return shape_; }
  const RunningStatisticState& state() const { return state_; }
  // Y with its τ and m, valid until the next update; there must have been one.
  NoisyTopics noisy_topics() const;

 private:
  RunningStatistic(const RunningStatisticShape& shape, RunningStatisticState state);
  absl::Status Check(const Release& release) const;
  void UpdateVariances(const Release& release, double rho);
  void TakeDeviations();

  RunningStatisticShape shape_;
  RunningStatisticState state_;
  std::vector<float> noise_deviations_;  // τ_v
  std::vector<float> mass_deviations_;   // m_k
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_RUNNING_STATISTIC_H_
