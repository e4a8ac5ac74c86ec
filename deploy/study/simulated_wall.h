// A wall in memory, for experiments on public text: the same E-step, clip and noise by size, fast
// and reproducible, with nothing to keep secret.
//
//   SimulatedWall wall({.documents = documents, .vocabulary_size = 7702, .seed = 1});
//   absl::StatusOr<SimulatedRelease> release = wall.Release(log_topics, request);
//
// One release (a unit is a document, or all of an owner, in the sample by its own coin of
// probability ν): x_d of the model, of all documents of the unit, scaled by min(1, C/‖x_kv w_v‖),
// added up in double, then N(0, (σC/w_v)²) to every entry and N(0, σ_h²) to every bin of the norm
// histogram. With r, for topics alone, the norm is
//   √(‖x_kv w_v‖² − r²/(1 + r²)·Σ_k (Σ_v x_kv w_v d_kv)²),
// and row k has r·σC·N(0, 1) times d_kv/w_v besides, one draw a row, where d_kv is w_v·exp(ℓ_kv) at
// the length 1. σ = 0 is no noise, C = infinity no clip: what the real wall never does, and the
// yardstick needs. Nor does it clip the sum of the batch instead of each document, as the paper's
// Algorithm 1 is written (`clip_whole_batch`): that has a sensitivity beyond C. Of an owner every
// document counts.
//
// Unlike the wall it rounds nothing to a grid and draws noise from a seeded generator: good for
// comparing methods, worthless as protection. That the sums agree with those of the mechanism's
// clipper to within a grid step a document is tested (tests/deploy/study/simulated_wall_test.cc).
//
// Threads: one caller; a release uses up to num_threads, on which its last bits (of sums in double)
// depend, its noise does not. Cost: the E-step and some 2 ns an entry.
#ifndef TOPICWALL_DEPLOY_STUDY_SIMULATED_WALL_H_
#define TOPICWALL_DEPLOY_STUDY_SIMULATED_WALL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "deploy/study/normal_draws.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "model/statistic_model.h"

namespace topicwall::study {

// A C beyond every norm.
inline constexpr double kNoClip = 1e9;

struct SimulatedWallParams {
  const lda::DocumentList& documents;
  int vocabulary_size;
  uint64_t seed;  // of coins and noise
  int num_threads;
  // Where each unit's documents begin, ascending from 0; empty: every document is one.
  absl::Span<const size_t> units = {};
};

struct SimulatedRequest {
  lda::EStepOptions e_step;
  double clip_norm;                      // C > 0, in words
  absl::Span<const float> term_weights;  // w, of all columns; empty = all 1
  double noise_multiplier;               // σ >= 0
  double histogram_noise_multiplier;     // σ_h >= 0
  double sampling_rate = 1;              // ν in (0, 1]; at 1 everybody
  double direction_noise = 0;            // r >= 0; 0 for a model without directions
  bool clip_whole_batch = false;         // Σ x_d is scaled to the norm C; w must be empty, r 0
};

struct SimulatedRelease {
  std::vector<float> noisy_sum;       // row by row: K×V, row = topic
  std::vector<float> norm_histogram;  // 48 bins, of the drawn units
  // What the real wall shows nobody: the sum before the noise, and words after clipping ÷ words.
  std::vector<float> exact_sum;
  double kept_words;
};

class SimulatedWall {
 public:
  explicit SimulatedWall(const SimulatedWallParams& params);

  absl::StatusOr<SimulatedRelease> Release(const lda::LogTopics& log_topics,
                                           const SimulatedRequest& request);
  // Of any model that draws nothing; of the request all but `e_step` counts.
  SimulatedRelease Release(const model::Inference& inference, const SimulatedRequest& request);

 private:
  // The numbers of the units that take part.
  std::vector<size_t> Draw(double sampling_rate);

  const SimulatedWallParams params_;
  const std::vector<size_t> ends_;  // of each unit's documents
  const model::UnitLimits limits_;
  NormalDraws draws_;
};

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_SIMULATED_WALL_H_
