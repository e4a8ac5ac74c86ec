#include "client/topics/topic_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/fit/model_file.h"
#include "proto/matrix_codec.h"
#include "tests/client/small_model.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace topic_merge_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Four topics over two words, η = 0.5.
v1::ModelFile FourTopics() {
  v1::ModelFile file = SmallModel({"apple", "pear"}, {1, 2, 3, 4, 5, 6, 0.125, 8}, 0.5, 0.1);
  for (const double alpha : {0.2, 0.3, 0.4}) file.add_document_topic_prior(alpha);
  return file;
}

TEST(TopicMergeTest, WhatGroupsHaveBeyondThePriorAddsUpWhereTheirFirstTopicStood) {
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeTopics(FourTopics(), {{2, 0}}));
  EXPECT_EQ(merged.num_topics(), 3);
  // By hand: 1 + 5 - 0.5 and 2 + 6 - 0.5, then topics 2 and 4 as they were.
  EXPECT_THAT(*proto::FloatsFromLittleEndian(merged.topic_parameters()),
              ElementsAre(5.5, 7.5, 3, 4, 0.125, 8));
  EXPECT_THAT(merged.document_topic_prior(), ElementsAre(0.1 + 0.3, 0.2, 0.4));
  ASSERT_OK(ModelOf(merged));
  const auto two = MergeTopics(FourTopics(), {{3, 1}, {2, 0}});
  EXPECT_THAT(*proto::FloatsFromLittleEndian(two->topic_parameters()),
              // 3 + 0.125 - 0.5 would be less than topic 2 has alone.
              ElementsAre(5.5, 7.5, 3, 11.5));
  EXPECT_THAT(*PlacesAfterMerge(4, {{3, 1}, {2, 0}}), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(*PlacesAfterMerge(5, {{4, 1}}), ElementsAre(0, 1, 2, 3, 1));
}

// A private fit's prior has the shape of the corpus: 0.5·2·(0.75, 0.25) of each topic.
TEST(TopicMergeTest, ThePriorOfAPrivateFitIsThatOfItsCorpus) {
  v1::ModelFile file = FourTopics();
  for (const double probability : {0.75, 0.25}) file.add_term_probabilities(probability);
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeTopics(file, {{2, 0}}));
  EXPECT_THAT(*proto::FloatsFromLittleEndian(merged.topic_parameters()),
              ElementsAre(1 + 5 - 0.75, 2 + 6 - 0.25, 3, 4, 0.125, 8));
}

// Topics have other numbers then, by which anchors are theirs.
TEST(TopicMergeTest, NoTopicIsCalledAsAnAnchorOfAnother) {
  v1::ModelFile file = FourTopics();
  file.mutable_spec()->set_corpus("notes");
  file.mutable_spec()->add_anchors()->set_name("first");
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeTopics(file, {{1, 2}}));
  EXPECT_EQ(merged.spec().anchors_size(), 0);
  EXPECT_EQ(merged.spec().corpus(), "notes");
  EXPECT_FALSE(MergeTopics(FourTopics(), {{1, 2}})->has_spec());
}

TEST(TopicMergeTest, OnePriorOfAllTopicsBecomesOneOfEach) {
  v1::ModelFile file = FourTopics();
  file.clear_document_topic_prior();
  file.add_document_topic_prior(0.25);
  EXPECT_THAT(MergeTopics(file, {{0, 1, 2}})->document_topic_prior(), ElementsAre(0.75, 0.25));
}

TEST(TopicMergeTest, WeightsOfAMixtureAddUp) {
  v1::ModelFile file = FourTopics();
  for (const double weight : {0.5, 0.25, 0.125, 0.125}) file.add_component_weights(weight);
  EXPECT_THAT(MergeTopics(file, {{1, 3}})->component_weights(), ElementsAre(0.5, 0.375, 0.125));
}

TEST(TopicMergeTest, AMergedModelClaimsNothingOfTheNoiseInWhatWasReleased) {
  v1::ModelFile made = MadeUpModel(1, 10);
  made.mutable_mass_deviations()->Resize(kMadeUpTopics, 3);
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeTopics(made, {{0, 1}}));
  ASSERT_OK_AND_ASSIGN(const auto noise, NoiseOf(merged));
  EXPECT_FALSE(noise.has_value());
  EXPECT_OK(ParseModelFile(merged.SerializeAsString(), "merged"));
  EXPECT_EQ(merged.epsilon(), made.epsilon());
}

TEST(TopicMergeTest, WhatIsNoGroupOfTopicsIsRefusedByItsNumber) {
  const auto refused = [](const TopicGroups& groups, const char* why) {
    EXPECT_THAT(MergeTopics(FourTopics(), groups),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  refused({{1}}, "two or more");
  refused({{}}, "two or more");
  refused({{-1, 1}}, "1 to 4; got 0");
  refused({{1, 4}}, "1 to 4; got 5");
  refused({{1, 1}}, "got 2 twice");
  refused({{0, 1}, {1, 2}}, "got 2 twice");
}

}  // namespace topic_merge_test
}  // namespace topicwall::client
