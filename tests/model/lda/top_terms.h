// The most probable terms of a topic, for tests of what was planted.
#ifndef TOPICWALL_TESTS_MODEL_LDA_TOP_TERMS_H_
#define TOPICWALL_TESTS_MODEL_LDA_TOP_TERMS_H_

#include <cstdint>
#include <vector>

#include "model/lda/reading/word_relevance.h"

namespace topicwall::lda::testing {

// Most probable first, equal ones by number.
inline std::vector<uint32_t> TopTerms(const TopicModel& model, int topic, int count) {
  const std::vector<double> corpus(static_cast<size_t>(model.vocabulary_size()), 1.0);
  return MostRelevant(model, topic, corpus, {.weight = 1, .count = count},
                      [](uint32_t) { return true; });
}

}  // namespace topicwall::lda::testing

#endif  // TOPICWALL_TESTS_MODEL_LDA_TOP_TERMS_H_
