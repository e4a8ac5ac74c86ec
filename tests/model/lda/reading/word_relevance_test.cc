#include "model/lda/reading/word_relevance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace topicwall::lda {
namespace word_relevance_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// β = (.5, .3, .15, .05): term 0 is common everywhere, term 3 is hardly anywhere else.
const TopicModel& Model() {
  static const TopicModel* const model =
      new TopicModel(*TopicModel::Create({.num_topics = 1,
                                          .vocabulary_size = 4,
                                          .document_topic_prior = 0.1,
                                          .topic_term_prior = 0.1,
                                          .topic_parameters = {50, 30, 15, 5}}));
  return *model;
}
const std::vector<double> kCorpus = {.4995, .1, .4, .0005};

std::vector<uint32_t> Order(double weight, int count = 4) {
  return MostRelevant(Model(), 0, kCorpus, {.weight = weight, .count = count},
                      [](uint32_t) { return true; });
}

// ln β is -0.69, -1.20, -1.90, -3.00, ln(β/p) 0.00, 1.10, -0.98, 4.61; at 0.6 their mean is -0.42,
// -0.28, -1.53, 0.05, at 0.8 -0.55, -0.74, -1.71, -1.48.
TEST(WordRelevanceTest, GoesFromProbabilityToLift) {
  EXPECT_THAT(Order(1), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Order(0.8), ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(Order(0.6), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(Order(0), ElementsAre(3, 1, 0, 2));
}

TEST(WordRelevanceTest, EqualWordsAreSortedByNumber) {
  const TopicModel model = *TopicModel::Create({.num_topics = 1,
                                                .vocabulary_size = 5,
                                                .document_topic_prior = 0.1,
                                                .topic_term_prior = 0.1,
                                                .topic_parameters = {1, 4, 2, 4, 5}});
  EXPECT_THAT(MostRelevant(model, 0, std::vector<double>(5, 0.2), {.weight = 1, .count = 4},
                           [](uint32_t) { return true; }),
              ElementsAre(4, 1, 3, 2));
}

TEST(WordRelevanceTest, WordsThatAreNotShownLeaveTheirPlaceToTheNext) {
  EXPECT_THAT(MostRelevant(Model(), 0, kCorpus, {.weight = 1, .count = 2},
                           [](uint32_t term) { return term != 0; }),
              ElementsAre(1, 2));
  EXPECT_THAT(Order(1, 0), IsEmpty());
  EXPECT_THAT(Order(1, 9), ElementsAre(0, 1, 2, 3));
}

}  // namespace word_relevance_test
}  // namespace topicwall::lda
