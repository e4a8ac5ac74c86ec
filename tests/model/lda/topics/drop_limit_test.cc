#include "model/lda/topics/drop_limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/lda/math/exp_digamma.h"

namespace topicwall::lda {
namespace {

constexpr float kList = 0x1p-20F / 50;  // d at K = 50

double WeightAt(double gamma) { return std::exp(Digamma(gamma)); }

// What the proof in model/lda/kernel/dropped_topics.h takes for granted.
void ExpectSound(const std::vector<float>& priors) {
  const DropRule rule = MakeDropRule(priors, kList);
  EXPECT_NEAR(rule.weight / WeightAt(double{rule.limit}), 1, 1e-5);
  int droppable = 0;
  for (const float prior : priors) {
    const bool kept = prior > rule.limit;
    EXPECT_TRUE(kept || double{prior} + double{kList} <= double{rule.limit}) << prior;
    droppable += static_cast<int>(!kept);
  }
  EXPECT_EQ(rule.may_drop, droppable > 0 && rule.weight < kList / 4);
}

TEST(DropLimitTest, EveryPriorIsAboveTheLimitOrFarEnoughBelow) {
  const float limit = MakeDropRule({0.001F}, kList).limit;
  for (const float edge : {limit, std::nextafterf(limit, 0), std::nextafterf(limit, 1),
                           limit - kList, limit - kList / 2, limit + kList / 2}) {
    ExpectSound({edge});
    ExpectSound({0.001F, edge, 3});
    ExpectSound({edge, edge - kList / 2, edge - kList, edge - 3 * kList});
  }
  for (const float prior : {1e-6F, 0.02F, 0.045F, 0.05F, 0.055F, 0.06F, 1.0F, 1e6F}) {
    ExpectSound({prior});
    ExpectSound({prior, 0.02F});
  }
}

TEST(DropLimitTest, LargePriorsDoNotKeepSmallOnesFromBeingDropped) {
  const DropRule rule = MakeDropRule({0.02F, 5, 1}, kList);
  EXPECT_TRUE(rule.may_drop);
  EXPECT_EQ(rule.limit, MakeDropRule({0.02F}, kList).limit);
}

TEST(DropLimitTest, WhereEveryTopicKeepsMoreThanMayBeDroppedNoneIs) {
  EXPECT_FALSE(MakeDropRule({1, 0.5F}, kList).may_drop);
}

TEST(DropLimitTest, HasRoomForDocumentsOfUsualRatios) {
  const DropRule rule = MakeDropRule({0.02F}, kList);
  EXPECT_LE(1e4 * WeightAt(double{rule.limit}), 1.0001 * double{kList} / 4);
  EXPECT_GT(1e4 * WeightAt(1.01 * double{rule.limit}), double{kList} / 4) << "and no more";
}

}  // namespace
}  // namespace topicwall::lda
