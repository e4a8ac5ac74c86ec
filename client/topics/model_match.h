// The topics of two models side by side.
//
// Over the words that both lists have, each model beside its own corpus: likeness and the greedy
// one-to-one rule are those of model/lda/reading/topic_matching.h. A word that one of them lacks
// says nothing. Errors: FAILED_PRECONDITION if they have no word in common. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_TOPICS_MODEL_MATCH_H_
#define TOPICWALL_CLIENT_TOPICS_MODEL_MATCH_H_

#include <vector>

#include "absl/status/statusor.h"
#include "client/topics/topic_reading.h"
#include "model/lda/reading/topic_matching.h"

namespace topicwall::client {

struct ModelMatch {
  int common_words;
  std::vector<lda::TopicPair> pairs;  // most alike first; topics from 0
  std::vector<int> only_in_a, only_in_b;
};

absl::StatusOr<ModelMatch> MatchModels(const TopicReading& a, const TopicReading& b, double least);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_MODEL_MATCH_H_
