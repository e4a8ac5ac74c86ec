#include "model/lda/denoise/topic_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::topicwall::testing::StatusIs;

// Topic 0 has 20 words of its own, topic 1 is the unigram, topic 2 is nothing; noise 10.
struct Planted {
  static constexpr int kTopics = 3, kTerms = 2000;
  std::vector<float> values;
  std::vector<float> tau = std::vector<float>(kTerms, 10);
  std::vector<double> p = std::vector<double>(kTerms, 1.0 / kTerms);

  explicit Planted(uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<float> normal;
    for (int k = 0; k < kTopics; ++k) {
      for (int v = 0; v < kTerms; ++v) {
        const float signal = k == 0 ? (v < 20 ? 500.0F : 0.0F) : (k == 1 ? 5.0F : 0.0F);
        values.push_back(signal + 10 * normal(engine));
      }
    }
  }
  NoisyTopics View() const {
    return {.num_topics = kTopics,
            .vocabulary_size = kTerms,
            .values = values,
            .noise_deviations = tau};
  }
};

TEST(TopicQualityTest, TellsATopicFromTheUnigramAndFromNothing) {
  // χ² of 2,000 terms is N(0, 1) after scaling: at a false-alarm line of 5 deviations and fixed
  // seeds nothing flakes. Topic 1 has mass 10,000 with a noise of 447 and nothing of its own.
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Planted planted(seed);
    const auto quality = TopicQuality::Create(planted.View(), planted.p);
    ASSERT_OK(quality);
    EXPECT_FALSE(quality->topic(0).is_weak);
    EXPECT_NEAR(quality->topic(0).mass, 10000, 5 * 447);
    EXPECT_NEAR(quality->topic(0).mass_signal_to_noise, 22, 5);
    EXPECT_GT(quality->topic(0).distinctness, 100);
    EXPECT_TRUE(quality->topic(1).is_weak);
    EXPECT_GT(quality->topic(1).mass_signal_to_noise, 15);
    EXPECT_LT(std::fabs(quality->topic(1).distinctness), 5);
    EXPECT_TRUE(quality->topic(2).is_weak);
    EXPECT_LT(quality->topic(2).mass_signal_to_noise, 5);
    EXPECT_EQ(quality->NumWeakTopics(), 2);
  }
}

TEST(TopicQualityTest, MarksTheWordsThatNoiseAloneWouldHaveGiven) {
  int believed_noise = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Planted planted(seed);
    const auto quality = TopicQuality::Create(planted.View(), planted.p);
    ASSERT_OK(quality);
    for (uint32_t v = 0; v < 20; ++v) EXPECT_FALSE(quality->MayBeNoise(0, v));
    for (uint32_t v = 0; v < 2000; ++v) believed_noise += quality->MayBeNoise(2, v) ? 0 : 1;
  }
  // 0.01 expected in each of 50 topics of nothing: 0.5 in all, 10 or more with probability 2e-10.
  EXPECT_LT(believed_noise, 10);
}

TEST(TopicQualityTest, TheLineForWordsHoldsTheExpectedNumberOfFalseOnes) {
  const Planted planted(1);
  const auto quality = TopicQuality::Create(planted.View(), planted.p);
  ASSERT_OK(quality);
  const double z = quality->least_word_signal();
  EXPECT_NEAR(2000 * 0.5 * std::erfc(z / std::sqrt(2.0)), kExpectedFalseWords, 1e-6);
  EXPECT_EQ(quality->SignalToNoise(0, 3), double{planted.values[3]} / 10);
}

TEST(TopicQualityTest, WithoutNoiseWhatIsThereIsBelieved) {
  const std::vector<float> values = {3, 0, 0, 0}, tau = {0, 0};
  const std::vector<double> p = {.5, .5};
  const auto quality = TopicQuality::Create(
      {.num_topics = 2, .vocabulary_size = 2, .values = values, .noise_deviations = tau}, p);
  ASSERT_OK(quality);
  EXPECT_FALSE(quality->topic(0).is_weak);
  EXPECT_TRUE(quality->topic(1).is_weak);
  EXPECT_FALSE(quality->MayBeNoise(0, 0));
  EXPECT_TRUE(quality->MayBeNoise(0, 1));
}

TEST(TopicQualityTest, RefusesWhatIsNoModel) {
  const std::vector<float> values = {3, NAN}, tau = {1, 1};
  const std::vector<double> p = {.5, .5}, bad = {.5, .6};
  const auto create = [&](absl::Span<const float> y, absl::Span<const double> q) {
    return TopicQuality::Create(
        {.num_topics = 1, .vocabulary_size = 2, .values = y, .noise_deviations = tau}, q);
  };
  EXPECT_THAT(create(values, p), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(tau, bad), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::lda
