#include "accountant/events/dp_event.h"

#include <cmath>
#include <limits>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace dp_event_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

absl::StatusOr<SubsampledGaussian> Make(double nu, std::vector<double> sigmas) {
  return SubsampledGaussian::Create({.sampling_rate = nu, .noise_multipliers = sigmas});
}

TEST(SubsampledGaussianTest, OneMultiplierIsKeptToTheBit) {
  for (const double sigma : {1.24, 6.3, 0x1p-6, 0x1p20, 1e-300, kMostNoise}) {
    EXPECT_EQ(Make(0.05, {sigma})->noise_multiplier(), sigma);
  }
  EXPECT_EQ(Make(0.05, {1.24})->sampling_rate(), 0.05);
}

TEST(SubsampledGaussianTest, SeveralMultipliersAddAsInverseSquares) {
  // 3-4-5: (1/(5/3)² + 1/(5/4)²)^-½ = (9/25 + 16/25)^-½ = 1.
  const double sigma = Make(1, {5.0 / 3, 5.0 / 4})->noise_multiplier();
  EXPECT_LE(sigma, 1);
  EXPECT_GE(sigma, 1 - 1e-14);
}

TEST(SubsampledGaussianTest, EffectiveMultiplierIsNeverRoundedUp) {
  for (int i = 1; i < 2000; ++i) {
    const double first = 0.3 + 0.01 * i;
    const double second = 17.0 / i;
    const long double exact = 1 / std::sqrt(1 / (static_cast<long double>(first) * first) +
                                            1 / (static_cast<long double>(second) * second));
    const double sigma = Make(1, {first, second})->noise_multiplier();
    EXPECT_LE(sigma, exact);
    EXPECT_GE(sigma, exact * (1 - 1e-14L));
  }
}

TEST(SubsampledGaussianTest, AnotherStatisticAlwaysCostsSomething) {
  EXPECT_LT(Make(1, {1.0, 1e9})->noise_multiplier(), 1.0);
  EXPECT_LT(Make(1, {1.0, 1e300})->noise_multiplier(), 1.0);
}

TEST(SubsampledGaussianTest, ExtremeMultipliersNeitherOverflowNorVanish) {
  EXPECT_NEAR(Make(1, {1e150, 1e150})->noise_multiplier(), 1e150 / std::sqrt(2.0), 1e136);
  EXPECT_GT(Make(1, {3e-308, 3e-308})->noise_multiplier(), 0);
}

TEST(SubsampledGaussianTest, BadMultiplierIsNamedWithRuleAndValue) {
  for (const double sigma : {0.0, -1.24, kNan, kInfinity, 5e-324}) {
    EXPECT_THAT(
        Make(0.5, {1.0, sigma}),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("noise_multiplier must be finite and > 0"), HasSubstr("got "))))
        << sigma;
  }
  EXPECT_THAT(Make(0.5, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("noise_multipliers")));
}

TEST(SubsampledGaussianTest, NoiseOfWhichNoPriceIsLeftIsRefused) {
  for (const double sigma : {1.01e150, 1e155, 1e300}) {
    EXPECT_THAT(Make(1, {sigma}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("noise_multiplier must be at most 1e+150; got "),
                               HasSubstr("less noise"))))
        << sigma;
    EXPECT_OK(Make(1, {1.0, sigma})) << "both together have a price";
  }
}

TEST(SubsampledGaussianTest, BadSamplingRateIsNamedWithRuleAndValue) {
  for (const double nu : {0.0, -0.1, 1.0000001, kNan, kInfinity}) {
    EXPECT_THAT(Make(nu, {1.0}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("sampling_rate must be in (0, 1]"), HasSubstr("got "))))
        << nu;
  }
}

TEST(DpEventTest, CountsOutOfRangeAreRefused) {
  EXPECT_OK(ValidateCount(0));
  EXPECT_OK(ValidateCount(kMostReleases));
  for (const int64_t count : {int64_t{-1}, kMostReleases + 1, std::numeric_limits<int64_t>::max(),
                              std::numeric_limits<int64_t>::min()}) {
    EXPECT_THAT(ValidateCount(count),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("count must be in [0, ")))
        << count;
  }
}

}  // namespace dp_event_test
}  // namespace topicwall::accountant
