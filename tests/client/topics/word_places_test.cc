#include "client/topics/word_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace word_places_test {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::topicwall::testing::StatusIs;

TEST(WordPlacesTest, AWordOfOneTopicIsFoundThereAlone) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 15)));
  ASSERT_OK_AND_ASSIGN(const auto places, PlacesOf(reading, reading.terms()[6]));
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_EQ(places.front().topic, 1);
  // 1500 of 9,010 words of its topic against 1530 of 27,030 of the corpus, which the prior holds 12
  // parts of beside 100: (2.941 + 0.12)/1.12.
  EXPECT_NEAR(places.front().word.lift, 2.733, 0.1);
}

TEST(WordPlacesTest, TheTopicThatHasMostOfItComesFirst) {
  v1::ModelFile file = MadeUpModel(1, 0);
  file.clear_noisy_statistics();
  file.clear_noise_deviations();
  file.clear_term_probabilities();
  std::vector<float> lambda(kMadeUpTopics * kMadeUpTerms, 1);
  lambda[kMadeUpTerms + 6] = 7;
  lambda[2 * kMadeUpTerms + 6] = 9;
  file.set_topic_parameters(proto::FloatsToLittleEndian(lambda));
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file));
  ASSERT_OK_AND_ASSIGN(const auto places, PlacesOf(reading, reading.terms()[6]));
  ASSERT_THAT(places, SizeIs(2));
  EXPECT_EQ(places.front().topic, 2);
  EXPECT_EQ(places.back().topic, 1);
}

TEST(WordPlacesTest, AWordThatTheModelLacksIsAnError) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 15)));
  EXPECT_THAT(PlacesOf(reading, "sepsis"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("\"sepsis\" is not among the 40")));
}

}  // namespace word_places_test
}  // namespace topicwall::client
