#include "model/lda/denoise/running_statistic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace running_statistic_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

RunningStatistic Make(int num_topics, int vocabulary_size, double sampling_rate,
                      RunningStatisticState state = {}) {
  auto average = RunningStatistic::Create({.num_topics = num_topics,
                                           .vocabulary_size = vocabulary_size,
                                           .sampling_rate = sampling_rate},
                                          std::move(state));
  EXPECT_OK(average);
  return *std::move(average);
}

TEST(RunningStatisticTest, FollowsItsRecursionByHandWithSigns) {
  RunningStatistic average = Make(2, 2, 0.5);
  const std::vector<float> weights = {1, 2};
  // The first step counts as 1: Y = sum/ν, τ = σC/(wν).
  ASSERT_OK(average.Update({.noisy_sum = std::vector<float>{1, -2, 3, 4},
                            .noise_deviation = 6,
                            .term_weights = weights,
                            .step_size = 0.1}));
  EXPECT_THAT(average.state().values, ElementsAre(2, -4, 6, 8));
  EXPECT_THAT(average.state().noise_variances, ElementsAre(144, 36));
  // ρ = 1/4 with another noise.
  ASSERT_OK(average.Update({.noisy_sum = std::vector<float>{-2, 0, 1, 2},
                            .noise_deviation = 4,
                            .term_weights = weights,
                            .step_size = 0.25}));
  EXPECT_THAT(average.state().values, ElementsAre(0.5, -3, 5, 7));
  EXPECT_THAT(average.state().noise_variances, ElementsAre(81 + 4, 20.25 + 1));
  EXPECT_EQ(average.state().updates, 2);
  EXPECT_THAT(average.noisy_topics().noise_deviations,
              ElementsAre(std::sqrt(85.0F), std::sqrt(21.25F)));
}

TEST(RunningStatisticTest, MassesHaveTheNoiseAlongTheirTopicsAndNoneWithoutIt) {
  RunningStatistic average = Make(2, 2, 0.5);
  const std::vector<float> sum = {1, 2, 3, 4};
  const auto update = [&](std::vector<double> deviations) {
    ASSERT_OK(average.Update({.noisy_sum = sum,
                              .noise_deviation = 1,
                              .term_weights = {},
                              .step_size = 0.25,
                              .mass_deviations = deviations}));
  };
  update({});
  EXPECT_TRUE(average.state().mass_variances.empty());
  EXPECT_TRUE(average.noisy_topics().mass_deviations.empty());
  update({6, 2});  // ρ/ν = 1/2
  EXPECT_THAT(average.state().mass_variances, ElementsAre(9, 1));
  update({2, 0});
  EXPECT_THAT(average.state().mass_variances, ElementsAre(81.0 / 16 + 1, 9.0 / 16));
  update({});
  EXPECT_THAT(average.state().mass_variances, ElementsAre(97.0 / 16 * 9 / 16, 81.0 / 256));
  EXPECT_THAT(average.noisy_topics().mass_deviations,
              ElementsAre(std::sqrt(873.0F) / 16, 9 / 16.0F));
  for (const std::vector<double>& bad :
       {std::vector<double>{1}, {1, -1}, {1, NAN}, {1, INFINITY}}) {
    EXPECT_THAT(average.Update({.noisy_sum = sum,
                                .noise_deviation = 1,
                                .term_weights = {},
                                .step_size = 1,
                                .mass_deviations = bad}),
                StatusIs(kInvalid, HasSubstr("mass_deviations")));
  }
}

// By hand: β = (¾, ¼) and (½, ½), whatever ℓ is shifted by; w = (1, 4): |wβ| = 5/4 and √17/2.
TEST(MassDeviationsTest, AreThoseOfTheNoiseAlongEachTopicOverItsWeightedLength) {
  const std::vector<float> logs = {-7, -7 - std::log(3.0F), -0.5F, -0.5F}, weights = {1, 4};
  const LogTopicsView asked = {.num_topics = 2, .vocabulary_size = 2, .values = logs};
  const std::vector<double> deviations = MassDeviations(asked, weights, 10);
  ASSERT_EQ(deviations.size(), 2u);
  // ℓ is a float of 8: within 5e-7.
  EXPECT_NEAR(deviations[0], 8, 1e-5);
  EXPECT_NEAR(deviations[1], 20 / std::sqrt(17), 1e-6);
  EXPECT_NEAR(MassDeviations(asked, {}, 10)[1], 10 * std::sqrt(2), 1e-6);
}

// By hand: entries of 8·(¾, ¼) and 2·(½, ½) deviations.
TEST(NoiseAlongInSumsTest, IsThatOfOneDrawATopicInEachTermsSumAndInAll) {
  const std::vector<float> logs = {-7, -7 - std::log(3.0F), -0.5F, -0.5F};
  const LogTopicsView asked = {.num_topics = 2, .vocabulary_size = 2, .values = logs};
  const NoiseOfSums noise = NoiseAlongInSums(asked, std::vector<double>{8, 2});
  ASSERT_EQ(noise.variances.size(), 2u);
  EXPECT_NEAR(noise.variances[0], 36 + 1, 1e-4);
  EXPECT_NEAR(noise.variances[1], 4 + 1, 1e-4);
  EXPECT_EQ(noise.of_all_terms, 64 + 4);
}

TEST(RunningStatisticTest, ItsVarianceIsThatOfItsValues) {
  // 10,000 entries of noise alone with a deviation that changes from release to release: their mean
  // square has a relative standard error of √(2/10^4) = 1.4 %; the tolerance is five of these. The
  // seed is fixed, so the test cannot flake.
  constexpr int kTerms = 10000;
  std::mt19937_64 engine(3);
  std::normal_distribution<float> normal;
  RunningStatistic average = Make(1, kTerms, 1);
  for (const double deviation : {40.0, 10.0, 3.0, 8.0, 5.0}) {
    std::vector<float> sum(kTerms);
    for (float& x : sum) x = static_cast<float>(deviation) * normal(engine);
    ASSERT_OK(average.Update(
        {.noisy_sum = sum, .noise_deviation = deviation, .term_weights = {}, .step_size = 0.4}));
    double square = 0;
    for (const float y : average.state().values) square += y * y;
    EXPECT_NEAR(square / kTerms / average.state().noise_variances[0], 1, 0.07);
  }
}

TEST(RunningStatisticTest, ARestoredStateGoesOnWithTheSameBits) {
  std::mt19937_64 engine(5);
  std::normal_distribution<float> normal;
  RunningStatistic whole = Make(3, 7, 0.3);
  for (int t = 0; t < 6; ++t) {
    RunningStatistic resumed = Make(3, 7, 0.3, whole.state());
    std::vector<float> sum(21);
    for (float& x : sum) x = 100 * normal(engine);
    const RunningStatistic::Release release = {
        .noisy_sum = sum, .noise_deviation = 1.0 + t, .term_weights = {}, .step_size = 0.3};
    ASSERT_OK(whole.Update(release));
    ASSERT_OK(resumed.Update(release));
    EXPECT_EQ(resumed.state().values, whole.state().values);
    EXPECT_EQ(resumed.state().noise_variances, whole.state().noise_variances);
    EXPECT_EQ(resumed.noisy_topics().noise_deviations, whole.noisy_topics().noise_deviations);
  }
}

TEST(RunningStatisticTest, ThreadsChangeNoBits) {
  constexpr int kTopics = 3, kTerms = 30001;  // more entries than a thread takes at a time
  std::vector<float> sum(kTopics * kTerms);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<float>(i % 977) - 400;
  RunningStatistic one = Make(kTopics, kTerms, 0.7), three = one;
  for (int t = 0; t < 2; ++t) {
    const RunningStatistic::Release release = {
        .noisy_sum = sum, .noise_deviation = 1, .term_weights = {}, .step_size = 0.3};
    ASSERT_OK(one.Update(release, 1));
    ASSERT_OK(three.Update(release, 3));
    EXPECT_EQ(one.state().values, three.state().values);
  }
}

TEST(RunningStatisticTest, ABadReleaseIsRefusedAndChangesNothing) {
  RunningStatistic average = Make(1, 2, 0.5);
  const std::vector<float> sum = {1, 2}, weights = {1, 2};
  ASSERT_OK(
      average.Update({.noisy_sum = sum, .noise_deviation = 1, .term_weights = {}, .step_size = 1}));
  const RunningStatisticState before = average.state();
  const auto update = [&](std::vector<float> s, double deviation, std::vector<float> w,
                          double step) {
    return average.Update(
        {.noisy_sum = s, .noise_deviation = deviation, .term_weights = w, .step_size = step});
  };
  EXPECT_THAT(update({1}, 1, {}, 1), StatusIs(kInvalid, HasSubstr("got 1")));
  for (const float bad : {NAN, INFINITY, std::numeric_limits<float>::max()}) {
    EXPECT_THAT(update({1, bad}, 1, {}, 1),
                StatusIs(kInvalid, AllOf(HasSubstr("topic 0"), HasSubstr("term 1"))));
  }
  EXPECT_THAT(update(sum, -1, {}, 1), StatusIs(kInvalid, HasSubstr("noise_deviation")));
  EXPECT_THAT(update(sum, NAN, {}, 1), StatusIs(kInvalid, HasSubstr("noise_deviation")));
  EXPECT_THAT(update(sum, 1, {1}, 1), StatusIs(kInvalid, HasSubstr("term_weights")));
  EXPECT_THAT(update(sum, 1, {1, 0}, 1), StatusIs(kInvalid, HasSubstr("term_weights")));
  for (const double bad : {0.0, 1.1, std::nan("")}) {
    EXPECT_THAT(update(sum, 1, weights, bad), StatusIs(kInvalid, HasSubstr("step_size")));
  }
  EXPECT_EQ(average.state().values, before.values);
  EXPECT_EQ(average.state().noise_variances, before.noise_variances);
  EXPECT_EQ(average.state().updates, before.updates);
}

TEST(RunningStatisticTest, RefusesAShapeOrStateThatIsNone) {
  const auto create = [](double rate, RunningStatisticState state) {
    return RunningStatistic::Create({.num_topics = 1, .vocabulary_size = 2, .sampling_rate = rate},
                                    std::move(state));
  };
  EXPECT_OK(create(1, {.updates = 3, .values = {1, -2}, .noise_variances = {0, 4}}));
  EXPECT_THAT(create(0, {}), StatusIs(kInvalid, HasSubstr("sampling_rate")));
  EXPECT_THAT(create(1, {.updates = 0, .values = {1, 2}, .noise_variances = {1, 1}}),
              StatusIs(kInvalid));
  EXPECT_THAT(create(1, {.updates = 1, .values = {1}, .noise_variances = {1, 1}}),
              StatusIs(kInvalid, HasSubstr("got 1 and 2")));
  EXPECT_THAT(create(1, {.updates = -1, .values = {}, .noise_variances = {}}), StatusIs(kInvalid));
  EXPECT_THAT(create(1, {.updates = 1, .values = {1, NAN}, .noise_variances = {1, 1}}),
              StatusIs(kInvalid, HasSubstr("finite")));
  EXPECT_THAT(create(1, {.updates = 1, .values = {1, 1}, .noise_variances = {1, -1}}),
              StatusIs(kInvalid, HasSubstr("variances")));
  const auto masses = [&create](int64_t updates, std::vector<double> variances) {
    const bool empty = updates == 0;
    return create(1, {.updates = updates,
                      .values = std::vector<float>(empty ? 0 : 2, 1),
                      .noise_variances = std::vector<double>(empty ? 0 : 2, 1),
                      .mass_variances = std::move(variances)})
        .status();
  };
  EXPECT_OK(masses(1, {3}));
  EXPECT_THAT(masses(1, {3, 3}), StatusIs(kInvalid, HasSubstr("masses")));
  EXPECT_THAT(masses(0, {3}), StatusIs(kInvalid, HasSubstr("masses")));
  EXPECT_THAT(masses(1, {-3}), StatusIs(kInvalid, HasSubstr("variances")));
}

}  // namespace running_statistic_test
}  // namespace topicwall::lda
