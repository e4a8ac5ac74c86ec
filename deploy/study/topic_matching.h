// Which topic of one model is most like a given topic of another, for tables of words side by side.
//
// Likeness is that of model/lda/reading/topic_matching.h, each model beside its own unigram. The
// topics that others are held against are typical ones, chosen by a rule and not by how they look:
// in order of their mass those at a quarter, at half and at three quarters. PUBLIC. Pure.
#ifndef TOPICWALL_DEPLOY_STUDY_TOPIC_MATCHING_H_
#define TOPICWALL_DEPLOY_STUDY_TOPIC_MATCHING_H_

#include <vector>

#include "model/lda/topics/topic_model.h"

namespace topicwall::study {

// Three topics of a model with at least three.
std::vector<int> TypicalTopics(const lda::TopicModel& model);

// The topic of `model` that is most like topic `wanted` of `reference`; both over the same terms.
int MostAlike(const lda::TopicModel& reference, int wanted, const lda::TopicModel& model);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_TOPIC_MATCHING_H_
