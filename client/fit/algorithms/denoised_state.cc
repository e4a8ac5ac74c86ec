#include "client/fit/algorithms/denoised_state.h"

#include "client/fit/algorithms/denoised_fit.h"
#include "client/fit/initial_model.h"
#include "client/wall/topics_asked.h"

namespace topicwall::client {

void SaveUnigram(const lda::PrivateUnigramState& unigram, v1::DenoisedState& state) {
  state.mutable_unigram_sums()->Assign(unigram.sums.begin(), unigram.sums.end());
  state.mutable_unigram_precisions()->Assign(unigram.precisions.begin(), unigram.precisions.end());
}

absl::StatusOr<lda::PrivateUnigram> UnigramOf(const v1::DenoisedState& state, int terms) {
  return lda::PrivateUnigram::Create(
      terms,
      {.sums = {state.unigram_sums().begin(), state.unigram_sums().end()},
       .precisions = {state.unigram_precisions().begin(), state.unigram_precisions().end()}});
}

void SaveRelatedTerms(const lda::RelatedTerms& related, v1::DenoisedState& state) {
  state.mutable_related_terms()->Reserve(3 * static_cast<int>(related.size()));
  for (const lda::RelatedPair& pair : related) {
    for (const uint32_t number : {pair.first, pair.second, pair.kind}) {
      state.add_related_terms(number);
    }
  }
}

lda::RelatedTerms RelatedTermsOf(const v1::DenoisedState& state) {
  const auto& numbers = state.related_terms();
  lda::RelatedTerms related;
  for (int i = 0; i + 2 < numbers.size(); i += 3) {
    related.push_back({.first = numbers[i], .second = numbers[i + 1], .kind = numbers[i + 2]});
  }
  return related;
}

// A unigram of one release, and a warm start that is decided with the plan of the topics.
bool IsOfItsStages(const v1::DenoisedState& state, const v1::CheckpointFile& checkpoint) {
  if (checkpoint.stages_size() != 2) return false;
  const v1::FitPlan& topics = checkpoint.stages(kTopicsStage).plan();
  // State and counter are written together, so one without the other is a file that was edited.
  const bool has_unigram = checkpoint.stages(kUnigramStage).iterations_done() == 1;
  return has_unigram != state.unigram_sums().empty() && state.related_terms_size() % 3 == 0 &&
         (!state.has_warm_start() ||
          IsSoundWarmStart(state.warm_start(),
                           {.num_topics = TopicsOf(topics.plan()).num_topics(),
                            .vocabulary_size = static_cast<int>(checkpoint.vocabulary_size()),
                            .is_decided = !topics.request_id().empty()}));
}

}  // namespace topicwall::client
