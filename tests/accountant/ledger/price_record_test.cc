#include "accountant/ledger/price_record.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant::ledger {
namespace {

using ::topicwall::testing::StatusIs;

// A field that is left out, or filled with its neighbour's number, is seen: all are different.
TEST(PriceRecord, EveryBoundOnAttacksIsToldInItsOwnField) {
  const v1::AttackBounds bounds = RecordOf(AttackBounds{.guess_at_even_odds = 0.9,
                                                        .true_positives_at_fpr_10_percent = 0.3,
                                                        .true_positives_at_fpr_1_percent = 0.2,
                                                        .true_positives_at_fpr_0_1_percent = 0.1});
  EXPECT_EQ(bounds.best_posterior_at_even_odds(), 0.9);
  EXPECT_EQ(bounds.true_positive_rate_at_fpr_0_1_percent(), 0.1);
  EXPECT_EQ(bounds.true_positive_rate_at_fpr_1_percent(), 0.2);
  EXPECT_EQ(bounds.true_positive_rate_at_fpr_10_percent(), 0.3);
}

// (kε, δ Σ_{i<k} e^{iε}) of k units, by the sum itself; one replaced is one less and one more.
TEST(PriceRecord, OtherUnitsAreChainsOfNeighbours) {
  ASSERT_OK_AND_ASSIGN(const auto others, OtherUnitsOf({.epsilon = 0.5, .delta = 1e-6}));
  ASSERT_EQ(others.groups.size(), 3);
  EXPECT_EQ(others.replace_one.epsilon, others.groups[0].epsilon());
  EXPECT_EQ(others.replace_one.delta, others.groups[0].delta());
  for (const v1::GroupGuarantee& group : others.groups) {
    double chain = 0;
    for (int i = 0; i < group.units(); ++i) chain += std::exp(0.5 * i);
    EXPECT_EQ(group.epsilon(), 0.5 * group.units());
    EXPECT_NEAR(group.delta(), 1e-6 * chain, 1e-12 * chain);
  }
  EXPECT_THAT(OtherUnitsOf({.epsilon = 0, .delta = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

// (1 + e^24)·1e-6 is more than 1: then the pair is one of δ = 1, which holds of anything.
TEST(PriceRecord, OfALargeEpsilonOtherUnitsArePromisedNothing) {
  ASSERT_OK_AND_ASSIGN(const auto others, OtherUnitsOf({.epsilon = 24, .delta = 1e-6}));
  EXPECT_EQ(others.replace_one.epsilon, 48);
  EXPECT_FALSE(IsAPromise(others.replace_one));
  EXPECT_TRUE(IsAPromise(OtherUnitsOf({.epsilon = 8, .delta = 1e-6})->replace_one));
  EXPECT_FALSE(IsAPromise({.epsilon = 1, .delta = std::nan("")}));
}

TEST(PriceRecord, WhatPromisesNothingIsToldWithoutItsEpsilon) {
  EXPECT_EQ(PromiseText({.epsilon = 2.44001, .delta = 1e-6}), "epsilon 2.4401 at delta 1e-06");
  for (const double delta : {1.0, 1.01, std::nan("")}) {
    EXPECT_EQ(PromiseText({.epsilon = 48, .delta = delta}), "no promise (delta would be 1)");
  }
}

}  // namespace
}  // namespace topicwall::accountant::ledger
