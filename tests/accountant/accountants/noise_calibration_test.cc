#include "accountant/accountants/noise_calibration.h"

#include <cmath>
#include <limits>
#include <vector>

#include "accountant/accountants.h"
#include "accountant/accountants/renyi_accountant.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace noise_calibration_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

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
  const StepsTarget target = {.budget = {.epsilon = 1, .delta = 1e-6}, .release = release};
  const int64_t steps = *MostSteps(target, *accountant_);
  ASSERT_GT(steps, 1);
  EXPECT_LE(EpsilonOf(*accountant_, {.release = release, .count = steps}, 1e-6), 1);
  EXPECT_GT(EpsilonOf(*accountant_, {.release = release, .count = steps + 1}, 1e-6), 1);
}

TEST_P(NoiseCalibrationTest, WhatIsComposedAlreadyCountsAndIsLeftAlone) {
  const SubsampledGaussian release = Release(0.01, 3);
  const StepsTarget target = {.budget = {.epsilon = 1, .delta = 1e-6}, .release = release};
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

TEST(NoiseCalibrationEdgeTest, TheLargestNoiseAWallAcceptsIsTried) {
  const double enough = 0.75 * kLargestNoiseMultiplier;
  const auto found = SmallestNoiseMultiplierThat(
      [&](double sigma) -> absl::StatusOr<bool> { return sigma >= enough; });
  ASSERT_OK(found);
  EXPECT_GE(*found, enough);
  EXPECT_LE(*found, enough * (1 + 1e-8));
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

// Counts what it is asked; otherwise Rényi.
class CountingAccountant final : public PrivacyAccountant {
 public:
  explicit CountingAccountant(int* prices) : prices_(prices) {}
  absl::string_view name() const override { return "counting"; }
  absl::Status Compose(const DpEvent& event) override { return inner_.Compose(event); }
  absl::StatusOr<EpsilonBracket> Epsilon(double delta) const override {
    ++*prices_;
    return inner_.Epsilon(delta);
  }
  absl::StatusOr<DeltaBracket> Delta(double epsilon) const override {
    return inner_.Delta(epsilon);
  }
  std::unique_ptr<PrivacyAccountant> Clone() const override {
    return std::make_unique<CountingAccountant>(*this);
  }

 private:
  int* prices_;
  RenyiAccountant inner_;
};

TEST(NoiseCalibrationCostTest, AnAnswerTakesFewPrices) {
  int prices = 0;
  const CountingAccountant accountant(&prices);
  for (const double epsilon : {0.05, 0.3, 2.44, 20.0}) {
    for (const double nu : {0.001, 0.05, 1.0}) {
      for (const int64_t steps : {1, 20, 5000}) {
        prices = 0;
        ASSERT_OK(SmallestNoiseMultiplier(
            {.budget = {.epsilon = epsilon, .delta = 1e-6}, .sampling_rate = nu, .steps = steps},
            accountant));
        EXPECT_LE(prices, 20) << epsilon << " " << nu << " " << steps;
        prices = 0;
        ASSERT_OK(MostSteps({.budget = {.epsilon = epsilon, .delta = 1e-6},
                             .release = Release(nu, 2.0 * static_cast<double>(steps))},
                            accountant));
        EXPECT_LE(prices, 25) << epsilon << " " << nu << " " << steps;
      }
    }
  }
}

TEST(NoiseCalibrationEdgeTest, TheMostStepsAtTheSmallestNoiseOfAScheduleAreItsOwn) {
  const auto accountant = *MakeAccountant("renyi");
  const PrivacyParams budget = {.epsilon = 1, .delta = 1e-6};
  for (const double rate : {0.01, 1.0}) {
    for (const int64_t steps : {5, 500}) {
      const double sigma = *SmallestNoiseMultiplier(
          {.budget = budget, .sampling_rate = rate, .steps = steps}, *accountant);
      EXPECT_EQ(*MostSteps({.budget = budget, .release = Release(rate, sigma)}, *accountant), steps)
          << rate;
    }
  }
}

TEST(SplitNoiseTest, BothStatisticsTogetherCostNoMoreThanTheOne) {
  for (const double sigma : {1e-3, 1.24, 6.3, 1e6}) {
    for (const double share : {1e-6, 0.02, 0.5, 0.98}) {
      const JointNoise split = *SplitNoise({.noise_multiplier = sigma, .histogram_share = share});
      const SubsampledGaussian joint = *SubsampledGaussian::Create(
          {.sampling_rate = 1,
           .noise_multipliers = {split.noise_multiplier, split.histogram_noise_multiplier}});
      EXPECT_GE(joint.noise_multiplier(), sigma) << share;
      EXPECT_LE(joint.noise_multiplier(), sigma * (1 + 1e-13)) << share;
      EXPECT_NEAR(std::pow(sigma / split.histogram_noise_multiplier, 2), share, 1e-12) << sigma;
    }
  }
}

TEST(SplitNoiseTest, BadSharesAndMultipliersAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double share : {0.0, 1.0, -0.1, nan}) {
    EXPECT_THAT(SplitNoise({.noise_multiplier = 1, .histogram_share = share}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("histogram_share")));
  }
  EXPECT_THAT(SplitNoise({.noise_multiplier = nan, .histogram_share = 0.1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("noise_multiplier")));
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
  // By yes or no alone, at ends that tell nothing, and where ε grows like a power of the count.
  for (int64_t threshold = 0; threshold < kMostReleases; threshold = threshold * 3 + 1) {
    const auto jump = [&](int64_t count) { return count <= threshold ? -1.0 : 1.0; };
    const auto cliff = [&](int64_t count) { return count <= threshold ? -kInfinity : kInfinity; };
    EXPECT_EQ(*LargestCountWithin(kMostReleases, jump), threshold);
    EXPECT_EQ(*LargestCountWithin(kMostReleases, cliff), threshold);
    for (const double power : {0.5, 0.7, 1.0}) {
      int asked = 0;
      const auto smooth = [&](int64_t count) -> absl::StatusOr<double> {
        ++asked;
        return power *
               std::log(static_cast<double>(count) / (static_cast<double>(threshold) + 0.5));
      };
      EXPECT_EQ(*LargestCountWithin(kMostReleases, smooth), threshold);
      EXPECT_LE(asked, 14) << threshold;
    }
  }
  const auto all = [](int64_t) { return -1.0; };
  for (const int64_t at_most : {int64_t{0}, int64_t{1}, int64_t{7}, kMostReleases}) {
    EXPECT_EQ(*LargestCountWithin(at_most, all), at_most);
  }
}

TEST(SearchTest, AnErrorEndsTheSearch) {
  EXPECT_THAT(SmallestNoiseMultiplierThat(
                  [](double) -> absl::StatusOr<bool> { return absl::InternalError("x"); }),
              StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(LargestCountWithin(
                  7, [](int64_t) -> absl::StatusOr<double> { return absl::InternalError("x"); }),
              StatusIs(absl::StatusCode::kInternal));
}

}  // namespace noise_calibration_test
}  // namespace topicwall::accountant
