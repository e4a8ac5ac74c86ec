#include "client/topics/topic_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "model/lda/reading/quality_calibration.h"
#include "model/lda/reading/word_relevance.h"
#include "proto/matrix_codec.h"
#include "tests/client/small_model.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::topicwall::testing::StatusIs;

std::vector<uint32_t> TermsOf(const std::vector<ReadWord>& words) {
  std::vector<uint32_t> terms;
  for (const ReadWord& word : words) terms.push_back(word.term);
  return terms;
}

// "the" is the most probable word of every topic: in one it is first by chance of the noise alone.
TEST(TopicReadingTest, ByRelevanceATopicsOwnWordsComeFirst) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 10)));
  for (int k = 0; k < kMadeUpTopics; ++k) {
    std::set<uint32_t> first;
    for (const ReadWord& word : reading.Words(k, {.relevance = lda::kRelevance, .count = 5})) {
      first.insert(word.term);
      EXPECT_GT(*word.probability_above, 0.99);
      EXPECT_GT(word.lift, 2);
    }
    const auto own = static_cast<uint32_t>(1 + 5 * k);
    EXPECT_EQ(first, (std::set<uint32_t>{own, own + 1, own + 2, own + 3, own + 4}));
  }
}

TEST(TopicReadingTest, TheOnlyTopicHasAllWordsWhateverTheNoise) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(OfOneTopic(MadeUpModel(1, 10))));
  EXPECT_EQ(reading.topic(0).share, 1);
  EXPECT_EQ(reading.topic(0).margin, 0);
  EXPECT_FALSE(reading.topic(0).comes_again.has_value()) << "what else could another fit have?";
  EXPECT_FALSE(reading.topic(0).is_weak.has_value());
  EXPECT_EQ(reading.NumWeakTopics(), 0);
  EXPECT_GT(*TopicReading::Of(MadeUpModel(1, 10))->topic(0).margin, 0);
}

// Forty words, in the order of what is more of it than of the corpus by nothing but noise and the
// clip.
TEST(TopicReadingTest, TheOnlyTopicIsTheCorpusAndMarksNoWord) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(OfOneTopic(MadeUpModel(1, 10))));
  EXPECT_FALSE(reading.topic(0).typical_words.has_value());
  const std::vector<ReadWord> words = reading.Words(0, {.relevance = 0.6, .count = 100});
  ASSERT_EQ(words.size(), reading.terms().size());
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_FALSE(words[i].z.has_value() || words[i].probability_above.has_value());
    if (i > 0) {
      EXPECT_LE(words[i].probability, words[i - 1].probability);
    }
  }
}

// Catches a list that is filled up with what is left: of 40 words 24 and 14 of other topics or of
// none are avoided by topic k, but for the noise.
TEST(TopicReadingTest, NoWordThatATopicAvoidsIsShownInAnyOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(seed, 30)));
    for (int k = 0; k < kMadeUpTopics; ++k) {
      for (const double relevance : {0.0, 0.6, 1.0}) {
        const std::vector<ReadWord> words =
            reading.Words(k, {.relevance = relevance, .count = kMadeUpTerms});
        EXPECT_LT(words.size(), size_t{kMadeUpTerms});
        for (const ReadWord& word : words) {
          EXPECT_GT(*word.z, 0);
          EXPECT_GT(word.lift, 1);
        }
      }
    }
  }
}

// Of a word that noise cannot explain the posterior is y ± τ, over the mass of all y, 9,010 or so,
// with a noise of τ√40, of which the word has a sixth.
TEST(TopicReadingTest, IntervalsAreTheNoisesOwnWhereASumIsClear) {
  const v1::ModelFile file = MadeUpModel(1, 10);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file, TopicReading::Intervals::kYes));
  const ReadWord word = reading.word(0, 2);
  const auto sums = *proto::FloatsFromLittleEndian(file.noisy_statistics());
  const double mass = std::accumulate(sums.begin(), sums.begin() + kMadeUpTerms, 0.0);
  EXPECT_NEAR(*word.high, sums[2] / mass + 1.96 * 10 * std::hypot(1, std::sqrt(40) / 6) / 9010,
              2e-4);
  // What smoothing takes of it is told of, too.
  EXPECT_LT(word.probability, 0.96 * 1500 / 9010);
  EXPECT_EQ(*word.low, word.probability);
  for (uint32_t v = 0; v < kMadeUpTerms; ++v) {
    EXPECT_LE(*reading.word(1, v).low, reading.word(1, v).probability);
    EXPECT_GE(*reading.word(1, v).low, 0);
  }
}

TEST(TopicReadingTest, SharesAreOfTheSumsAndHaveTheirMargin) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 1)));
  for (int k = 0; k < kMadeUpTopics; ++k) {
    EXPECT_NEAR(*reading.topic(k).share, 1.0 / 3, 0.01);
    EXPECT_NEAR(*reading.topic(k).margin, 1.96 * 0.13 / 3, 0.005);
    EXPECT_EQ(*reading.topic(k).typical_words, 5);
    EXPECT_GT(*reading.topic(k).comes_again, 0.9);
    EXPECT_FALSE(reading.topic(k).is_weak.has_value()) << "measured of more topics";
  }
}

// Made of `topics` that are all the corpus, which at this noise none would find again.
int WeakOf(int topics) {
  v1::ModelFile file = MadeUpModel(1, 10);
  const std::string lambda = file.topic_parameters(), sums = file.noisy_statistics();
  file.set_num_topics(topics);
  file.clear_topic_parameters();
  file.clear_noisy_statistics();
  const size_t row = kMadeUpTerms * sizeof(float);
  for (int k = 0; k < topics; ++k) {
    file.mutable_topic_parameters()->append(lambda, 0, row);
    file.mutable_noisy_statistics()->append(sums, 0, row);
  }
  const std::vector<float> corpus = *proto::FloatsFromLittleEndian(lambda.substr(0, row));
  const double total = std::accumulate(corpus.begin(), corpus.end(), 0.0);
  file.clear_term_probabilities();
  for (const double sum : corpus) file.add_term_probabilities(sum / total);
  const auto reading = TopicReading::Of(file);
  EXPECT_OK(reading);
  return reading.ok() ? reading->NumWeakTopics() : -1;
}

TEST(TopicReadingTest, TopicsAreCalledWeakOnlyWhereThatWasMeasured) {
  EXPECT_EQ(WeakOf(lda::kLeastTopicsJudged), lda::kLeastTopicsJudged);
  EXPECT_EQ(WeakOf(lda::kLeastTopicsJudged - 1), 0);
  EXPECT_EQ(WeakOf(2), 0);
}

// λ = (80, 19, 1) and (2, 18, 180): the second is two thirds; of fig it has less than the corpus.
TEST(TopicReadingTest, AModelThatKnowsNoNoiseHasLiftAndNoMore) {
  const v1::ModelFile file = SmallModel({"apple", "fig", "pear"}, {80, 19, 1, 2, 18, 180});
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file, TopicReading::Intervals::kYes));
  EXPECT_FALSE(reading.knows_noise());
  EXPECT_THAT(reading.HeaviestFirst(), ElementsAre(1, 0));
  EXPECT_THAT(TermsOf(reading.Words(0, {.relevance = 1, .count = 3})), ElementsAre(0, 1));
  EXPECT_THAT(TermsOf(reading.Words(1, {.relevance = 1, .count = 3})), ElementsAre(2));
  const ReadWord apple = reading.word(0, 0);
  EXPECT_NEAR(apple.lift, 0.8 / (82.0 / 300), 1e-6);
  EXPECT_FALSE(apple.z.has_value() || apple.probability_above.has_value() || apple.low.has_value());
  EXPECT_FALSE(reading.topic(0).margin.has_value() || reading.topic(0).comes_again.has_value());
}

// λ = η + (90, 6, 0), (0, 0, 4) and nothing, η = 100: by λ they would have 40, 30 and 30 %.
// What floats leave of the prior is nothing, and never less.
TEST(TopicReadingTest, SharesAreOfWhatLambdaHasBeyondThePrior) {
  const v1::ModelFile file =
      SmallModel({"apple", "fig", "pear"}, {190, 106, 100, 100, 100, 104, 100, 99, 100}, 100);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file));
  EXPECT_NEAR(*reading.topic(0).share, 0.96, 1e-12);
  EXPECT_NEAR(*reading.topic(1).share, 0.04, 1e-12);
  EXPECT_EQ(reading.topic(2).share, 0);
}

TEST(TopicReadingTest, TopicsOfNothingButThePriorAreEquallyLarge) {
  ASSERT_OK_AND_ASSIGN(const auto reading,
                       TopicReading::Of(SmallModel({"apple", "fig"}, {0.5, 0.5, 0.5, 0.5})));
  EXPECT_EQ(reading.topic(0).share, 0.5);
  EXPECT_EQ(reading.topic(1).share, 0.5);
}

// The maps were counted of LDA.
TEST(TopicReadingTest, AMixtureSaysWhichWordsAreTypicalButGradesNoComponent) {
  v1::ModelFile file = MadeUpModel(1, 10);
  for (const double weight : {0.2, 0.5, 0.3}) file.add_component_weights(weight);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file));
  EXPECT_THAT(reading.HeaviestFirst(), ElementsAre(1, 2, 0));
  EXPECT_EQ(reading.topic(1).share, 0.5);
  EXPECT_FALSE(reading.topic(1).comes_again.has_value());
  EXPECT_GT(*reading.word(0, 2).z, 5);
}

TEST(TopicReadingTest, SizesOfMergedTopicsThatAreNoneAreRefused) {
  v1::ModelFile file = SmallModel({"apple", "fig"}, {8, 2, 3, 7});
  for (const double mass : {10.0, 30.0}) file.mutable_merged()->add_masses(mass);
  for (const double p : {0.5, 0.5}) file.mutable_merged()->add_term_probabilities(p);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file));
  EXPECT_EQ(reading.topic(1).share, 0.75);
  EXPECT_FALSE(reading.topic(1).margin.has_value());
  v1::ModelFile empty = file;
  empty.mutable_merged()->set_masses(0, 0);
  EXPECT_EQ(TopicReading::Of(empty)->topic(0).share, 0)
      << "a topic may be of nothing but the prior";
  const auto refused = [](const v1::ModelFile& bad) {
    EXPECT_THAT(TopicReading::Of(bad),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("merged topics")));
  };
  for (const double mass : {-10.0, std::nan(""), HUGE_VAL}) {
    v1::ModelFile bad = file;
    bad.mutable_merged()->set_masses(0, mass);
    refused(bad);
  }
  for (const double variance : {-1.0, std::nan(""), HUGE_VAL}) {
    v1::ModelFile bad = file;
    bad.mutable_merged()->mutable_mass_variances()->Resize(2, variance);
    refused(bad);
  }
}

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

}  // namespace
}  // namespace topicwall::client
