#include "model/lda/reading/topic_matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace topicwall::lda {
namespace topic_matching_test {

TopicModel Model(int topics, std::vector<float> lambda) {
  return *TopicModel::Create({.num_topics = topics,
                              .vocabulary_size = static_cast<int>(lambda.size()) / topics,
                              .document_topic_prior = 0.1,
                              .topic_term_prior = 0.1,
                              .topic_parameters = std::move(lambda)});
}

// Term 0 is half of every topic and of the corpus; what they have beyond it is in terms 1 to 4.
const std::vector<double> kCorpus = {.5, .125, .125, .125, .125};

TEST(TopicMatchingTest, CommonWordsMakeNoTwoTopicsAlike) {
  const OwnWords own = OwnWordsOf(Model(2, {50, 50, .001F, .001F, .001F,  //
                                            50, .001F, 50, .001F, .001F}),
                                  kCorpus);
  EXPECT_NEAR(Likeness(own, 0, own, 0), 1, 1e-6);
  EXPECT_EQ(Likeness(own, 0, own, 1), 0);
}

// o of the first is (⅓, ⅔) in terms 1 and 2, that of the second (⅔, ⅓): 2·√2/3.
TEST(TopicMatchingTest, LikenessIsBhattacharyyasWhateverTheMass) {
  const OwnWords a = OwnWordsOf(Model(1, {50, 20.833334F, 29.166666F, .00001F, .00001F}), kCorpus);
  const OwnWords b = OwnWordsOf(Model(1, {500, 291.66666F, 208.33334F, .00001F, .00001F}), kCorpus);
  EXPECT_NEAR(Likeness(a, 0, b, 0), 2 * std::sqrt(2.0) / 3, 1e-4);
}

// (⅓, ⅔): 1/(1/9 + 4/9); the corpus itself has no words of its own.
TEST(TopicMatchingTest, AsManyWordsCarryATopicAsWouldAlike) {
  const OwnWords own = OwnWordsOf(Model(3, {50, 20.833334F, 29.166666F, .00001F, .00001F,  //
                                            50, 25, 25, .00001F, .00001F,                  //
                                            50, 12.5F, 12.5F, 12.5F, 12.5F}),
                                  kCorpus);
  EXPECT_NEAR(CarryingWords(own, 0), 9.0 / 5, 1e-4);
  EXPECT_NEAR(CarryingWords(own, 1), 2, 1e-4);
  EXPECT_EQ(CarryingWords(own, 2), 1);
}

// To the rounding of float32.
TEST(TopicMatchingTest, TopicsThatAreTheCorpusAreEqualAndLikeNoOther) {
  const OwnWords own = OwnWordsOf(Model(3, {4, 1, 1, 1, 1,                            //
                                            4.0000003F, 1.0000001F, 1, 1, .9999999F,  //
                                            50, 50, .001F, .001F, .001F}),
                                  kCorpus);
  EXPECT_EQ(Likeness(own, 0, own, 0), 1);
  EXPECT_EQ(Likeness(own, 0, own, 1), 1);
  EXPECT_EQ(Likeness(own, 0, own, 2), 0);
  EXPECT_EQ(MatchTopics(own, own, 0.5).size(), 3U);
}

// Roots are float32, and the sum of their squares may be a rounding above 1 or below.
TEST(TopicMatchingTest, EqualTopicsHaveTheLikenessOneAndNoneHasMore) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<float> uniform(0.01F, 1);
  const std::vector<double> corpus(40, 1.0 / 40);
  for (int i = 0; i < 100; ++i) {
    std::vector<float> lambda;
    for (int v = 0; v < 40; ++v) lambda.push_back(uniform(engine));
    // The same law, but for its last bits.
    std::vector<float> other = lambda;
    for (float& x : other) x *= 3;
    lambda.insert(lambda.end(), other.begin(), other.end());
    const OwnWords own = OwnWordsOf(Model(2, lambda), corpus);
    EXPECT_EQ(Likeness(own, 0, own, 0), 1);
    EXPECT_LE(Likeness(own, 0, own, 1), 1);
    EXPECT_NEAR(Likeness(own, 0, own, 1), 1, 1e-6);
  }
}

// More terms than are added up in float32, most of them of a few topics; topic 4 is topic 0 again,
// and topic 5 the corpus.
TEST(TopicMatchingTest, AllLikenessesAreThoseOfEachPair) {
  constexpr int kTerms = 1000;
  std::mt19937_64 engine(1);
  std::exponential_distribution<float> exponential(1);
  std::vector<float> lambda;
  for (int k = 0; k < 6; ++k) {
    for (int v = 0; v < kTerms; ++v) lambda.push_back(std::pow(exponential(engine), 3.0F) + .01F);
  }
  std::copy_n(lambda.begin(), kTerms, lambda.begin() + 4 * kTerms);
  std::fill_n(lambda.begin() + 5 * kTerms, kTerms, 1.0F);
  const OwnWords own = OwnWordsOf(Model(6, lambda), std::vector<double>(kTerms, 1.0 / kTerms));
  const OwnWords copy = own;
  for (const OwnWords* other : {&own, &copy}) {
    const std::vector<double> likenesses = Likenesses(own, *other);
    const auto all = [&](size_t a, size_t b) { return likenesses.at(a * 6 + b); };
    for (int a = 0; a < 6; ++a) {
      for (int b = 0; b < 6; ++b) EXPECT_NEAR(all(a, b), Likeness(own, a, own, b), 1e-6);
    }
    EXPECT_EQ(all(0, 4), 1);
    EXPECT_EQ(all(5, 5), 1);
    EXPECT_EQ(all(0, 5), 0);
    EXPECT_GT(all(0, 1), 0.01) << "the test would say nothing";
  }
}

// Topic 0 of `a` is most like topic 1 of `b`, and so is topic 1, but less: it gets what is left or,
// below the least likeness, nothing.
TEST(TopicMatchingTest, PairsAreGreedyAndOneToOne) {
  const float x = .00001F;
  const OwnWords a = OwnWordsOf(Model(2, {50, 50, x, x, x, 50, 30, 20, x, x}), kCorpus);
  const OwnWords b = OwnWordsOf(Model(2, {50, x, 50, x, x, 50, 50, x, x, x}), kCorpus);
  const std::vector<TopicPair> pairs = MatchTopics(a, b, 0.1);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].of_a, 0);
  EXPECT_EQ(pairs[0].of_b, 1);
  EXPECT_EQ(pairs[1].of_a, 1);
  EXPECT_EQ(pairs[1].of_b, 0);
  EXPECT_GT(Likeness(a, 1, b, 1), Likeness(a, 1, b, 0));
  EXPECT_EQ(MatchTopics(a, b, 0.9).size(), 1U);
  EXPECT_EQ(MostAlike(a, 1, b).of_b, 1);
}

}  // namespace topic_matching_test
}  // namespace topicwall::lda
