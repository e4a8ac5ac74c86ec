#include "deploy/study/denoised_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/filters/budget_filter.h"
#include "client/fit/algorithms/denoised_fit.h"
#include "tests/deploy/study/planted_topics.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace denoised_training_test {

absl::StatusOr<Trained> Train(absl::string_view text) {
  const auto recipe = ParseRecipe(text);
  EXPECT_OK(recipe);
  PlantedWall wall(20000);
  return TrainDenoised(*recipe, wall.task());
}

TEST(DenoisedTrainingTest, FindsPlantedTopicsThroughTheNoise) {
  ASSERT_OK_AND_ASSIGN(const auto trained, Train("num_topics=5 alpha=.1 epsilon=1"));
  // Half of a document is enough to know its topic nearly always.
  EXPECT_LT(PlantedPerplexity(trained.model), 45);
  EXPECT_EQ(trained.unigram.size(), static_cast<size_t>(kPlantedTerms));
  EXPECT_GT(trained.clip_norm, 0);
  EXPECT_EQ(trained.noise_multiplier, NoiseOf(*ParseRecipe("epsilon=1"))->unigram);
}

TEST(DenoisedTrainingTest, IsDeterministicForASeed) {
  const auto first = Train("num_topics=5 alpha=.1 iterations=4 seed=3");
  const auto again = Train("num_topics=5 alpha=.1 iterations=4 seed=3");
  const auto other = Train("num_topics=5 alpha=.1 iterations=4 seed=4");
  ASSERT_OK(first);
  ASSERT_OK(again);
  ASSERT_OK(other);
  EXPECT_EQ(first->model.topic_parameters(), again->model.topic_parameters());
  EXPECT_NE(first->model.topic_parameters(), other->model.topic_parameters());
}

TEST(DenoisedTrainingTest, WithoutNoiseAndClipIsAtLeastAsGood) {
  ASSERT_OK_AND_ASSIGN(const auto noisy, Train("num_topics=5 alpha=.1 epsilon=.2"));
  ASSERT_OK_AND_ASSIGN(const auto exact, Train("num_topics=5 alpha=.1 no_noise=1 step_power=1e9"));
  EXPECT_LE(PlantedPerplexity(exact.model), PlantedPerplexity(noisy.model) * 1.01);
  EXPECT_EQ(exact.clip_norm, 0);
  EXPECT_EQ(exact.kept_words, 1);
}

TEST(DenoisedTrainingTest, UsesTheAlphaOfAPlanUnlessGiven) {
  ASSERT_OK_AND_ASSIGN(const auto usual, Train("num_topics=5 iterations=1"));
  ASSERT_OK_AND_ASSIGN(const auto given, Train("num_topics=5 iterations=1 alpha=.07"));
  EXPECT_THAT(usual.model.document_topic_prior().values(), ::testing::ElementsAre(0.4));
  EXPECT_THAT(given.model.document_topic_prior().values(), ::testing::ElementsAre(0.07));
}

// How many releases of a recipe's kinds the filter of its budget admits, one by one.
int Admitted(const Recipe& recipe, double noise_factor) {
  const auto noise = NoiseOf(recipe);
  EXPECT_OK(noise);
  const auto spec =
      accountant::BudgetFilter::DefaultSpec({.epsilon = recipe.epsilon, .delta = recipe.delta});
  const auto filter = accountant::BudgetFilter::Create(*spec);
  accountant::CostVector spent = filter->NothingSpent();
  const auto take = [&](std::vector<double> sigmas) {
    for (double& sigma : sigmas) sigma *= noise_factor;
    const auto release = accountant::SubsampledGaussian::Create(
        {.sampling_rate = 1, .noise_multipliers = std::move(sigmas)});
    const auto admitted = filter->Admit(spent, *filter->CostPerRelease(*release), 1);
    if (admitted.has_value()) spent = admitted->spent_after;
    return admitted.has_value();
  };
  int releases = take({noise->unigram}) ? 1 : 0;
  while (releases < 100 && take({noise->sums, noise->histogram})) ++releases;
  return releases;
}

TEST(DenoisedTrainingTest, ItsNoiseIsAdmittedByTheFilterAndLessIsNot) {
  for (const char* text : {"epsilon=.932", "epsilon=2.44 iterations=40", "epsilon=.5"}) {
    ASSERT_OK_AND_ASSIGN(const auto recipe, ParseRecipe(text));
    const int64_t wanted = client::DenoisedReleases(static_cast<int>(recipe.iterations));
    EXPECT_EQ(Admitted(recipe, 1), wanted) << text;
    EXPECT_LT(Admitted(recipe, 0.999), wanted) << text;
  }
}

TEST(DenoisedTrainingTest, VouchersBuyLessNoiseAndNoMoreThanTheExactCurveAllows) {
  ASSERT_OK_AND_ASSIGN(auto recipe, ParseRecipe("epsilon=.932"));
  const auto filter = NoiseOf(recipe);
  recipe.inventory = 1;
  const auto vouchers = NoiseOf(recipe);
  ASSERT_OK(filter);
  ASSERT_OK(vouchers);
  EXPECT_LT(vouchers->unigram, filter->unigram);
  EXPECT_GT(vouchers->unigram, 0.8 * filter->unigram);
  const auto epsilon = [&](double factor) {
    return accountant::GaussianEpsilonUpperBound(
        recipe.delta, factor * vouchers->unigram /
                          std::sqrt(static_cast<double>(
                              client::DenoisedReleases(static_cast<int>(recipe.iterations)))));
  };
  EXPECT_LE(epsilon(1), recipe.epsilon);
  EXPECT_GT(epsilon(0.999), recipe.epsilon);
}

TEST(DenoisedTrainingTest, EachReleaseHasOnePriceOfWhichTheHistogramTakesItsShare) {
  ASSERT_OK_AND_ASSIGN(const auto noise, NoiseOf(Recipe()));
  const double price = 1 / (noise.unigram * noise.unigram);
  const double histogram = 1 / (noise.histogram * noise.histogram);
  EXPECT_NEAR((1 / (noise.sums * noise.sums) + histogram) / price, 1, 1e-5);
  EXPECT_NEAR(histogram / price, client::kHistogramShare, 1e-5);
}

TEST(DenoisedTrainingTest, NoNoiseIsNone) {
  ASSERT_OK_AND_ASSIGN(const auto recipe, ParseRecipe("no_noise=1"));
  ASSERT_OK_AND_ASSIGN(const auto noise, NoiseOf(recipe));
  EXPECT_EQ(noise.unigram + noise.sums + noise.histogram, 0);
}

}  // namespace denoised_training_test
}  // namespace topicwall::study
