#include "deploy/study/topic_matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace topicwall::study {
namespace topic_matching_test {

using ::testing::ElementsAre;

lda::TopicModel Model(int topics, std::vector<float> lambda) {
  return *lda::TopicModel::Create({.num_topics = topics,
                                   .vocabulary_size = static_cast<int>(lambda.size()) / topics,
                                   .document_topic_prior = 0.1,
                                   .topic_term_prior = 0.1,
                                   .topic_parameters = std::move(lambda)});
}

TEST(TopicMatchingTest, TypicalTopicsAreAtTheQuartersOfTheOrderByMass) {
  // Masses 1, 2, … 8, in another order; the largest is first in order.
  const lda::TopicModel model = Model(8, {3, 8, 1, 6, 2, 7, 5, 4});
  EXPECT_THAT(TypicalTopics(model), ElementsAre(3, 7, 4));
}

TEST(TopicMatchingTest, TheMostAlikeIsTheOneOfTheSameTermsWhateverItsMass) {
  const lda::TopicModel reference = Model(2, {9, 1, 1, 1, 9, 1});
  const lda::TopicModel model = Model(3, {1, 1, 9, 50, 400, 50, 0.9F, 0.2F, 0.1F});
  EXPECT_EQ(MostAlike(reference, 0, model), 2);
  EXPECT_EQ(MostAlike(reference, 1, model), 1);
  EXPECT_EQ(MostAlike(reference, 1, reference), 1);
}

}  // namespace topic_matching_test
}  // namespace topicwall::study
