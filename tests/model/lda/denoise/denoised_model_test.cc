#include "model/lda/denoise/denoised_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/lda/topics/dirichlet_prior.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace denoised_model_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

absl::StatusOr<TopicModel> Make(const std::vector<float>& values, const std::vector<float>& tau,
                                const std::vector<double>& p, double prior) {
  return DenoisedModel(
      {.noisy = {.num_topics = 2, .vocabulary_size = 2, .values = values, .noise_deviations = tau},
       .term_probabilities = p,
       .document_topic_prior = 0.3,
       .topic_term_prior = prior},
      {});
}

TEST(DenoisedModelTest, IsThePriorInTheProportionsOfTheUnigramPlusTheSums) {
  // Without noise the sums are cut at 0; ηV = 4 words are shared out 1 : 3.
  ASSERT_OK_AND_ASSIGN(const auto model, Make({10, -5, 0, 7}, {0, 0}, {.25, .75}, 2));
  EXPECT_THAT(model.topic(0), ElementsAre(11, 3));
  EXPECT_THAT(model.topic(1), ElementsAre(1, 10));
  EXPECT_THAT(model.document_topic_prior().values(), ElementsAre(0.3));
  EXPECT_EQ(model.topic_term_prior(), 2);
}

TEST(DenoisedModelTest, AddsThePriorToTheDenoisedSums) {
  const std::vector<float> values = {10, -5, 0, 7}, tau = {3, 4};
  const std::vector<double> p = {.25, .75};
  ASSERT_OK_AND_ASSIGN(const auto model, Make(values, tau, p, 2));
  ASSERT_OK_AND_ASSIGN(
      const auto denoised,
      Denoise({.num_topics = 2, .vocabulary_size = 2, .values = values, .noise_deviations = tau}, p,
              {}));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_FLOAT_EQ(model.topic_parameters()[i],
                    denoised.means[i] + static_cast<float>(4 * p[i % 2]));
  }
}

TEST(DenoisedModelTest, APriorOfAShareIsThatShareOfTheAverageTopicsMass) {
  const std::vector<float> values = {10, -5, 8, 7}, tau = {3, 4};
  const NoisyTopics noisy = {
      .num_topics = 2, .vocabulary_size = 2, .values = values, .noise_deviations = tau};
  // Mass 20 in all, 10 a topic; η words a term are 2η a topic.
  EXPECT_DOUBLE_EQ(2 * PriorOfShare(noisy, 0.25), 2.5);
  EXPECT_EQ(PriorOfShare(noisy, 0), kMinPrior);
  const std::vector<float> negative = {-1, -1, 0, 0};
  EXPECT_EQ(
      PriorOfShare(
          {.num_topics = 2, .vocabulary_size = 2, .values = negative, .noise_deviations = tau},
          0.25),
      kMinPrior);
}

TEST(DenoisedModelTest, RefusesWhatDenoiseOrAModelRefuses) {
  EXPECT_THAT(Make({1, 2, 3, 4}, {1, 1}, {.5, .5}, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topic_term_prior")));
  EXPECT_THAT(Make({1, 2, 3, 4}, {1, -1}, {.5, .5}, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("noise_deviations")));
}

}  // namespace denoised_model_test
}  // namespace topicwall::lda
