#include "accountant/filters/inventory_spec.h"

#include <cmath>
#include <limits>
#include <random>

#include "accountant/accountants/subsampled_gaussian.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace inventory_spec_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr PrivacyParams kBudget = {.epsilon = 2.44, .delta = 1e-6};

void ExpectRefused(const InventorySpec& spec, const std::string& message) {
  EXPECT_THAT(Validate(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
}

TEST(InventorySpecTest, AVoucherPaysForAtLeastItsNoiseAndAtMostItsRateExactly) {
  const VoucherKind voucher = {.noise_multiplier = 6.3, .sampling_rate = 0.1, .count = 1};
  EXPECT_TRUE(Suffices(voucher, Release(0.1, 6.3)));
  EXPECT_TRUE(Suffices(voucher, Release(1e-9, 1e6)));
  EXPECT_FALSE(Suffices(voucher, Release(0.1, std::nextafter(6.3, 0))));
  EXPECT_FALSE(Suffices(voucher, Release(std::nextafter(0.1, 1), 6.3)));
  // Several statistics count by their σ_eff: 1/√(1/8.91² + 1/8.91²) = 6.3003…
  EXPECT_TRUE(Suffices(voucher, *SubsampledGaussian::Create(
                                    {.sampling_rate = 0.1, .noise_multipliers = {8.91, 8.91}})));
  EXPECT_FALSE(Suffices(voucher, *SubsampledGaussian::Create(
                                     {.sampling_rate = 0.1, .noise_multipliers = {8.9, 8.9}})));
}

TEST(InventorySpecTest, EveryFieldIsChecked) {
  const InventorySpec good = {.budget = kBudget, .kinds = {{20, 1, 3}, {6.3, 1, 2}}};
  EXPECT_OK(Validate(good));
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double sigma : {0.0, 0x1p-7, 0x1p21, kNan, -1.0}) {
    InventorySpec spec = good;
    spec.kinds[0].noise_multiplier = sigma;
    ExpectRefused(spec, "noise_multiplier");
  }
  for (const double rate : {0.0, 1.5, kNan}) {
    InventorySpec spec = good;
    spec.kinds[1].sampling_rate = rate;
    ExpectRefused(spec, "sampling_rate");
  }
  for (const int64_t count : {int64_t{0}, int64_t{-1}, kMostReleases + 1}) {
    InventorySpec spec = good;
    spec.kinds[1].count = count;
    ExpectRefused(spec, "count");
  }
  InventorySpec spec = good;
  spec.kinds[0].count = spec.kinds[1].count = kMostReleases;
  ExpectRefused(spec, "at most");
  ExpectRefused({.budget = kBudget, .kinds = {}}, "1 to 64 kinds");
  ExpectRefused({.budget = {.epsilon = 0, .delta = 1e-6}, .kinds = good.kinds}, "epsilon");
  ExpectRefused({.budget = {.epsilon = 1, .delta = 1}, .kinds = good.kinds}, "delta");
  spec.kinds.assign(65, {20, 1, 1});
  ExpectRefused(spec, "1 to 64 kinds");
}

TEST(InventorySpecTest, AKindBeforeOneItCouldPayForIsOutOfOrder) {
  ExpectRefused({.budget = kBudget, .kinds = {{6.3, 1, 2}, {20, 1, 3}}}, "least to the most");
  ExpectRefused({.budget = kBudget, .kinds = {{6.3, 1, 2}, {6.3, 1, 3}}}, "different");
  ExpectRefused({.budget = kBudget, .kinds = {{6.3, 0.5, 2}, {6.3, 0.1, 3}}}, "kind 0");
}

TEST(InventorySpecTest, KindsAreMergedAndSortedByTheirPrice) {
  const InventorySpec spec = *MakeInventorySpec(
      kBudget, {{6.3, 1, 2}, {20, 1, 3}, {6.3, 1, 5}, {1.24, 0.05, 7}, {20, 0.5, 1}});
  ASSERT_EQ(spec.kinds.size(), 4u);
  EXPECT_EQ(spec.budget.epsilon, kBudget.epsilon);
  double before = 0;
  for (const VoucherKind& kind : spec.kinds) {
    // At the order where most full-batch Gaussian fits ε = 2.44, δ = 1e-6.
    const double price =
        LogMomentUpperBound(Release(kind.sampling_rate, kind.noise_multiplier), 12);
    EXPECT_GT(price, before);
    before = price;
    EXPECT_EQ(kind.count == 7, kind.noise_multiplier == 6.3 || kind.sampling_rate == 0.05);
  }
  EXPECT_THAT(MakeInventorySpec(kBudget, {{6.3, 1, kMostReleases}, {6.3, 1, kMostReleases}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most")));
  EXPECT_THAT(MakeInventorySpec(kBudget, {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

// Prices that tie or differ by rounding only must not upset the order: neighbouring doubles,
// prices of 0 and of infinity.
TEST(InventorySpecTest, TheOrderRespectsDominanceWhateverTheRoundingOfPrices) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    std::vector<VoucherKind> kinds;
    double sigma = std::ldexp(1.0, static_cast<int>(random() % 25) - 6);
    double rate = std::ldexp(1.0, -static_cast<int>(random() % 60));
    for (int k = 0; k < 12; ++k) {
      if (random() % 2 == 0) sigma = std::nextafter(sigma, 1e6);
      if (random() % 2 == 0) rate = std::nextafter(rate, 0.0);
      kinds.push_back({sigma, rate, 1});
    }
    std::shuffle(kinds.begin(), kinds.end(), random);
    EXPECT_OK(MakeInventorySpec(kBudget, kinds)) << i;
  }
}

}  // namespace inventory_spec_test
}  // namespace topicwall::accountant
