#include "server/audit/statistics/draw_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "server/random/keystream.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace draw_sums_test {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;

constexpr int kUnits = 512;
constexpr int kReleases = 100;
constexpr double kRate = 0.3;
const double kX = std::log(64e9);

class Coins {
 public:
  bool Toss(double rate) { return static_cast<double>(stream_->NextBits(53)) * 0x1p-53 < rate; }
  std::size_t Below(std::size_t n) { return stream_->NextBelow(n); }

 private:
  absl::StatusOr<random::Keystream> stream_ =
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{7}), 0);
};

std::vector<Finding> FindingsOf(
    const std::function<void(int release, Coins&, std::vector<bool>&)>& draw) {
  Coins coins;
  DrawSums sums(kUnits, kRate);
  std::vector<bool> drawn(kUnits);
  for (int i = 0; i < kReleases; ++i) {
    draw(i, coins, drawn);
    sums.Add(drawn);
  }
  return sums.Report(kX);
}

void TossAll(Coins& coins, std::vector<bool>& drawn, double rate = kRate) {
  for (int unit = 0; unit < kUnits; ++unit)
    drawn[static_cast<std::size_t>(unit)] = coins.Toss(rate);
}

const auto kIsViolated = Contains(Field(&Finding::verdict, Verdict::kViolated));

// The coins are the same in every run of the test: no false alarm but a first one.
TEST(DrawSumsTest, IndependentCoinsHold) {
  EXPECT_THAT(
      FindingsOf([](int, Coins& coins, std::vector<bool>& drawn) { TossAll(coins, drawn); }),
      Each(Field(&Finding::verdict, Verdict::kHolds)));
}

TEST(DrawSumsTest, ARateThatIsTooHighIsAViolationAndOneTooLowLostUtility) {
  EXPECT_THAT(
      FindingsOf([](int, Coins& coins, std::vector<bool>& drawn) { TossAll(coins, drawn, 0.33); }),
      kIsViolated);
  EXPECT_EQ(FindingsOf(
                [](int, Coins& coins, std::vector<bool>& drawn) { TossAll(coins, drawn, 0.27); })[0]
                .verdict,
            Verdict::kUtilityLost);
}

TEST(DrawSumsTest, SeeBatchesOfAFixedSize) {
  EXPECT_THAT(FindingsOf([](int, Coins& coins, std::vector<bool>& drawn) {
                drawn.assign(kUnits, false);
                for (int left = 154; left > 0;) {  // 0.3 of 512
                  const std::size_t unit = coins.Below(kUnits);
                  if (drawn[unit]) continue;
                  drawn[unit] = true;
                  --left;
                }
              }),
              kIsViolated);
}

TEST(DrawSumsTest, SeeCoinsSharedByNeighboursAndCoinsKeptForTheNextRelease) {
  EXPECT_THAT(FindingsOf([](int, Coins& coins, std::vector<bool>& drawn) {
                for (std::size_t unit = 0; unit < kUnits; unit += 2) {
                  drawn[unit] = drawn[unit + 1] = coins.Toss(kRate);
                }
              }),
              kIsViolated);
  EXPECT_THAT(FindingsOf([](int release, Coins& coins, std::vector<bool>& drawn) {
                if (release % 2 == 0) TossAll(coins, drawn);
              }),
              kIsViolated);
}

TEST(DrawSumsTest, SeeOneUnitThatAlwaysTakesPart) {
  EXPECT_THAT(FindingsOf([](int, Coins& coins, std::vector<bool>& drawn) {
                TossAll(coins, drawn);
                drawn[17] = true;
              }),
              kIsViolated);
}

}  // namespace draw_sums_test
}  // namespace topicwall::audit
