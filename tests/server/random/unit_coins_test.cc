#include "server/random/unit_coins.h"

#include <array>
#include <limits>
#include <thread>
#include <vector>

#include "tests/server/random/numbered.h"
#include "tests/support/status_matchers.h"

namespace topicwall::random {
namespace unit_coins_test {

using ::testing::Each;
using ::topicwall::testing::StatusIs;

std::vector<uint64_t> CoinsOf(const UnitCoins& coins, absl::Span<const UnitId> units) {
  std::vector<uint64_t> bits(units.size());
  EXPECT_OK(coins.Toss(units, absl::MakeSpan(bits)));
  return bits;
}

// FIPS 197, appendix C.3.
TEST(UnitCoinsTest, IsAes256OfTheId) {
  ASSERT_OK_AND_ASSIGN(UnitCoins coins, UnitCoins::Create(CountingKey()));
  const UnitId id = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
  // 8ea2b7ca516745bf…, read as little-endian.
  EXPECT_EQ(CoinsOf(coins, {&id, 1})[0], 0xbf456751cab7a28eU);
}

TEST(UnitCoinsTest, ACoinDoesNotDependOnNeighboursOrOrder) {
  ASSERT_OK_AND_ASSIGN(UnitCoins coins, UnitCoins::Create(CountingKey()));
  const std::vector<UnitId> units = NumberedUnits(300);
  const std::vector<uint64_t> together = CoinsOf(coins, units);
  for (std::size_t i = 0; i < units.size(); ++i) {
    EXPECT_EQ(CoinsOf(coins, {&units[i], 1})[0], together[i]);
  }
  const std::vector<UnitId> reversed(units.rbegin(), units.rend());
  const std::vector<uint64_t> backwards = CoinsOf(coins, reversed);
  EXPECT_EQ(std::vector<uint64_t>(backwards.rbegin(), backwards.rend()), together);
}

TEST(UnitCoinsTest, AnotherKeyTossesOtherCoins) {
  absl::StatusOr<UnitCoins> coins = UnitCoins::Create(CountingKey());
  absl::StatusOr<UnitCoins> others = UnitCoins::Create(SecretKey(std::array<uint8_t, 32>{}));
  ASSERT_OK(coins);
  ASSERT_OK(others);
  const std::vector<UnitId> units = NumberedUnits(10);
  EXPECT_NE(CoinsOf(*coins, units), CoinsOf(*others, units));
}

TEST(UnitCoinsTest, ManyThreadsTossTheSameCoins) {
  absl::StatusOr<UnitCoins> coins = UnitCoins::Create(CountingKey());
  ASSERT_OK(coins);
  const std::vector<UnitId> units = NumberedUnits(500);
  const std::vector<uint64_t> expected = CoinsOf(*coins, units);
  std::array<std::vector<uint64_t>, 4> results;
  std::vector<std::thread> threads;
  for (std::vector<uint64_t>& result : results) {
    threads.emplace_back([&coins, &units, &result] { result = CoinsOf(*coins, units); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, Each(expected));
}

TEST(UnitCoinsTest, NoUnitGivesNoCoin) {
  ASSERT_OK_AND_ASSIGN(UnitCoins coins, UnitCoins::Create(CountingKey()));
  EXPECT_OK(coins.Toss({}, absl::Span<uint64_t>()));
}

TEST(UnitCoinsTest, AfterAnErrorNoCoinSaysYes) {
  ASSERT_OK_AND_ASSIGN(UnitCoins coins, UnitCoins::Create(CountingKey()));
  std::vector<uint64_t> bits(3, 0);
  EXPECT_THAT(coins.Toss(NumberedUnits(2), absl::MakeSpan(bits)),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(bits, Each(std::numeric_limits<uint64_t>::max()));
}

}  // namespace unit_coins_test
}  // namespace topicwall::random
