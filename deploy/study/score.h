// Document completion, word by word and document by document.
//
//   Scores scores = *ScoreModel(model, split);
//
// The split is made by model/lda/topics/held_out_perplexity.h.
// perplexity: exp(−Σ log p(w) / words), the number of lda::DocumentCompletionPerplexity.
// document_perplexity: exp of the mean over documents of −log p(words of it) / its words, so that
// long documents do not count for more: small clip norms favour short ones.
// Words of probability below 1e-12 count as 1e-12. Documents without a scored word are left out.
#ifndef TOPICWALL_DEPLOY_STUDY_SCORE_H_
#define TOPICWALL_DEPLOY_STUDY_SCORE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/topic_model.h"
#include "model/mixture/mixture_perplexity.h"

namespace topicwall::study {

struct Scores {
  double perplexity;
  double document_perplexity;
};

absl::StatusOr<Scores> ScoreModel(const lda::TopicModel& model, const lda::TokenSplit& split,
                                  int num_threads);
Scores ScoreMixture(const mixture::FittedMixture& mixture, const lda::TokenSplit& split);
Scores ScoreUnigram(absl::Span<const double> probabilities, const lda::DocumentList& scored);

// ln(unigram/x) ÷ ln(unigram/yardstick): 0 for the unigram, 1 for the yardstick.
double GapClosed(double perplexity, double unigram, double yardstick);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_SCORE_H_
