#include "model/prevalence/holm.h"

#include <gmock/gmock.h>

#include <vector>

namespace topicwall::prevalence {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

// The four p-values 0.01, 0.04, 0.03, 0.005 of the textbooks, by hand: 4·0.005 = 0.02,
// 3·0.01 = 0.03, 2·0.03 = 0.06, and 0.04, which may not be below the one before: 0.06.
TEST(HolmAdjustedTest, FourTestsByHand) {
  EXPECT_THAT(HolmAdjusted({0.01, 0.04, 0.03, 0.005}),
              Pointwise(DoubleNear(1e-15), {0.03, 0.06, 0.06, 0.02}));
}

TEST(HolmAdjustedTest, OneTestIsLeftAsItIsAndNoneIsAboveOne) {
  EXPECT_THAT(HolmAdjusted({0.04}), ElementsAre(0.04));
  EXPECT_THAT(HolmAdjusted({0.7, 0.9, 0.4}), ElementsAre(1, 1, 1));
  EXPECT_THAT(HolmAdjusted({0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(HolmAdjusted({}), IsEmpty());
}

// Catches an order that depends on where equal ones stand.
TEST(HolmAdjustedTest, EqualOnesAreAdjustedEqually) {
  EXPECT_THAT(HolmAdjusted({0.02, 0.5, 0.02}), Pointwise(DoubleNear(1e-15), {0.06, 0.5, 0.06}));
}

}  // namespace
}  // namespace topicwall::prevalence
