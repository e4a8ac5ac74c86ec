#include "server/mechanism/mechanism_limits.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace mechanism_limits_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The doubles next to a bound, on its far side.
double JustBelow(double bound) { return std::nextafter(bound, -kInfinity); }
double JustAbove(double bound) { return std::nextafter(bound, kInfinity); }

auto Refuses() { return StatusIs(absl::StatusCode::kInvalidArgument); }

TEST(MechanismLimitsTest, RangesIncludeTheirEnds) {
  EXPECT_OK(ValidateSamplingRate(1));
  EXPECT_OK(ValidateSamplingRate(std::numeric_limits<double>::denorm_min()));
  EXPECT_OK(ValidateNoiseMultiplier(0x1p-6));
  EXPECT_OK(ValidateNoiseMultiplier(0x1p20));
  EXPECT_OK(ValidateHistogramNoiseMultiplier(0x1p-6));
  EXPECT_OK(ValidateHistogramNoiseMultiplier(0x1p20));
  EXPECT_OK(ValidateClipNorm(0x1p-20));
  EXPECT_OK(ValidateClipNorm(0x1p30));
  EXPECT_OK(ValidateMaxWords(1));
}

TEST(MechanismLimitsTest, TheNextDoubleOutsideIsRefused) {
  EXPECT_THAT(ValidateSamplingRate(JustAbove(1)), Refuses());
  for (const double outside : {JustBelow(0x1p-6), JustAbove(0x1p20)}) {
    EXPECT_THAT(ValidateNoiseMultiplier(outside), Refuses());
    EXPECT_THAT(ValidateHistogramNoiseMultiplier(outside), Refuses());
  }
  EXPECT_THAT(ValidateClipNorm(JustBelow(0x1p-20)), Refuses());
  EXPECT_THAT(ValidateClipNorm(JustAbove(0x1p30)), Refuses());
  EXPECT_THAT(ValidateMaxWords(0), Refuses());
}

// By an independent method: M = 2^30/σ for a power of two; U·M + 2^40 against 2^63.
TEST(MechanismLimitsTest, ASumOverEveryUnitAllowedMustFitToTheLastUnit) {
  EXPECT_OK(ValidateSumFits(int64_t{1} << 26, 0x1p-6));
  // M = 2^32: 2^31 units come to 2^63, and 2^40 are 2^8 units more.
  EXPECT_THAT(ValidateSumFits(int64_t{1} << 31, 0.25), Refuses());
  EXPECT_THAT(ValidateSumFits((int64_t{1} << 31) - 256, 0.25), Refuses());
  EXPECT_OK(ValidateSumFits((int64_t{1} << 31) - 257, 0.25));
  // M = 2^36, with which a product of 64 bits would have wrapped to 0.
  EXPECT_THAT(ValidateSumFits(int64_t{1} << 28, 0x1p-6), Refuses());
  EXPECT_THAT(ValidateSumFits((int64_t{1} << 27) - 16, 0x1p-6), Refuses());
  EXPECT_OK(ValidateSumFits((int64_t{1} << 27) - 17, 0x1p-6));
  EXPECT_THAT(ValidateSumFits(int64_t{1} << 31, 0.1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("2147483648"), HasSubstr("more noise"))));
  EXPECT_THAT(ValidateSumFits(0, 1), Refuses());
  EXPECT_THAT(ValidateSumFits(-1, 1), Refuses());
}

TEST(MechanismLimitsTest, ASamplingRateMayBeTinyButNotZeroOrStrange) {
  EXPECT_OK(ValidateSamplingRate(1e-300));
  for (const double strange : {kNaN, kInfinity, -kInfinity, 0.0, -0.0, -1.0, 1e308}) {
    EXPECT_THAT(ValidateSamplingRate(strange), Refuses()) << strange;
  }
}

TEST(MechanismLimitsTest, StrangeNumbersAreOutsideEveryRange) {
  for (const double strange : {kNaN, kInfinity, -kInfinity, 0.0, -0.0, -1.0, 1e-300, 1e308}) {
    EXPECT_THAT(ValidateNoiseMultiplier(strange), Refuses()) << strange;
    EXPECT_THAT(ValidateHistogramNoiseMultiplier(strange), Refuses()) << strange;
    EXPECT_THAT(ValidateClipNorm(strange), Refuses()) << strange;
    const std::vector<float> weights = {1, static_cast<float>(strange)};
    EXPECT_THAT(ValidateWeights(weights, 2), Refuses()) << strange;
  }
}

TEST(MechanismLimitsTest, WeightsAreNoneOrOnePerTerm) {
  EXPECT_OK(ValidateWeights({}, 3));
  EXPECT_OK(ValidateWeights({0x1p-20F, 1.0F, 0x1p20F}, 3));
  EXPECT_THAT(ValidateWeights({1.0F, 1.0F}, 3), Refuses());
  EXPECT_THAT(ValidateWeights({1.0F, 1.0F, 1.0F, 1.0F}, 3), Refuses());
}

TEST(MechanismLimitsTest, ShapesReachTwoToThe32Entries) {
  EXPECT_OK(ValidateShape(model::GridOf(1, 1)));
  EXPECT_OK(ValidateShape(model::GridOf(1 << 16, int64_t{1} << 16)));
  EXPECT_OK(ValidateShape(model::GridOf(1, int64_t{1} << 32)));
  EXPECT_OK(ValidateShape(model::GridOf(int64_t{1} << 32, 1)));
  EXPECT_THAT(ValidateShape(model::GridOf(1 << 16, (int64_t{1} << 16) + 1)), Refuses());
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(ValidateShape({.dimension = kMost, .period = kMost}), Refuses());
  EXPECT_THAT(ValidateShape({.dimension = kMost, .period = 1}), Refuses());
  EXPECT_THAT(ValidateShape(model::GridOf(0, 1)), Refuses());
  EXPECT_THAT(ValidateShape(model::GridOf(-1, 1)), Refuses());
  EXPECT_THAT(ValidateShape(model::GridOf(-1, -1)), Refuses());
  EXPECT_THAT(ValidateShape(model::GridOf(1, 0)), Refuses());
  EXPECT_THAT(ValidateShape({.dimension = 7, .period = 3}), Refuses()) << "a column is too short";
}

TEST(MechanismLimitsTest, MessagesNameParameterRuleValueAndRemedy) {
  EXPECT_EQ(ValidateNoiseMultiplier(0).message(),
            "noise_multiplier must be in [2^-6, 2^20]; got 0. Ask for more noise.");
  EXPECT_EQ(ValidateHistogramNoiseMultiplier(2e6).message(),
            "histogram_noise_multiplier must be in [2^-6, 2^20]; got 2e+06. Ask for less noise.");
  EXPECT_THAT(ValidateWeights({1.0F, 0.0F}, 2),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("weights[1]"), HasSubstr("got 0"))));
}

TEST(MechanismLimitsTest, APaidMechanismIsCheckedInEveryPart) {
  const ledger::PaidMechanism good = {.sampling_rate = 0.1,
                                      .noise_multiplier = 1,
                                      .histogram_noise_multiplier = 10,
                                      .max_words = 100,
                                      .weights = {1, 1}};
  EXPECT_OK(ValidatePaidMechanism(good, model::GridOf(5, 2)));
  const auto with = [&good](auto change) {
    ledger::PaidMechanism changed = good;
    change(changed);
    return ValidatePaidMechanism(changed, model::GridOf(5, 2));
  };
  EXPECT_THAT(with([](auto& paid) { paid.sampling_rate = 0; }), Refuses());
  EXPECT_THAT(with([](auto& paid) { paid.noise_multiplier = 0; }), Refuses());
  EXPECT_THAT(with([](auto& paid) { paid.histogram_noise_multiplier = 0; }), Refuses());
  EXPECT_OK(with([](auto& paid) { paid.histogram_noise_multiplier.reset(); }));
  EXPECT_THAT(ValidatePaidMechanism(good, {.dimension = 11, .period = 2}), Refuses());
  EXPECT_THAT(with([](auto& paid) { paid.max_words = 0; }), Refuses());
  EXPECT_THAT(with([](auto& paid) { paid.weights = {1}; }), Refuses());
  EXPECT_OK(with([](auto& paid) { paid.held_out_share = 0.999; }));
  EXPECT_THAT(with([](auto& paid) { paid.held_out_share = 1; }), Refuses());
}

TEST(MechanismLimitsTest, AnEvaluationIsOfHeldOutUnitsAndHasAWeightAColumn) {
  const ledger::PaidMechanism good = {.sampling_rate = 1,
                                      .noise_multiplier = 1,
                                      .histogram_noise_multiplier = 10,
                                      .max_words = 100,
                                      .weights = {0.01F, 0.1F},
                                      .held_out_share = 1,
                                      .held_out_only = true};
  EXPECT_OK(ValidatePaidMechanism(good, model::GridOf(1, 2)));
  EXPECT_THAT(ValidatePaidMechanism(good, model::GridOf(1, 3)), Refuses());
  const auto with = [&good](auto change) {
    ledger::PaidMechanism changed = good;
    change(changed);
    return ValidatePaidMechanism(changed, model::GridOf(1, 2));
  };
  EXPECT_THAT(with([](auto& paid) { paid.held_out_share = 0; }), Refuses());
  EXPECT_THAT(with([](auto& paid) { paid.weights = {1}; }), Refuses());
  EXPECT_THAT(with([](auto& paid) { paid.weights = {1, 0}; }), Refuses());
}

TEST(MechanismLimitsTest, ShareOfUnitsHeldOut) {
  EXPECT_OK(ValidateHeldOutShare(0, false));
  EXPECT_OK(ValidateHeldOutShare(0x1.fffffffffffffp-1, false));
  EXPECT_OK(ValidateHeldOutShare(1e-300, true));
  EXPECT_OK(ValidateHeldOutShare(1, true));
  for (const double strange : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(ValidateHeldOutShare(strange, false), Refuses()) << strange;
    EXPECT_THAT(ValidateHeldOutShare(strange, true), Refuses()) << strange;
  }
}

}  // namespace mechanism_limits_test
}  // namespace topicwall::mechanism
