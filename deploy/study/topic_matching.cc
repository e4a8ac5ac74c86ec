#include "deploy/study/topic_matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "absl/types/span.h"

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
  const absl::Span<const float> theirs = reference.topic(wanted);
  int best = 0;
  double most = -1;
  for (int k = 0; k < model.num_topics(); ++k) {
    const absl::Span<const float> ours = model.topic(k);
    double alike = 0;
    for (size_t v = 0; v < ours.size(); ++v) alike += std::sqrt(double{ours[v]} * theirs[v]);
    alike /= std::sqrt(model.topic_sum(k));
    if (alike > most) {
      most = alike;
      best = k;
    }
  }
  return best;
}

}  // namespace topicwall::study
