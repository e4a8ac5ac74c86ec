#include "server/mechanism/poisson_sampler.h"

#include <array>
#include <cmath>
#include <limits>

#include "tests/server/random/numbered.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace poisson_sampler_test {

using random::NumberedUnits;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

random::SecretKey Key() { return random::SecretKey(std::array<uint8_t, 32>{5}); }

std::vector<std::size_t> Sampled(double rate, absl::Span<const random::UnitId> units) {
  std::vector<std::size_t> positions;
  absl::StatusOr<PoissonSampler> sampler = PoissonSampler::Create(Key(), rate);
  EXPECT_OK(sampler);
  EXPECT_OK(sampler->Sample(units, &positions));
  return positions;
}

// Expected values from the bits of the doubles.
TEST(CoinThresholdTest, IsTheRateRoundedDownToA64thBinaryPlace) {
  EXPECT_EQ(CoinThreshold(0.5), uint64_t{1} << 63);
  EXPECT_EQ(CoinThreshold(0.1), 0x1999999999999A00U);  // 0.1 is 0x1.999999999999Ap-4
  EXPECT_EQ(CoinThreshold(std::nextafter(1.0, 0)), 0U - (uint64_t{1} << 11));
  EXPECT_EQ(CoinThreshold(0x1p-64), 1U);
  EXPECT_EQ(CoinThreshold(0x1.8p-64), 1U);
  EXPECT_EQ(CoinThreshold(0x1.fffffffffffffp-64), 1U);
  EXPECT_EQ(CoinThreshold(0x1p-20 + 0x1p-65), uint64_t{1} << 44);  // the last digit is below 2^-64
}

TEST(CoinThresholdTest, RatesBelowTheLastPlaceSampleNobody) {
  EXPECT_EQ(CoinThreshold(std::nextafter(0x1p-64, 0)), 0U);
  EXPECT_EQ(CoinThreshold(1e-300), 0U);
  EXPECT_EQ(CoinThreshold(std::numeric_limits<double>::denorm_min()), 0U);
  EXPECT_THAT(Sampled(1e-300, NumberedUnits(1000)), IsEmpty());
}

TEST(PoissonSamplerTest, AUnitTakesPartIfItsCoinIsBelowTheThreshold) {
  const std::vector<random::UnitId> units = NumberedUnits(2000);
  ASSERT_OK_AND_ASSIGN(random::UnitCoins coins, random::UnitCoins::Create(Key()));
  std::vector<uint64_t> tossed(units.size());
  ASSERT_OK(coins.Toss(units, absl::MakeSpan(tossed)));
  for (const double rate : {0x1p-10, 0.05, 0.1, 0.5, 0.999}) {
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < units.size(); ++i) {
      // A long double holds all 64 bits: both sides are exact.
      static_assert(std::numeric_limits<long double>::digits >= 64);
      if (std::ldexp(static_cast<long double>(tossed[i]), -64) < rate) expected.push_back(i);
    }
    EXPECT_EQ(Sampled(rate, units), expected) << rate;
  }
}

// Of 2^64 coins those below the threshold say yes, so the one at the threshold says no. A rate is
// a double: coins that it can hit exactly end in 11 zeros, one in 2048. Fixed bits: no false alarm.
TEST(PoissonSamplerTest, ACoinAtTheThresholdSaysNo) {
  const std::vector<random::UnitId> units = NumberedUnits(60'000);
  ASSERT_OK_AND_ASSIGN(random::UnitCoins coins, random::UnitCoins::Create(Key()));
  std::vector<uint64_t> tossed(units.size());
  ASSERT_OK(coins.Toss(units, absl::MakeSpan(tossed)));
  int tried = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double rate = std::ldexp(static_cast<double>(tossed[i]), -64);
    if (tossed[i] % 2048 != 0 || rate == 0) continue;
    ASSERT_EQ(CoinThreshold(rate), tossed[i]);
    EXPECT_THAT(Sampled(rate, {&units[i], 1}), IsEmpty()) << i;
    EXPECT_THAT(Sampled(std::nextafter(rate, 1), {&units[i], 1}), ElementsAre(0)) << i;
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

TEST(PoissonSamplerTest, RateOneIsEverybody) {
  EXPECT_THAT(Sampled(1, NumberedUnits(4)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Sampled(1, {}), IsEmpty());
}

TEST(PoissonSamplerTest, TheCoinOfAUnitDoesNotDependOnItsBlock) {
  const std::vector<random::UnitId> units = NumberedUnits(700);
  const std::vector<std::size_t> whole = Sampled(0.3, units);
  std::vector<std::size_t> by_blocks;
  for (std::size_t start = 0; start < units.size(); start += 37) {
    for (std::size_t position : Sampled(0.3, absl::MakeSpan(units).subspan(start, 37))) {
      by_blocks.push_back(start + position);
    }
  }
  EXPECT_EQ(by_blocks, whole);
}

TEST(PoissonSamplerTest, ALowerRateSamplesASubset) {
  // One coin a unit: what 0.1 lets in, 0.2 lets in as well.
  const std::vector<random::UnitId> units = NumberedUnits(700);
  const std::vector<std::size_t> few = Sampled(0.1, units);
  const std::vector<std::size_t> more = Sampled(0.2, units);
  EXPECT_LT(few.size(), more.size());
  EXPECT_THAT(more, ::testing::IsSupersetOf(few));
}

TEST(PoissonSamplerTest, RefusesARateOutsideItsRange) {
  for (const double rate :
       {0.0, -0.5, std::nextafter(1.0, 2), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(PoissonSampler::Create(Key(), rate), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace poisson_sampler_test
}  // namespace topicwall::mechanism
