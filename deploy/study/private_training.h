// The denoised trainer against a simulated wall: one recipe from its unigram to its model.
//
//   absl::StatusOr<Trained> trained = TrainPrivately(recipe, wall, vocabulary_size, true_unigram);
//
// 1. A K = 1 release without weights gives the unigram (lda/private_unigram.h), it the term
// weights.
// 2. Each iteration asks for the sums under the log of the mean topics, with C from the histogram
//    of the last, takes them into a signed running average, and makes the next topics of it
//    (lda/denoised_model.h).
// Everything after a release is post-processing. Deterministic for a recipe (seed included).
#ifndef TOPICWALL_DEPLOY_STUDY_PRIVATE_TRAINING_H_
#define TOPICWALL_DEPLOY_STUDY_PRIVATE_TRAINING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "deploy/study/recipe.h"
#include "deploy/study/simulated_wall.h"
#include "lda/topic_model.h"

namespace topicwall::study {

struct Trained {
  lda::TopicModel model;
  std::vector<double> unigram;  // private, if any of the budget went to it
  double clip_norm;             // of the last iteration
  double kept_words;            // at the last iteration
  double noise_deviation;       // left in an entry of weight 1 of the average, in words
  int junk_topics;
};

struct TrainingTask {
  SimulatedWall& wall;
  int vocabulary_size;
  absl::Span<const double> true_unigram;  // where a recipe asks for it
  int num_threads;
};

absl::StatusOr<Trained> TrainPrivately(const Recipe& recipe, const TrainingTask& task);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_PRIVATE_TRAINING_H_
