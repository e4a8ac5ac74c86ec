// The words that say what a topic is about, first those that say most.
//
//   std::vector<uint32_t> words = MostRelevant(model, topic, corpus,
//       {.weight = kRelevance, .count = 10},
//       [&](uint32_t term) { return quality.Excess(topic, term) > 0; });
//
// Relevance of a word to its topic: λ·ln β_kv + (1 − λ)·ln(β_kv/p_v), of the mean topic β and the
// word's share of the corpus p. At λ = 1 that is its probability, at which the commonest words of
// the corpus are first in nearly every topic; at 0 its lift alone, at which rare words are.
// Source: Sievert and Shirley, LDAvis, 2014, whose readers told topics best at λ = 0.6.
//
// PUBLIC, pure, for display: libm's logarithm decides ties. Cost: V logarithms.
#ifndef TOPICWALL_MODEL_LDA_READING_WORD_RELEVANCE_H_
#define TOPICWALL_MODEL_LDA_READING_WORD_RELEVANCE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

inline constexpr double kRelevance = 0.6;

struct RelevanceOptions {
  double weight;  // λ, 0 … 1
  int count;      // that are wanted; there may be fewer
};

// Most relevant first, equal ones by number. `corpus`: p, V entries > 0. Words of which `is_shown`
// is false are left out.
std::vector<uint32_t> MostRelevant(const TopicModel& model, int topic,
                                   absl::Span<const double> corpus, const RelevanceOptions& options,
                                   const std::function<bool(uint32_t)>& is_shown);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_READING_WORD_RELEVANCE_H_
