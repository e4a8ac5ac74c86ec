#include "client/topics/topic_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace topic_tree_test {

// By scipy.cluster.hierarchy.linkage(squareform(d), "average").
TEST(TopicTreeTest, JoinsByMeanDistanceAsScipyDoes) {
  const std::vector<double> distances = {0,  .9,  .2,  .8,  .5,  .71, .9,  0,   .85, .3, .6,  .45,
                                         .2, .85, 0,   .7,  .55, .95, .8,  .3,  .7,  0,  .65, .4,
                                         .5, .6,  .55, .65, 0,   .99, .71, .45, .95, .4, .99, 0};
  const TopicJoint expected[] = {
      {0, 2, 0.2, 2}, {1, 3, 0.3, 2}, {5, 7, 0.425, 3}, {4, 6, 0.525, 3}, {8, 9, 0.79444444, 6}};
  const std::vector<TopicJoint> joints = AverageLinkage(distances, 6);
  ASSERT_EQ(joints.size(), 5U);
  for (size_t i = 0; i < joints.size(); ++i) {
    EXPECT_EQ(joints[i].left, expected[i].left);
    EXPECT_EQ(joints[i].right, expected[i].right);
    EXPECT_NEAR(joints[i].distance, expected[i].distance, 1e-8);
    EXPECT_EQ(joints[i].topics, expected[i].topics);
  }
}

TEST(TopicTreeTest, EqualDistancesAreJoinedByNumber) {
  const std::vector<TopicJoint> joints = AverageLinkage({0, 1, 1, 1, 0, 1, 1, 1, 0}, 3);
  EXPECT_EQ(joints[0].left, 0);
  EXPECT_EQ(joints[0].right, 1);
  EXPECT_EQ(joints[1].left, 2);
  EXPECT_EQ(joints[1].right, 3);
  EXPECT_TRUE(AverageLinkage({0}, 1).empty());
}

TEST(TopicTreeTest, TopicsWithoutACommonWordOfTheirOwnAreOneApart) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 0.01F)));
  const std::vector<TopicJoint> joints = TopicTree(reading);
  ASSERT_EQ(joints.size(), 2U);
  for (const TopicJoint& joint : joints) EXPECT_GT(joint.distance, 0.9);
}

TEST(TopicTreeTest, TextIsIndentedByDepthLeftBranchFirst) {
  EXPECT_EQ(TreeText({{{0, 2, 0.25, 2}, {1, 3, 0.5, 3}}}, {"1 heart", "2 virus", "3 cardiac"}),
            "0.50\n"
            "  2 virus\n"
            "  0.25\n"
            "    1 heart\n"
            "    3 cardiac");
  EXPECT_EQ(TreeText({}, {"1 alone"}), "1 alone");
}

}  // namespace topic_tree_test
}  // namespace topicwall::client
