// Made-up topics as peaked as trained ones, and documents drawn from them.
#ifndef TOPICWALL_TESTS_BENCH_TRAINED_LIKE_CORPUS_H_
#define TOPICWALL_TESTS_BENCH_TRAINED_LIKE_CORPUS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "model/data/document.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda::bench {

// Term r is about as frequent as 1/r; a topic multiplies that by e^(3·normal), which leaves most of
// its weight to a few hundred terms. A document has 3 topics, and one word in ten from anywhere.
class TrainedLikeCorpus {
 public:
  TrainedLikeCorpus(int num_topics, int vocabulary_size)
      : num_topics_(num_topics), terms_(static_cast<size_t>(vocabulary_size)) {
    std::normal_distribution<float> normal;
    for (int k = 0; k < num_topics; ++k) {
      double sum = 0;
      std::vector<float> topic(terms_);
      for (size_t v = 0; v < terms_; ++v) {
        topic[v] = std::exp(3 * normal(random_)) / static_cast<float>(v + 1);
        sum += double{topic[v]};
      }
      double below = 0;
      for (size_t v = 0; v < terms_; ++v) {
        values_.push_back(std::min(0.0f, static_cast<float>(std::log(double{topic[v]} / sum))));
        cumulative_.push_back(static_cast<float>((below += double{topic[v]}) / sum));
      }
    }
  }

  absl::StatusOr<LogTopics> Topics() const {
    return LogTopics::Create(num_topics_, static_cast<int>(terms_), values_);
  }

  DocumentList Documents(int documents, int mean_tokens) {
    std::poisson_distribution<int> length(mean_tokens);
    std::uniform_int_distribution<int> any_topic(0, num_topics_ - 1);
    std::uniform_real_distribution<float> uniform;
    DocumentList list;
    for (int d = 0; d < documents; ++d) {
      const int topics[3] = {any_topic(random_), any_topic(random_), any_topic(random_)};
      std::map<uint32_t, uint32_t> counts;
      for (int n = std::max(1, length(random_)); n > 0; --n) {
        const int topic = uniform(random_) < 0.1f ? any_topic(random_) : topics[n % 3];
        const auto begin = cumulative_.begin() + static_cast<std::ptrdiff_t>(topic * terms_);
        const auto end = begin + static_cast<std::ptrdiff_t>(terms_);
        const auto place = std::lower_bound(begin, end - 1, uniform(random_));
        ++counts[static_cast<uint32_t>(place - begin)];
      }
      std::vector<TermCount> document;
      for (const auto& [term, count] : counts) document.push_back({.term = term, .count = count});
      list.Append(document);
    }
    return list;
  }

 private:
  std::mt19937_64 random_{1};
  int num_topics_;
  size_t terms_;
  std::vector<float> values_;      // ℓ: K×V
  std::vector<float> cumulative_;  // of each topic: K×V
};

}  // namespace topicwall::lda::bench

#endif  // TOPICWALL_TESTS_BENCH_TRAINED_LIKE_CORPUS_H_
