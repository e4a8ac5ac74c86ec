#include "deploy/study/plain_training.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "accountant/status_macros.h"
#include "lda/initial_topics.h"
#include "lda/online_trainer.h"

namespace topicwall::study {

absl::StatusOr<lda::TopicModel> TrainPlainly(const Recipe& recipe,
                                             const lda::DocumentList& documents,
                                             int vocabulary_size, int num_threads) {
  const auto num_topics = static_cast<int>(recipe.num_topics);
  TW_ASSIGN_OR_RETURN(
      std::vector<float> initial,
      lda::RandomTopics(num_topics, vocabulary_size, static_cast<uint64_t>(recipe.seed)));
  TW_ASSIGN_OR_RETURN(
      lda::OnlineTrainer trainer,
      lda::OnlineTrainer::Create({.num_topics = num_topics,
                                  .vocabulary_size = vocabulary_size,
                                  .topic_term_prior = recipe.eta,
                                  .corpus_size = static_cast<int64_t>(documents.size()),
                                  .tau0 = 64,
                                  .kappa = 0.7,
                                  .e_step = {.document_topic_prior = recipe.alpha,
                                             .max_iterations = 100,
                                             .mean_change_threshold = 1e-3},
                                  .num_threads = num_threads},
                                 lda::InitialMStepState(std::move(initial))));
  for (int pass = 0; pass < static_cast<int>(recipe.online); ++pass) {
    TW_RETURN_IF_ERROR(trainer.Pass(documents, /*batch_size=*/4096));
  }
  return trainer.Model();
}

}  // namespace topicwall::study
