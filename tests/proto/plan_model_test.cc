#include "proto/plan_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topicwall::proto {
namespace {

TEST(PlanModelTest, AnLdaPlanIsAnsweredWithTheShapeOfItsTopics) {
  v1::PlanSpec plan;
  plan.mutable_lda()->set_num_topics(7);
  for (const double alpha : {0.25, 0.5}) plan.mutable_lda()->add_document_topic_prior(alpha);
  EXPECT_EQ(ModelOf(plan).num_topics, 7);
  EXPECT_THAT(ModelOf(plan).document_topic_prior, ::testing::ElementsAre(0.25, 0.5));
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).rows, 7);
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).columns, 1000);
}

TEST(PlanModelTest, AnEvaluationIsAnsweredWithTwoNumbersWhateverItsTopics) {
  v1::PlanSpec plan;
  plan.mutable_document_completion()->set_num_topics(7);
  for (const double alpha : {0.25, 0.5}) {
    plan.mutable_document_completion()->add_document_topic_prior(alpha);
  }
  EXPECT_EQ(ModelOf(plan).num_topics, 7);
  EXPECT_THAT(ModelOf(plan).document_topic_prior, ::testing::ElementsAre(0.25, 0.5));
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).rows, 1);
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).columns, 2);
}

TEST(PlanModelTest, APlanWithoutAModelHasNoTopics) {
  EXPECT_EQ(ModelOf({}).num_topics, 0);
  EXPECT_EQ(ReleaseShapeOf({}, 1000).rows, 0);
}

}  // namespace
}  // namespace topicwall::proto
