// The yardstick: topics of the same documents without privacy, as anybody would fit them.
//
// Hoffman, Blei and Bach's online variational Bayes (lda/online_trainer.h) with flat η and random
// first topics: `online` passes over the documents in their order, batches of 4,096, τ0 = 64,
// κ = 0.7; K, α, η and seed are the recipe's.
#ifndef TOPICWALL_DEPLOY_STUDY_PLAIN_TRAINING_H_
#define TOPICWALL_DEPLOY_STUDY_PLAIN_TRAINING_H_

#include "absl/status/statusor.h"
#include "deploy/study/recipe.h"
#include "lda/document.h"
#include "lda/topic_model.h"

namespace topicwall::study {

absl::StatusOr<lda::TopicModel> TrainPlainly(const Recipe& recipe,
                                             const lda::DocumentList& documents,
                                             int vocabulary_size, int num_threads);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_PLAIN_TRAINING_H_
