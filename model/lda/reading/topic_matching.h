// Which topic of one model is which of another.
//
//   OwnWords mine = OwnWordsOf(model, corpus), theirs = OwnWordsOf(other, other_corpus);
//   Likeness(mine, 3, theirs, 7);                      // 0 … 1
//   std::vector<TopicPair> pairs = MatchTopics(mine, theirs, kAlike);
//
// A topic's own words are what it has beyond the corpus, o_kv ∝ max(β_kv − p_v, 0) with a sum of 1:
// the common words, which all topics share, make no two of them alike. Likeness of two topics:
// Σ_v √(o_kv o'_kv), 1 for equal ones, 0 for those without a common word (Bhattacharyya). Both
// models must be over the same terms, in the same order. A topic that is the corpus, to a millionth
// of its words, has no own words: it is equal to others without, and like none that has some.
// How many words carry a topic: 1/Σ_v o_kv², n for n alike.
//
// MatchTopics is greedy: the most alike pair first, then the most alike of what is left, as long as
// it is `least` alike; equal pairs by number. No topic is in two pairs.
//
// PUBLIC, pure. Cost of all likenesses of two models: K·K'·V multiplications, of a model's own half
// of them: 2 s for K = 500, V = 100,000 on one core.
#ifndef TOPICWALL_MODEL_LDA_READING_TOPIC_MATCHING_H_
#define TOPICWALL_MODEL_LDA_READING_TOPIC_MATCHING_H_

#include <vector>

#include "absl/types/span.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

struct OwnWords {
  int num_topics;
  int num_terms;
  std::vector<float> roots;  // √o: K×V, row = topic
};

// corpus: p, V entries; its sum need not be 1 where only some of the terms are looked at.
OwnWords OwnWordsOf(const TopicModel& model, absl::Span<const double> corpus);

// In [0, 1]. 0 <= topic < K of each.
double Likeness(const OwnWords& a, int topic_of_a, const OwnWords& b, int topic_of_b);

// Of all topics of `a` (rows) to all of `b` (columns), K×K' row by row, to some 1e-6 of Likeness.
std::vector<double> Likenesses(const OwnWords& a, const OwnWords& b);

bool HasOwnWords(const OwnWords& own, int topic);  // 0 <= topic < K

// >= 1; 1 for a topic without own words. 0 <= topic < K.
double CarryingWords(const OwnWords& own, int topic);

// The topic of `b` most like this one of `a`, the first of equal ones.
struct TopicPair {
  int of_a;
  int of_b;
  double likeness;
};
TopicPair MostAlike(const OwnWords& a, int topic_of_a, const OwnWords& b);

// Most alike first.
std::vector<TopicPair> MatchTopics(const OwnWords& a, const OwnWords& b, double least);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_READING_TOPIC_MATCHING_H_
