#include "proto/plan_model.h"

#include <gtest/gtest.h>

namespace topicwall::proto {
namespace {

TEST(PlanModelTest, AnLdaPlanIsAnsweredWithTheShapeOfItsTopics) {
  v1::PlanSpec plan;
  plan.mutable_lda()->set_num_topics(7);
  plan.mutable_lda()->set_document_topic_prior(0.25);
  EXPECT_EQ(ModelOf(plan).num_topics, 7);
  EXPECT_EQ(ModelOf(plan).document_topic_prior, 0.25);
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).rows, 7);
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).columns, 1000);
}

TEST(PlanModelTest, AnEvaluationIsAnsweredWithTwoNumbersWhateverItsTopics) {
  v1::PlanSpec plan;
  plan.mutable_document_completion()->set_num_topics(7);
  plan.mutable_document_completion()->set_document_topic_prior(0.25);
  EXPECT_EQ(ModelOf(plan).num_topics, 7);
  EXPECT_EQ(ModelOf(plan).document_topic_prior, 0.25);
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).rows, 1);
  EXPECT_EQ(ReleaseShapeOf(plan, 1000).columns, 2);
}

TEST(PlanModelTest, APlanWithoutAModelHasNoTopics) {
  EXPECT_EQ(ModelOf({}).num_topics, 0);
  EXPECT_EQ(ReleaseShapeOf({}, 1000).rows, 0);
}

}  // namespace
}  // namespace topicwall::proto
