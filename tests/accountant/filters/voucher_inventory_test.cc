#include "accountant/filters/voucher_inventory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace voucher_inventory_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr PrivacyParams kBudget = {.epsilon = 2.44, .delta = 1e-6};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

VoucherInventory Inventory(const std::vector<VoucherKind>& kinds,
                           const PrivacyParams& budget = kBudget) {
  return *VoucherInventory::Create(*MakeInventorySpec(budget, kinds));
}

// Least valuable first: (40, 1) × 3, (20, 1) × 4, (1.24, 0.05) × 5, (10, 1) × 2.
VoucherInventory Mixed() {
  const InventorySpec spec = {.budget = kBudget,
                              .kinds = {{40, 1, 3}, {20, 1, 4}, {1.24, 0.05, 5}, {10, 1, 2}}};
  return *VoucherInventory::Create(spec);
}

TEST(VoucherInventoryTest, TheLeastValuableSufficientVouchersAreDrawnFirst) {
  const VoucherInventory inventory = Mixed();
  const CostVector nothing = inventory.NothingDrawn();
  EXPECT_EQ(inventory.Draw({Release(1, 40), 2}, nothing), (CostVector{2, 0, 0, 0}));
  EXPECT_EQ(inventory.Draw({Release(1, 40), 8}, nothing), (CostVector{3, 4, 0, 1}));
  EXPECT_EQ(inventory.Draw({Release(1, 15), 2}, nothing), (CostVector{0, 0, 0, 2}));
  EXPECT_EQ(inventory.Draw({Release(0.05, 1.24), 5}, nothing), (CostVector{0, 0, 5, 0}));
  EXPECT_EQ(inventory.Draw({Release(0.01, 50), 14}, nothing), (CostVector{3, 4, 5, 2}));
  // Kinds that are drawn out are passed over.
  EXPECT_EQ(inventory.Draw({Release(1, 40), 3}, {3, 3, 0, 0}), (CostVector{0, 1, 0, 2}));
  EXPECT_EQ(inventory.LeftFor(Release(1, 40), {3, 3, 0, 0}), 3);
}

TEST(VoucherInventoryTest, WhatNoVoucherSufficesForIsNotDrawn) {
  const VoucherInventory inventory = Mixed();
  const CostVector nothing = inventory.NothingDrawn();
  EXPECT_EQ(inventory.LeftFor(Release(1, 9.99), nothing), 0);
  EXPECT_FALSE(inventory.Draw({Release(1, 9.99), 1}, nothing).has_value());
  EXPECT_FALSE(inventory.Draw({Release(1, 10), 10}, nothing).has_value()) << "nine are enough";
  EXPECT_FALSE(inventory.Draw({Release(0.01, 50), 15}, nothing).has_value());
  EXPECT_FALSE(inventory.Draw({Release(0.01, 50), kMostReleases}, nothing).has_value());
  EXPECT_FALSE(inventory.Draw({Release(0.01, 50), INT64_MAX}, nothing).has_value());
  EXPECT_FALSE(inventory.Draw({Release(0.01, 50), 0}, nothing).has_value());
  EXPECT_FALSE(inventory.Draw({Release(0.01, 50), -1}, nothing).has_value());
  EXPECT_FALSE(inventory.Draw({Release(0.01, 50), 1}, {0, 0}).has_value()) << "wrong length";
  EXPECT_EQ(inventory.LeftFor(Release(0.01, 50), {0, 0}), 0) << "wrong length";
  // Drawn beyond its count, or for ever: none left, and nothing wraps.
  EXPECT_EQ(inventory.LeftFor(Release(1, 40), {7, kDeadOrder, 0, 1}), 1);
  EXPECT_FALSE(inventory.Draw({Release(1, 40), 2}, {7, kDeadOrder, 0, 1}).has_value());
}

TEST(VoucherInventoryTest, ACostPaysForAPlanOnlyWithOneSufficientVoucherEach) {
  const VoucherInventory inventory = Mixed();
  const DpEvent plan = {.release = Release(1, 25), .count = 3};
  EXPECT_TRUE(inventory.PaysFor(plan, {0, 3, 0, 0}));
  EXPECT_TRUE(inventory.PaysFor(plan, {0, 1, 0, 2}));
  EXPECT_FALSE(inventory.PaysFor(plan, {0, 2, 0, 0})) << "one too few";
  EXPECT_FALSE(inventory.PaysFor(plan, {0, 4, 0, 0})) << "one too many";
  EXPECT_FALSE(inventory.PaysFor(plan, {1, 2, 0, 0})) << "(40, 1) is too weak";
  EXPECT_FALSE(inventory.PaysFor(plan, {0, 3}));
  EXPECT_FALSE(inventory.PaysFor(plan, {0, kDeadOrder, 0, 0}));
  EXPECT_FALSE(inventory.PaysFor(plan, {0, kDeadOrder, 0, 4})) << "adds up to 3 modulo 2^64";
}

TEST(VoucherInventoryTest, TheFirstReleasesUseTheLeastValuableOfThePlansVouchers) {
  const VoucherInventory inventory = Mixed();
  const CostVector cost = {1, 2, 0, 2};
  EXPECT_EQ(inventory.FirstOf(cost, 0), (CostVector{0, 0, 0, 0}));
  EXPECT_EQ(inventory.FirstOf(cost, 2), (CostVector{1, 1, 0, 0}));
  EXPECT_EQ(inventory.FirstOf(cost, 4), (CostVector{1, 2, 0, 1}));
  EXPECT_EQ(inventory.FirstOf(cost, 5), cost);
  EXPECT_EQ(inventory.FirstOf(cost, 500), cost);
  EXPECT_EQ(inventory.FirstOf(cost, -3), (CostVector{0, 0, 0, 0}));
}

// Full-batch vouchers have an exact answer: together one Gaussian with 1/σ² = Σ n_i/σ_i².
double FullBatchSigma(const std::vector<VoucherKind>& kinds) {
  double inverse_squares = 0;
  for (const VoucherKind& kind : kinds) {
    inverse_squares += static_cast<double>(kind.count) / std::pow(kind.noise_multiplier, 2);
  }
  return 1 / std::sqrt(inverse_squares);
}

TEST(VoucherInventoryTest, WhatIsOpenedKeepsTheBudgetByTheExactGaussianAndOneMoreDoesNot) {
  const std::vector<VoucherKind> others = {{20, 1, 30}, {60, 1, 100}};
  std::vector<VoucherKind> kinds = others;
  kinds.push_back({6.3, 1, 1});
  const VoucherInventory inventory = Inventory(kinds);
  // The 6.3 are the most valuable: the last kind.
  const int64_t most = *inventory.MostOfKind(2);
  ASSERT_GT(most, 1);
  kinds.back().count = most;
  const VoucherInventory full = Inventory(kinds);
  EXPECT_OK(full.RequireWithinBudget());
  EXPECT_LE(GaussianDeltaUpperBound(kBudget.epsilon, FullBatchSigma(kinds)), kBudget.delta);
  const double epsilon = full.EpsilonUpperBound({100, 30, static_cast<uint64_t>(most)});
  EXPECT_LE(epsilon, kBudget.epsilon);
  EXPECT_LE(GaussianDeltaUpperBound(epsilon, FullBatchSigma(kinds)), kBudget.delta);
  EXPECT_LE(GaussianDeltaUpperBound(1.7, FullBatchSigma(kinds)), full.DeltaUpperBound(1.7));
  const PrivacyParams exactly = {.epsilon = epsilon, .delta = kBudget.delta};
  EXPECT_OK(Inventory(kinds, exactly).RequireWithinBudget());
  kinds.back().count = most + 1;
  EXPECT_THAT(Inventory(kinds).RequireWithinBudget(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("come to epsilon")));
  EXPECT_THAT(inventory.MostOfKind(3), StatusIs(absl::StatusCode::kInvalidArgument));
  // Where the others alone are too much there is no count.
  EXPECT_EQ(*Inventory({{6.3, 1, 1}, {2, 1, 30}}).MostOfKind(0), 0);
}

TEST(VoucherInventoryTest, ThePaperHeadlinePlanIsWorthItsExactPriceInVouchers) {
  // σ = 1.24, ν = 0.05, 20 releases at δ = 1e-4: exactly ε = 0.93201 (contour inversion of the
  // moment generating function); a Rényi price would be 1.2132.
  const VoucherInventory inventory =
      Inventory({{1.24, 0.05, 20}}, {.epsilon = 0.9325, .delta = 1e-4});
  EXPECT_OK(inventory.RequireWithinBudget());
  EXPECT_NEAR(inventory.EpsilonUpperBound({20}), 0.93201, 1e-4);
  EXPECT_THAT(
      Inventory({{1.24, 0.05, 20}}, {.epsilon = 0.9315, .delta = 1e-4}).RequireWithinBudget(),
      StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(VoucherInventoryTest, TheMeterReadsNothingForNothingAndInfinityForWhatIsGone) {
  const VoucherInventory inventory = Mixed();
  EXPECT_EQ(inventory.EpsilonUpperBound(inventory.NothingDrawn()), 0);
  EXPECT_GT(inventory.EpsilonUpperBound({1, 0, 0, 0}), 0);
  EXPECT_GT(inventory.EpsilonUpperBound({0, 0, 0, 2}), inventory.EpsilonUpperBound({0, 0, 0, 1}));
  EXPECT_EQ(inventory.EpsilonUpperBound({0, kDeadOrder, 0, 0}), kInfinity);
  EXPECT_EQ(inventory.EpsilonUpperBound({0, 0}), kInfinity);
  EXPECT_EQ(inventory.DeltaUpperBound(-1), 1);
  EXPECT_EQ(inventory.DeltaUpperBound(std::nan("")), 1);
}

TEST(VoucherInventoryTest, TheSmallestNoiseIsThatOfAKindWhosePlanCostsNoMore) {
  const VoucherInventory inventory = Mixed();
  const auto smallest = [&](double epsilon, double nu, int64_t releases) {
    return inventory.SmallestNoiseMultiplier(
        {.epsilon = epsilon, .sampling_rate = nu, .releases = releases});
  };
  EXPECT_EQ(*smallest(2.44, 1, 2), 10);
  EXPECT_EQ(*smallest(2.44, 1, 3), 20) << "only two of the 10 are there";
  EXPECT_EQ(*smallest(2.44, 0.05, 5), 1.24);
  const double price = inventory.EpsilonUpperBound({0, 0, 0, 2});
  EXPECT_EQ(*smallest(price, 1, 2), 10);
  EXPECT_EQ(*smallest(price * (1 - 1e-6), 1, 2), 20);
  EXPECT_THAT(smallest(2.44, 1, 100), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(smallest(0, 1, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  EXPECT_THAT(smallest(1, 0, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sampling_rate")));
  for (const int64_t releases : {int64_t{0}, kMostReleases + 1}) {
    EXPECT_THAT(smallest(1, 1, releases),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("releases")));
  }
}

}  // namespace voucher_inventory_test
}  // namespace topicwall::accountant
