#include "deploy/study/topic_matching.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "model/lda/reading/topic_matching.h"
#include "model/lda/topics/held_out_perplexity.h"

namespace topicwall::study {

std::vector<int> TypicalTopics(const lda::TopicModel& model) {
  const int topics = model.num_topics();
  std::vector<int> order(static_cast<size_t>(topics));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&model](int a, int b) { return model.topic_sum(a) > model.topic_sum(b); });
  std::vector<int> typical;
  for (const int quarter : {1, 2, 3}) {
    typical.push_back(order[static_cast<size_t>(quarter * topics / 4)]);
  }
  return typical;
}

int MostAlike(const lda::TopicModel& reference, int wanted, const lda::TopicModel& model) {
  return lda::MostAlike(lda::OwnWordsOf(reference, lda::MarginalTermProbabilities(reference)),
                        wanted, lda::OwnWordsOf(model, lda::MarginalTermProbabilities(model)))
      .of_b;
}

}  // namespace topicwall::study
