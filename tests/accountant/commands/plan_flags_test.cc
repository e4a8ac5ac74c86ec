#include "accountant/commands/plan_flags.h"

#include <algorithm>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

PlanFlags Headline() {
  return {.noise_multiplier = "1.24",
          .histogram_noise_multiplier = std::nullopt,
          .sampling_rate = "0.05",
          .steps = "20"};
}

TEST(PlanFlagsTest, FlagsMakeAPlan) {
  const DpEvent plan = *PlanOf(Headline());
  EXPECT_EQ(plan.release.noise_multiplier(), 1.24);
  EXPECT_EQ(plan.release.sampling_rate(), 0.05);
  EXPECT_EQ(plan.count, 20);
}

TEST(PlanFlagsTest, AHistogramJoinsTheRelease) {
  PlanFlags flags = Headline();
  flags.histogram_noise_multiplier = "1.24";
  EXPECT_NEAR(PlanOf(flags)->release.noise_multiplier(), 1.24 / std::sqrt(2), 1e-12);
}

TEST(PlanFlagsTest, MissingAndBadFlagsAreNamed) {
  PlanFlags flags = Headline();
  flags.steps = std::nullopt;
  EXPECT_THAT(PlanOf(flags), StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("steps is missing. Give --steps")));
  flags = Headline();
  flags.sampling_rate = "0";
  EXPECT_THAT(PlanOf(flags), StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("sampling_rate must be in (0, 1]")));
  EXPECT_THAT(DeltaOf(std::nullopt),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Give --delta")));
  EXPECT_THAT(EpsilonOf("0"), StatusIs(absl::StatusCode::kInvalidArgument,
                                       HasSubstr("epsilon must be finite and > 0")));
}

TEST(PlanFlagsTest, AllAreAllThereAre) {
  EXPECT_EQ(NamesOf({.accountant = "all"}), AccountantNames());
}

TEST(PlanFlagsTest, TheVariantOfStrongCompositionIsReadFromItsName) {
  using Strong = StrongComposition;
  const Strong::Options options =
      OptionsOf({.accountant = "strong", .strong = "classical-half"}).strong;
  EXPECT_EQ(options.split, Strong::Split::kHalf);
  EXPECT_EQ(options.gaussian, Strong::Gaussian::kClassical);
}

}  // namespace
}  // namespace topicwall::accountant
