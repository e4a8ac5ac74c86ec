#include "server/mechanism/held_out_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "tests/server/random/numbered.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace held_out_units_test {

using random::NumberedUnits;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;
using Side = HeldOutUnits::Side;
using Positions = std::vector<std::size_t>;

HeldOutUnits HeldOut(double share, uint8_t key = 5) {
  absl::StatusOr<HeldOutUnits> held_out =
      HeldOutUnits::Create(random::SecretKey(std::array<uint8_t, 32>{key}), share);
  EXPECT_OK(held_out);
  return *std::move(held_out);
}

Positions Everybody(std::size_t count) {
  Positions positions(count);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

Positions KeptOf(const HeldOutUnits& held_out, Side side, absl::Span<const random::UnitId> units) {
  Positions positions = Everybody(units.size());
  EXPECT_OK(held_out.Keep(side, units, &positions));
  return positions;
}

TEST(HeldOutUnitsTest, EveryUnitIsOnExactlyOneSide) {
  const std::vector<random::UnitId> units = NumberedUnits(5000);
  for (const double share : {0x1p-12, 0.1, 0.5, 0.99, 1.0}) {
    const HeldOutUnits held_out = HeldOut(share);
    Positions both = KeptOf(held_out, Side::kTraining, units);
    const Positions evaluated = KeptOf(held_out, Side::kHeldOut, units);
    both.insert(both.end(), evaluated.begin(), evaluated.end());
    std::sort(both.begin(), both.end());
    EXPECT_EQ(both, Everybody(units.size())) << share;
  }
}

TEST(HeldOutUnitsTest, TheSideOfAUnitDependsOnThatUnitAlone) {
  const std::vector<random::UnitId> units = NumberedUnits(2000);
  const HeldOutUnits held_out = HeldOut(0.3);
  const Positions together = KeptOf(held_out, Side::kHeldOut, units);
  const std::set<std::size_t> expected(together.begin(), together.end());
  for (std::size_t i = 0; i < units.size(); ++i) {
    EXPECT_EQ(KeptOf(held_out, Side::kHeldOut, {&units[i], 1}).size(), expected.count(i)) << i;
  }
}

// n = 200,000 units: a deviation beyond 6.2 standard deviations has probability below 6e-10
// (normal; the binomial's tail is within 10 % of it here), 3e-9 for all five shares. A share wrong
// by 0.007 of itself at 0.5 would be seen.
TEST(HeldOutUnitsTest, TheShareIsTheOneAsked) {
  const double n = 200'000;
  const std::vector<random::UnitId> units = NumberedUnits(200'000);
  for (const double share : {0.05, 0.1, 0.2, 0.5, 0.9}) {
    const double count = static_cast<double>(KeptOf(HeldOut(share), Side::kHeldOut, units).size());
    EXPECT_LE(std::fabs(count - n * share), 6.2 * std::sqrt(n * share * (1 - share))) << share;
  }
}

TEST(HeldOutUnitsTest, WhoIsHeldOutAtASmallShareIsHeldOutAtALargerOne) {
  const std::vector<random::UnitId> units = NumberedUnits(5000);
  Positions smaller = KeptOf(HeldOut(0.05), Side::kHeldOut, units);
  for (const double share : {0.1, 0.4, 1.0}) {
    const Positions larger = KeptOf(HeldOut(share), Side::kHeldOut, units);
    EXPECT_TRUE(std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end()))
        << share;
    EXPECT_GT(larger.size(), smaller.size());
    smaller = larger;
  }
}

// 5000 fair coins agree by chance with probability 2^-5000.
TEST(HeldOutUnitsTest, AnotherKeyHoldsOthersOut) {
  const std::vector<random::UnitId> units = NumberedUnits(5000);
  EXPECT_EQ(KeptOf(HeldOut(0.5), Side::kHeldOut, units),
            KeptOf(HeldOut(0.5), Side::kHeldOut, units));
  EXPECT_NE(KeptOf(HeldOut(0.5), Side::kHeldOut, units),
            KeptOf(HeldOut(0.5, /*key=*/6), Side::kHeldOut, units));
}

TEST(HeldOutUnitsTest, OnlyWhatWasThereBeforeIsKept) {
  const std::vector<random::UnitId> units = NumberedUnits(10);
  Positions positions = {2, 7};
  ASSERT_OK(HeldOut(1).Keep(Side::kHeldOut, units, &positions));
  EXPECT_THAT(positions, ElementsAre(2, 7));
  ASSERT_OK(HeldOut(1).Keep(Side::kTraining, units, &positions));
  EXPECT_THAT(positions, IsEmpty());
}

TEST(HeldOutUnitsTest, RefusesAShareOutsideItsRange) {
  for (const double share : {0.0, -0.1, 1.0000001, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(HeldOutUnits::Create(random::SecretKey(std::array<uint8_t, 32>{}), share),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << share;
  }
}

}  // namespace held_out_units_test
}  // namespace topicwall::mechanism
