#include "server/vault/attack_bounds_cache.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using accountant::AdmissionPolicy;

AdmissionPolicy Vouchers(int64_t count) {
  return *AdmissionPolicy::Create(
      *accountant::MakeInventorySpec({.epsilon = 2.44, .delta = 1e-6}, {{20, 1, count}}));
}

TEST(AttackBoundsCacheTest, GivesEachPolicyItsOwnBoundsAgainAndAgain) {
  AttackBoundsCache cache;
  for (int round = 0; round < 2; ++round) {
    for (const int64_t count : {1, 8}) {
      ASSERT_OK_AND_ASSIGN(const auto kept, cache.Of(Vouchers(count)));
      const auto fresh = accountant::BoundAttacks(Vouchers(count));
      EXPECT_EQ(kept.guess_at_even_odds, fresh->guess_at_even_odds);
      EXPECT_EQ(kept.true_positives_at_fpr_1_percent, fresh->true_positives_at_fpr_1_percent);
    }
  }
  EXPECT_LT(cache.Of(Vouchers(1))->guess_at_even_odds, cache.Of(Vouchers(8))->guess_at_even_odds);
}

TEST(AttackBoundsCacheTest, ManyMayAskAtOnce) {
  AttackBoundsCache cache;
  std::vector<double> guesses(4);
  std::vector<std::thread> threads;
  for (double& guess : guesses) {
    threads.emplace_back([&] { guess = cache.Of(Vouchers(2))->guess_at_even_odds; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double guess : guesses) EXPECT_EQ(guess, guesses.front());
}

}  // namespace
}  // namespace topicwall::server
