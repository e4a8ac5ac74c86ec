#include "model/lda/reading/word_relevance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace topicwall::lda {

std::vector<uint32_t> MostRelevant(const TopicModel& model, int topic,
                                   absl::Span<const double> corpus, const RelevanceOptions& options,
                                   const std::function<bool(uint32_t)>& is_shown) {
  const absl::Span<const float> lambda = model.topic(topic);
  std::vector<uint32_t> terms;
  std::vector<double> relevance(lambda.size());
  for (size_t v = 0; v < lambda.size(); ++v) {
    if (!is_shown(static_cast<uint32_t>(v))) continue;
    terms.push_back(static_cast<uint32_t>(v));
    // Sievert and Shirley 2014: λ log β + (1 − λ) log(β/p), with the log β taken together.
    const double log_probability = std::log(lambda[v] / model.topic_sum(topic));
    relevance[v] = log_probability - (1 - options.weight) * std::log(corpus[v]);
  }
  const size_t count = std::min(terms.size(), static_cast<size_t>(std::max(options.count, 0)));
  std::partial_sort(terms.begin(), terms.begin() + static_cast<ptrdiff_t>(count), terms.end(),
                    // By number where equal: partial_sort keeps no order of its own.
                    [&relevance](uint32_t a, uint32_t b) {
                      return relevance[a] != relevance[b] ? relevance[a] > relevance[b] : a < b;
                    });
  terms.resize(count);
  return terms;
}

}  // namespace topicwall::lda
