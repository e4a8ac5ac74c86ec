#include "accountant/noise_calibration.h"

#include <limits>

#include "accountant/accountants.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

SubsampledGaussian Release(double nu, double sigma) {
  return *SubsampledGaussian::Create({.sampling_rate = nu, .noise_multipliers = {sigma}});
}

double EpsilonOf(const PrivacyAccountant& prototype, const DpEvent& event, double delta) {
  const auto accountant = prototype.Clone();
  EXPECT_OK(accountant->Compose(event));
  return accountant->Epsilon(delta)->upper;
}

class NoiseCalibrationTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<PrivacyAccountant> accountant_ = *MakeAccountant(GetParam());
};

TEST_P(NoiseCalibrationTest, SmallestNoiseMeetsTheTargetAndALittleLessMissesIt) {
  for (const double epsilon : {0.3, 2.44, 20.0}) {
    const NoiseTarget target = {
        .budget = {.epsilon = epsilon, .delta = 1e-6}, .sampling_rate = 0.05, .steps = 20};
    const double sigma = *SmallestNoiseMultiplier(target, *accountant_);
    EXPECT_LE(EpsilonOf(*accountant_, {.release = Release(0.05, sigma), .count = 20}, 1e-6),
              epsilon);
    EXPECT_GT(
        EpsilonOf(*accountant_, {.release = Release(0.05, sigma * (1 - 1e-8)), .count = 20}, 1e-6),
        epsilon);
  }
}

TEST_P(NoiseCalibrationTest, MostStepsFitAndOneMoreDoesNot) {
  const SubsampledGaussian release = Release(0.01, 3);
  const StepsTarget target = {.budget = {.epsilon = 5, .delta = 1e-6}, .release = release};
  const int64_t steps = *MostSteps(target, *accountant_);
  ASSERT_GT(steps, 1);
  EXPECT_LE(EpsilonOf(*accountant_, {.release = release, .count = steps}, 1e-6), 5);
  EXPECT_GT(EpsilonOf(*accountant_, {.release = release, .count = steps + 1}, 1e-6), 5);
}

TEST_P(NoiseCalibrationTest, WhatIsComposedAlreadyCountsAndIsLeftAlone) {
  const SubsampledGaussian release = Release(0.01, 3);
  const StepsTarget target = {.budget = {.epsilon = 5, .delta = 1e-6}, .release = release};
  const int64_t all = *MostSteps(target, *accountant_);
  ASSERT_OK(accountant_->Compose({.release = release, .count = all / 2}));
  const double before = accountant_->Epsilon(1e-6)->upper;
  EXPECT_EQ(*MostSteps(target, *accountant_), all - all / 2);
  EXPECT_EQ(accountant_->Epsilon(1e-6)->upper, before);
}

INSTANTIATE_TEST_SUITE_P(Every, NoiseCalibrationTest, ::testing::ValuesIn(AccountantNames()),
                         [](const auto& name) { return name.param; });

TEST(NoiseCalibrationEdgeTest, TheTenIterationPlanNeedsSigma627UnderRenyi) {
  // Cross-check of two closed forms: full batch, ε(a) = 10 a/2σ² + conversion, minimised at 2.44.
  const double sigma = *SmallestNoiseMultiplier(
      {.budget = {.epsilon = 2.44, .delta = 1e-6}, .sampling_rate = 1, .steps = 10},
      **MakeAccountant("renyi"));
  EXPECT_NEAR(sigma, 6.27495, 1e-4);
}

TEST(NoiseCalibrationEdgeTest, ATargetNoNoiseCanMeetIsAFailedPrecondition) {
  EXPECT_THAT(SmallestNoiseMultiplier({.budget = {.epsilon = 1e-12, .delta = 1e-300},
                                       .sampling_rate = 1,
                                       .steps = kMostReleases},
                                      **MakeAccountant("renyi")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("Ask for fewer steps")));
}

TEST(NoiseCalibrationEdgeTest, AnEasyTargetGivesTheLeastNoiseAWallAccepts) {
  EXPECT_EQ(*SmallestNoiseMultiplier(
                {.budget = {.epsilon = 1e9, .delta = 1e-6}, .sampling_rate = 0.01, .steps = 1},
                **MakeAccountant("renyi")),
            kSmallestNoiseMultiplier);
}

TEST(NoiseCalibrationEdgeTest, NoStepsFitWhenOneIsTooDear) {
  EXPECT_EQ(*MostSteps({.budget = {.epsilon = 0.1, .delta = 1e-6}, .release = Release(1, 0.1)},
                       **MakeAccountant("renyi")),
            0);
}

TEST(NoiseCalibrationEdgeTest, BadTargetsAreRefusedByName) {
  const auto accountant = *MakeAccountant("renyi");
  const PrivacyParams budget = {.epsilon = 1, .delta = 1e-6};
  EXPECT_THAT(
      SmallestNoiseMultiplier({.budget = budget, .sampling_rate = 0.1, .steps = 0}, *accountant),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("steps")));
  EXPECT_THAT(
      SmallestNoiseMultiplier({.budget = budget, .sampling_rate = 1.5, .steps = 1}, *accountant),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sampling_rate")));
  EXPECT_THAT(SmallestNoiseMultiplier(
                  {.budget = {.epsilon = -1, .delta = 1e-6}, .sampling_rate = 0.1, .steps = 1},
                  *accountant),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  EXPECT_THAT(
      MostSteps({.budget = {.epsilon = 1, .delta = 1}, .release = Release(1, 1)}, *accountant),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("delta")));
}

TEST(SearchTest, EveryThresholdIsFoundFromThePrivateSide) {
  for (double threshold = 0.0157; threshold < 1e6; threshold *= 1.7) {
    int asked = 0;
    const double found = *SmallestNoiseMultiplierThat([&](double sigma) -> absl::StatusOr<bool> {
      ++asked;
      return sigma >= threshold;
    });
    EXPECT_GE(found, threshold);
    EXPECT_LE(found, threshold * (1 + 2e-9));
    EXPECT_LE(asked, 70);
  }
  for (int64_t threshold = 0; threshold < kMostReleases; threshold = threshold * 3 + 1) {
    EXPECT_EQ(*LargestCountThat(
                  [&](int64_t count) -> absl::StatusOr<bool> { return count <= threshold; }),
              threshold);
  }
  EXPECT_EQ(*LargestCountThat([](int64_t) -> absl::StatusOr<bool> { return true; }), kMostReleases);
}

TEST(SearchTest, AnErrorEndsTheSearch) {
  EXPECT_THAT(SmallestNoiseMultiplierThat(
                  [](double) -> absl::StatusOr<bool> { return absl::InternalError("x"); }),
              StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(
      LargestCountThat([](int64_t) -> absl::StatusOr<bool> { return absl::InternalError("x"); }),
      StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace topicwall::accountant
