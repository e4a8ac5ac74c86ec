// What every way to train needs, and what it leaves.
//
// denoised_training.h and paper_training.h go from the one to the other; outcome.h scores what is
// left. `true_unigram` is counted from the documents themselves: a recipe that uses it is not
// private, and says so.
#ifndef TOPICWALL_DEPLOY_STUDY_TRAINING_H_
#define TOPICWALL_DEPLOY_STUDY_TRAINING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "deploy/study/simulated_wall.h"
#include "model/lda/denoise/prior/related_terms.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::study {

struct TrainingTask {
  SimulatedWall& wall;
  int64_t num_documents;  // D
  int vocabulary_size;    // V
  absl::Span<const double> true_unigram;
  absl::Span<const lda::RelatedPair> related_terms;
  int num_threads;
};

struct Trained {
  lda::TopicModel model;
  std::vector<double> unigram = {};  // private; empty where there is none
  // Of `denoised`: what the model was made of (lda::NoisyTopics).
  std::vector<float> noisy_sums = {};
  std::vector<float> noise_deviations = {};
  std::vector<float> mass_deviations = {};
  std::vector<float> exact_sums = {};          // what those would be without the noise
  std::vector<double> component_weights = {};  // of a mixture
  double clip_norm = 0;                        // of the last request, in words; 0: no clip
  double kept_words = 1;                       // of the last request: words after clipping ÷ words
  double noise_multiplier = 0;                 // σ_eff of each release: what a price is made of
  int weak_topics = 0;  // model/lda/reading/topic_quality.h, where it can tell
};

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_TRAINING_H_
