#include "client/topics/topic_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "client/fit/model_file.h"
#include "client/topics/model_match.h"
#include "client/topics/topic_reading.h"
#include "model/lda/math/normal_tail.h"
#include "model/lda/reading/quality_calibration.h"
#include "proto/matrix_codec.h"
#include "tests/client/small_model.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace topic_merge_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
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

// What is read of `merged`, topics 1 and 2 of three as one, beside what was read of them apart.
void ExpectSharesAddUp(const v1::ModelFile& apart, const v1::ModelFile& merged) {
  ASSERT_OK_AND_ASSIGN(const auto parsed, ParseModelFile(merged.SerializeAsString(), "merged"));
  ASSERT_OK_AND_ASSIGN(const auto before, TopicReading::Of(apart));
  ASSERT_OK_AND_ASSIGN(const auto after, TopicReading::Of(parsed));
  const double sum = *before.topic(0).share + *before.topic(1).share;
  EXPECT_NEAR(*after.topic(0).share, sum, 1e-12);
  EXPECT_NEAR(*after.topic(1).share, *before.topic(2).share, 1e-12);
  EXPECT_EQ(after.topic(1).margin.has_value(), before.topic(2).margin.has_value());
  if (before.topic(2).margin.has_value()) {
    EXPECT_NEAR(*after.topic(1).margin, *before.topic(2).margin, 1e-12);
  }
  EXPECT_EQ(after.corpus(), before.corpus());
  EXPECT_EQ(after.word(1, 11).lift, before.word(2, 11).lift);
  ASSERT_OK_AND_ASSIGN(const auto match, MatchModels(before, after, 0.5));
  ASSERT_FALSE(match.pairs.empty());
  EXPECT_EQ(match.pairs.front().of_a, 2);
  EXPECT_EQ(match.pairs.front().of_b, 1);
  EXPECT_NEAR(match.pairs.front().likeness, 1, 1e-12);
}

TEST(TopicMergeTest, TopicsThatNobodyMergedKeepTheirSharesAndAreWhatTheyWere) {
  v1::ModelFile made = MadeUpModel(1, 30);
  ExpectSharesAddUp(made, *MergeTopics(made, {{0, 1}}));
  for (const float along : {20.0F, 30.0F, 40.0F}) made.add_mass_deviations(along);
  ExpectSharesAddUp(made, *MergeTopics(made, {{0, 1}}));
}

// The mass of two topics is off by the noise of both: 2·Στ², and 20² + 30² along them.
TEST(TopicMergeTest, TheMarginOfMergedTopicsHasTheNoiseOfAllOfThem) {
  v1::ModelFile made = MadeUpModel(1, 30);
  for (const float along : {20.0F, 30.0F, 40.0F}) made.add_mass_deviations(along);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(*MergeTopics(made, {{0, 1}})));
  const std::vector<float> sums = *proto::FloatsFromLittleEndian(made.noisy_statistics());
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double words = kMadeUpTerms * 30.0 * 30.0, share = *reading.topic(0).share;
  const double own = 2 * words + 20 * 20 + 30 * 30, other = words + 40 * 40;
  const double noise = std::sqrt((1 - share) * (1 - share) * own + share * share * other) / total;
  EXPECT_NEAR(*reading.topic(0).margin,
              lda::UsualPoint() * std::hypot(noise, lda::kShareDrift * share), 1e-7);
  EXPECT_FALSE(reading.knows_noise());
  EXPECT_FALSE(reading.topic(0).comes_again.has_value());
}

TEST(TopicMergeTest, SharesThatWereNotKnownAreNotKnownAfterIt) {
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeTopics(MadeUpModel(1, 10000), {{0, 1}}));
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(merged));
  EXPECT_FALSE(reading.knows_shares());
  EXPECT_FALSE(reading.topic(0).share.has_value() || reading.topic(1).margin.has_value());
}

// No fit had noise, or none says anything of it.
TEST(TopicMergeTest, OfModelsThatKnowNoNoiseSharesAddUpAsWell) {
  v1::ModelFile plain = MadeUpModel(1, 0);
  plain.clear_noisy_statistics();
  plain.clear_noise_deviations();
  plain.clear_term_probabilities();
  ExpectSharesAddUp(plain, *MergeTopics(plain, {{0, 1}}));
}

// λ = η + 90, 6 and 4 words in all, η = 100 of each of two words.
TEST(TopicMergeTest, WhereNoNoiseIsKnownMergedTopicsAreAsLargeAsWhatTheyHaveBeyondThePrior) {
  const v1::ModelFile plain = SmallModel({"apple", "fig"}, {190, 100, 100, 106, 104, 100}, 100);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(*MergeTopics(plain, {{0, 1}})));
  EXPECT_NEAR(*reading.topic(0).share, 0.96, 1e-12);
  EXPECT_NEAR(*reading.topic(1).share, 0.04, 1e-12);
}

TEST(TopicMergeTest, OfAMixtureBothSharesAddUp) {
  v1::ModelFile mixture = MadeUpModel(1, 30);
  for (const double weight : {0.5, 0.375, 0.125}) mixture.add_component_weights(weight);
  ASSERT_OK_AND_ASSIGN(const auto merged, MergeTopics(mixture, {{0, 1}}));
  ExpectSharesAddUp(mixture, merged);
  ASSERT_OK_AND_ASSIGN(const auto before, TopicReading::Of(mixture));
  ASSERT_OK_AND_ASSIGN(const auto after, TopicReading::Of(merged));
  EXPECT_NEAR(*after.topic(1).share_of_words, *before.topic(2).share_of_words, 1e-12);
  EXPECT_FALSE(after.topic(0).margin.has_value());
}

TEST(TopicMergeTest, MergedOneAfterTheOtherTheyAreAsMergedAtOnce) {
  v1::ModelFile made = MadeUpModel(1, 30);
  for (const float along : {20.0F, 30.0F, 40.0F}) made.add_mass_deviations(along);
  v1::ModelFile plain = made;
  plain.clear_noisy_statistics();
  plain.clear_noise_deviations();
  plain.clear_mass_deviations();
  plain.clear_term_probabilities();
  for (const v1::ModelFile& file : {made, plain}) {
    ASSERT_OK_AND_ASSIGN(const auto once, MergeTopics(file, {{0, 1, 2}}));
    ASSERT_OK_AND_ASSIGN(const auto two, MergeTopics(file, {{1, 2}}));
    ASSERT_OK_AND_ASSIGN(const auto twice, MergeTopics(two, {{0, 1}}));
    EXPECT_THAT(twice.merged().masses(), Pointwise(DoubleNear(1e-6), once.merged().masses()));
    EXPECT_THAT(twice.merged().mass_variances(),
                Pointwise(DoubleNear(1e-6), once.merged().mass_variances()));
    // The prior that is taken off has the shape of the corpus after a merge, too.
    EXPECT_THAT(
        *proto::FloatsFromLittleEndian(twice.topic_parameters()),
        Pointwise(FloatNear(1e-2F), *proto::FloatsFromLittleEndian(once.topic_parameters())));
    EXPECT_EQ(TopicReading::Of(twice)->corpus(), TopicReading::Of(file)->corpus());
  }
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
