#include "model/lda/topics/topic_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/model/lda/reference_e_step.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace topic_model_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::lda::testing::ReferenceDigamma;
using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TopicModelParams Params(int num_topics, int vocabulary_size, std::vector<float> parameters) {
  return {.num_topics = num_topics,
          .vocabulary_size = vocabulary_size,
          .document_topic_prior = 0.1,
          .topic_term_prior = 0.01,
          .topic_parameters = std::move(parameters)};
}

TopicModel Model(int num_topics, int vocabulary_size, std::vector<float> parameters) {
  return *TopicModel::Create(Params(num_topics, vocabulary_size, std::move(parameters)));
}

TEST(TopicModelTest, GivesBackWhatItWasMadeOf) {
  const TopicModel model = Model(2, 3, {1, 2, 5, 4, 3, 9});
  EXPECT_EQ(model.num_topics(), 2);
  EXPECT_EQ(model.vocabulary_size(), 3);
  EXPECT_THAT(model.document_topic_prior().values(), ::testing::ElementsAre(0.1));
  EXPECT_EQ(model.topic_term_prior(), 0.01);
  EXPECT_THAT(model.topic(1), ::testing::ElementsAre(4, 3, 9));
  EXPECT_EQ(model.topic_sum(0), 8);
  EXPECT_EQ(model.topic_sum(1), 16);
}

TEST(TopicModelTest, AnotherPriorOfDocumentsLeavesTheTopicsAsTheyAre) {
  ASSERT_OK_AND_ASSIGN(
      const auto tuned,
      Model(2, 3, {1, 2, 5, 4, 3, 9}).WithDocumentTopicPrior(DocumentTopicPrior({0.5, 0.25})));
  EXPECT_THAT(tuned.document_topic_prior().values(), ::testing::ElementsAre(0.5, 0.25));
  EXPECT_THAT(tuned.topic(1), ::testing::ElementsAre(4, 3, 9));
  EXPECT_EQ(tuned.topic_sum(1), 16);
  EXPECT_THAT(Model(1, 2, {1, 2}).WithDocumentTopicPrior(DocumentTopicPrior({0.5, 0.25})),
              StatusIs(kInvalid, HasSubstr("got 2 numbers")));
}

TEST(TopicModelTest, RefusesParametersThatAreNotPositiveAndFinite) {
  for (const float bad : {0.0f, -1.0f, NAN, INFINITY}) {
    EXPECT_THAT(TopicModel::Create(Params(2, 2, {1, 1, 1, bad})),
                StatusIs(kInvalid, AllOf(HasSubstr("topic 1"), HasSubstr("term 1"))))
        << bad;
  }
}

TEST(TopicModelTest, RefusesWrongSizesAndPriorsByName) {
  EXPECT_THAT(TopicModel::Create(Params(2, 2, {1, 1, 1})), StatusIs(kInvalid, HasSubstr("got 3")));
  EXPECT_THAT(TopicModel::Create(Params(0, 2, {})), StatusIs(kInvalid, HasSubstr("num_topics")));
  TopicModelParams params = Params(1, 1, {1});
  params.document_topic_prior = 0;
  EXPECT_THAT(TopicModel::Create(params), StatusIs(kInvalid, HasSubstr("document_topic_prior")));
  params = Params(1, 1, {1});
  params.topic_term_prior = -1;
  EXPECT_THAT(TopicModel::Create(params), StatusIs(kInvalid, HasSubstr("topic_term_prior")));
}

TEST(TopicModelTest, MeanTopicsAreSharesOfTheTopicsSum) {
  EXPECT_THAT(MeanTopics(Model(2, 3, {1, 2, 5, 4, 3, 9})),
              ::testing::ElementsAre(0.125, 0.25, 0.625, 0.25, 0.1875, 0.5625));
}

// λ from 1e-7 to 1e7 in each topic.
TopicModel ModelOfAllSizes() { return Model(3, 500, SyntheticCorpus(1).Parameters(3, 500, 16)); }

TEST(TopicModelTest, ExpectedLogBetaIsADifferenceOfDigammas) {
  const TopicModel model = ModelOfAllSizes();
  const LogTopics topics = ExpectedLogBeta(model);
  for (int k = 0; k < 3; ++k) {
    const long double of_sum = ReferenceDigamma(model.topic_sum(k));
    for (size_t v = 0; v < 500; ++v) {
      const long double expected = ReferenceDigamma(model.topic(k)[v]) - of_sum;
      const long double error = topics.values()[static_cast<size_t>(k) * 500 + v] - expected;
      ASSERT_LE(std::fabs(error),
                6.2e-8L * std::fabs(expected) + 3e-9L * std::max(1.0L, std::fabs(of_sum)))
          << model.topic(k)[v];
    }
  }
}

TEST(TopicModelTest, LogMeanTopicsAreWithinHalfAUnitOfFloat) {
  const TopicModel model = ModelOfAllSizes();
  const LogTopics topics = LogMeanTopics(model);
  EXPECT_EQ(topics.num_topics(), 3);
  EXPECT_EQ(topics.vocabulary_size(), 500);
  for (int k = 0; k < 3; ++k) {
    for (size_t v = 0; v < 500; ++v) {
      const long double expected =
          std::log(static_cast<long double>(model.topic(k)[v]) / model.topic_sum(k));
      const long double error = topics.values()[static_cast<size_t>(k) * 500 + v] - expected;
      ASSERT_LE(std::fabs(error), 6.2e-8L * std::fabs(expected) + 1e-10L);
    }
  }
}

TEST(TopicModelTest, ThreadsChangeNoBits) {
  // More terms than a thread takes at a time.
  const TopicModel model = Model(3, 40001, SyntheticCorpus(2).Parameters(3, 40001, 6));
  for (const auto form : {LogMeanTopics, ExpectedLogBeta}) {
    const LogTopics one = form(model, 1), three = form(model, 3);
    EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), three.values().begin()));
  }
}

TEST(TopicModelTest, BothFormsStayWhatAnEStepAccepts) {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  constexpr float kHuge = std::numeric_limits<float>::max();
  const TopicModel model = Model(3, 2, {kTiny, kHuge, kTiny, kTiny, kHuge, kHuge});
  for (const LogTopics& topics : {LogMeanTopics(model), ExpectedLogBeta(model)}) {
    EXPECT_OK(LogTopics::Create(3, 2, {topics.values().begin(), topics.values().end()}));
    EXPECT_GE(topics.values()[0], kLogTopicFloor);
  }
}

TEST(TopicModelTest, OneTermMeansAProbabilityOfOne) {
  EXPECT_EQ(LogMeanTopics(Model(1, 1, {0.3f})).values()[0], 0.0f);
  EXPECT_EQ(ExpectedLogBeta(Model(1, 1, {0.3f})).values()[0], 0.0f);
}

}  // namespace topic_model_test
}  // namespace topicwall::lda
