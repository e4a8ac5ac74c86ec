#include "model/lda/reading/topic_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "model/lda/denoise/denoised_model.h"
#include "model/lda/reading/quality_calibration.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace topic_quality_test {

using ::topicwall::testing::StatusIs;

// Topic 0 has 20 words of its own, topic 1 is the unigram, topic 2 is nothing; noise 10.
struct Planted {
  static constexpr int kTopics = 3, kTerms = 2000;
  std::vector<float> exact, values;
  std::vector<float> tau = std::vector<float>(kTerms, 10);
  std::vector<double> p = std::vector<double>(kTerms, 1.0 / kTerms);

  explicit Planted(uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<float> normal;
    for (int k = 0; k < kTopics; ++k) {
      for (int v = 0; v < kTerms; ++v) {
        exact.push_back(k == 0 ? (v < 20 ? 500.0F : 0.0F) : (k == 1 ? 5.0F : 0.0F));
        values.push_back(exact.back() + 10 * normal(engine));
      }
    }
  }
  NoisyTopics View() const {
    return {.num_topics = kTopics,
            .vocabulary_size = kTerms,
            .values = values,
            .noise_deviations = tau};
  }
  // As the trainer makes it.
  TopicModel Model() const {
    return *DenoisedModel({.noisy = View(),
                           .term_probabilities = p,
                           .document_topic_prior = 0.1,
                           .topic_term_prior = PriorOfShare(View(), 0.12)},
                          {});
  }
};

TEST(TopicQualityTest, ATopicOfItsOwnComesAgainAndTheUnigramOrNothingIsWeak) {
  // The grade of topic 0 is far above 0.4, and the others hardly ever have a typical word.
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Planted planted(seed);
    ASSERT_OK_AND_ASSIGN(const auto quality,
                         TopicQuality::Create(planted.Model(), planted.View(), planted.p));
    EXPECT_GT(quality.topic(0).comes_again, 0.9);
    EXPECT_EQ(quality.topic(0).typical_words, 20);
    EXPECT_NEAR(quality.topic(0).mass, 10000, 5 * 447);
    EXPECT_TRUE(quality.topic(1).is_weak);
    EXPECT_TRUE(quality.topic(2).is_weak);
    EXPECT_EQ(quality.NumWeakTopics(), 2);
  }
}

TopicModel TwoTopics() {
  return *TopicModel::Create({.num_topics = 2,
                              .vocabulary_size = 3,
                              .document_topic_prior = 0.5,
                              .topic_term_prior = 1,
                              .topic_parameters = {1, 8, 1, 4, 3, 3}});
}

// By hand: M_0 = 80, M_1 = 40, p = (½, ¼, ¼). z of topic 0, term 1 is (50 − 80/4)/1.5 = 20; of term
// 0 (20 − 40)/1 = −20. Shares ⅔ and ⅓; Στ² = 1 + 2.25 + 4 = 7.25 and T = 120, so that the noise of
// s_0 is √((⅓² + ⅔²)·7.25)/120.
TEST(TopicQualityTest, ExcessAndShareAreThoseOfTheDefinition) {
  const std::vector<float> values = {20, 50, 10, 20, 0, 20}, tau = {1, 1.5, 2};
  const std::vector<double> p = {.5, .25, .25};
  const TopicModel model = TwoTopics();
  ASSERT_OK_AND_ASSIGN(
      const auto quality,
      TopicQuality::Create(
          model, {.num_topics = 2, .vocabulary_size = 3, .values = values, .noise_deviations = tau},
          p));
  EXPECT_DOUBLE_EQ(quality.Excess(0, 1), 20);
  EXPECT_DOUBLE_EQ(quality.Excess(0, 0), -20);
  EXPECT_DOUBLE_EQ(quality.Excess(1, 0), 0);
  EXPECT_EQ(quality.topic(0).typical_words, 1);
  EXPECT_DOUBLE_EQ(quality.topic(0).share, 2.0 / 3);
  const double noise = std::sqrt((1.0 / 9 + 4.0 / 9) * 7.25) / 120;
  EXPECT_NEAR(quality.topic(0).share_deviation, std::hypot(noise, kShareDrift * 2 / 3), 1e-12);
  // Of β = (.1, .8, .1) only term 1 is above p, by .55; β of topic 1 is (.4, .3, .3), twice .05
  // above it, of which half is in term 1: they are alike by √(1·.5).
  const double alike = .175 * std::sqrt(.5);
  // One word carries topic 0, two carry topic 1.
  EXPECT_NEAR(quality.topic(0).grade, .55 / (1.0 / 3) + .035 * std::log(4.0 / 3) + alike, 1e-6);
  EXPECT_NEAR(quality.topic(1).grade,
              .1 / (2.0 / 3) + .035 * std::log(2.0 / 3) + alike - .033 * std::log(2), 1e-6);
}

// As above, but that the masses are also off by 6 and 3: of s_0 the variance grows by
// ((⅓·6)² + (⅔·3)²)/120², of both alike.
TEST(TopicQualityTest, NoiseAlongTopicsIsInTheErrorOfTheirSharesAndInNothingElse) {
  const std::vector<float> values = {20, 50, 10, 20, 0, 20}, tau = {1, 1.5, 2}, m = {6, 3};
  const std::vector<double> p = {.5, .25, .25};
  const TopicModel model = TwoTopics();
  NoisyTopics noisy = {
      .num_topics = 2, .vocabulary_size = 3, .values = values, .noise_deviations = tau};
  const auto without = TopicQuality::Create(model, noisy, p);
  noisy.mass_deviations = m;
  const auto with = TopicQuality::Create(model, noisy, p);
  ASSERT_OK(without);
  ASSERT_OK(with);
  for (const int k : {0, 1}) {
    const double before = without->topic(k).share_deviation;
    EXPECT_NEAR(with->topic(k).share_deviation, std::sqrt(before * before + 8.0 / (120 * 120)),
                1e-12);
    EXPECT_EQ(with->topic(k).share, without->topic(k).share);
    EXPECT_EQ(with->topic(k).grade, without->topic(k).grade);
    EXPECT_EQ(with->Excess(k, 1), without->Excess(k, 1));
  }
  const std::vector<float> one = {6};
  noisy.mass_deviations = one;
  EXPECT_THAT(TopicQuality::Create(model, noisy, p), StatusIs(absl::StatusCode::kInvalidArgument));
}

// As above, but of noise that is 40 times as much: T = 120 is 0.8 of its deviation, or, negative,
// none of it. At 10 times it is 3.2.
TEST(TopicQualityTest, MassesThatAddUpToNoiseHaveNoShareAndNoGrade) {
  const std::vector<double> p = {.5, .25, .25};
  const TopicModel model = TwoTopics();
  const auto quality_of = [&](float sign, float noise, std::vector<float> along) {
    const std::vector<float> values = {sign * 20, sign * 50, sign * 10, sign * 20, 0, sign * 20},
                             tau = {noise, 1.5F * noise, 2 * noise};
    const auto quality = TopicQuality::Create(model,
                                              {.num_topics = 2,
                                               .vocabulary_size = 3,
                                               .values = values,
                                               .noise_deviations = tau,
                                               .mass_deviations = along},
                                              p);
    EXPECT_OK(quality);
    const TopicQuality::Topic topic = quality->topic(0);
    if (!quality->knows_shares()) {
      EXPECT_EQ(topic.share, 0);
      EXPECT_EQ(topic.share_deviation, 0);
      EXPECT_EQ(topic.grade, -std::numeric_limits<double>::infinity());
      EXPECT_TRUE(topic.is_weak);
    }
    return quality->knows_shares();
  };
  EXPECT_TRUE(quality_of(1, 10, {}));
  EXPECT_FALSE(quality_of(1, 40, {}));
  EXPECT_FALSE(quality_of(-1, 10, {}));
  // √(2·7.25 + 30² + 30²) = 42.6: along topics as well.
  EXPECT_TRUE(quality_of(1, 1, {}));
  EXPECT_FALSE(quality_of(1, 1, {30, 30}));
}

// The map's promise on a corpus whose truth is known: of the words that are said to be above their
// share of the corpus with 95 % at least, 93 % are. 30 fits of 500 words; were they right in 95 %
// of the cases, and as many as 1,500 of them, 93 % or less would be 3.5 deviations; there are more,
// and they are right more often, so that a false alarm is below 1e-8. The other way round, of those
// below z = 0.25 most are not.
TEST(TopicQualityTest, WordsAreAsOftenAboveTheCorpusAsIsSaid) {
  std::mt19937_64 engine(7);
  std::normal_distribution<float> normal;
  std::exponential_distribution<double> ratio(1);
  double sure = 0, sure_above = 0, unsure = 0, unsure_above = 0;
  for (int fit = 0; fit < 30; ++fit) {
    constexpr size_t kTerms = 500;
    std::vector<float> exact, values;
    const std::vector<float> tau(kTerms, 4);
    const std::vector<double> p(kTerms, 1.0 / kTerms);
    double mass = 0;
    // Words of a topic: most are rarer in it than in the corpus, some much more frequent.
    for (size_t v = 0; v < kTerms; ++v) {
      const double r = v % 5 == 0 ? 8 * ratio(engine) : 0.3 * ratio(engine);
      exact.push_back(static_cast<float>(10 * r));
      mass += exact.back();
      values.push_back(exact.back() + 4 * normal(engine));
    }
    ASSERT_OK_AND_ASSIGN(
        const auto quality,
        TopicQuality::Create(
            *TopicModel::Create({.num_topics = 1,
                                 .vocabulary_size = kTerms,
                                 .document_topic_prior = 0.5,
                                 .topic_term_prior = 1,
                                 .topic_parameters = std::vector<float>(kTerms, 1)}),
            {.num_topics = 1, .vocabulary_size = kTerms, .values = values, .noise_deviations = tau},
            p));
    for (uint32_t v = 0; v < kTerms; ++v) {
      const bool above = exact[v] / mass > 1.0 / kTerms;
      const double said = quality.ProbabilityAbove(0, v);
      if (said >= 0.95) {
        sure += 1;
        sure_above += above ? 1 : 0;
      } else if (said < 0.2) {
        unsure += 1;
        unsure_above += above ? 1 : 0;
      }
    }
  }
  EXPECT_GT(sure, 1500);
  EXPECT_GT(sure_above / sure, 0.93);
  EXPECT_GT(unsure, 1500);
  EXPECT_LT(unsure_above / unsure, 0.2);
}

TEST(TopicQualityTest, WithoutNoiseWhatIsThereIsBelieved) {
  const std::vector<float> values = {3, 1, 0, 0}, tau = {0, 0};
  const std::vector<double> p = {.5, .5};
  const TopicModel model = *TopicModel::Create({.num_topics = 2,
                                                .vocabulary_size = 2,
                                                .document_topic_prior = 0.5,
                                                .topic_term_prior = 1,
                                                .topic_parameters = {9, 1, 1, 1}});
  ASSERT_OK_AND_ASSIGN(
      const auto quality,
      TopicQuality::Create(
          model, {.num_topics = 2, .vocabulary_size = 2, .values = values, .noise_deviations = tau},
          p));
  EXPECT_EQ(quality.Excess(0, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(quality.ProbabilityAbove(0, 0), 1);
  EXPECT_EQ(quality.Excess(0, 1), -std::numeric_limits<double>::infinity());
  EXPECT_LT(quality.ProbabilityAbove(0, 1), 0.5);
  EXPECT_EQ(quality.Excess(1, 0), 0);
  EXPECT_TRUE(quality.topic(1).is_weak) << "it holds nothing";
}

// They are equal (topic_matching.h), and nothing of a kind that comes again.
TEST(TopicQualityTest, TopicsThatAreTheCorpusMakeEachOtherNoLikelierToComeAgain) {
  const std::vector<float> values = {30, 10, 10, 5, 15, 15}, tau = {1, 1};
  const std::vector<double> p = {.5, .5};
  const TopicModel model = *TopicModel::Create({.num_topics = 3,
                                                .vocabulary_size = 2,
                                                .document_topic_prior = 0.5,
                                                .topic_term_prior = 1,
                                                .topic_parameters = {9, 9, 2, 2, 3, 1}});
  ASSERT_OK_AND_ASSIGN(
      const auto quality,
      TopicQuality::Create(
          model, {.num_topics = 3, .vocabulary_size = 2, .values = values, .noise_deviations = tau},
          p));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(quality.topic(k).nearest, 0) << k;
}

TEST(TopicQualityTest, RefusesWhatIsNoModel) {
  const TopicModel model = *TopicModel::Create({.num_topics = 1,
                                                .vocabulary_size = 2,
                                                .document_topic_prior = 0.5,
                                                .topic_term_prior = 1,
                                                .topic_parameters = {1, 1}});
  const std::vector<float> values = {3, NAN}, tau = {1, 1}, three = {1, 1, 1};
  const std::vector<double> p = {.5, .5}, bad = {.5, .6}, thirds = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  const auto create = [&](absl::Span<const float> y, absl::Span<const float> t,
                          absl::Span<const double> q) {
    return TopicQuality::Create(model,
                                {.num_topics = 1,
                                 .vocabulary_size = static_cast<int>(y.size()),
                                 .values = y,
                                 .noise_deviations = t},
                                q);
  };
  EXPECT_THAT(create(values, tau, p), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(tau, tau, bad), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(three, three, thirds), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace topic_quality_test
}  // namespace topicwall::lda
