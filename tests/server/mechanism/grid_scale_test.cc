#include "server/mechanism/grid_scale.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "server/random/keystream.h"
#include "server/random/secret_key.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

// M·σ <= 2^30 in integers, with σ = mantissa·2^-58·(a power of two): σ·2^58 is an integer
// below 2^79 for every σ in range, so the product stays below 2^128.
__extension__ using Wide = unsigned __int128;
Wide TimesTwoToThe58(double noise_multiplier) {
  int exponent = 0;
  const double fraction = std::frexp(noise_multiplier, &exponent);
  return static_cast<Wide>(std::ldexp(fraction, 53)) << (exponent - 53 + 58);
}
bool Fits(uint64_t bound, double noise_multiplier) {
  return bound * TimesTwoToThe58(noise_multiplier) <= Wide{1} << 88;
}

std::vector<double> NoiseMultipliers() {
  std::vector<double> values = {0x1p-6,
                                0x1p20,
                                1,
                                1.24,
                                1.5,
                                2,
                                3,
                                6.3,
                                200,
                                1e6,
                                0.1,
                                0.016,
                                std::nextafter(1.0, 0),
                                std::nextafter(1.0, 2)};
  absl::StatusOr<random::Keystream> stream =
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{1}), 0);
  EXPECT_OK(stream);
  for (int i = 0; i < 10'000; ++i) {
    const double exponent = static_cast<double>(stream->NextBelow(26)) - 6;
    values.push_back(std::ldexp(1 + std::ldexp(static_cast<double>(stream->NextBits(52)), -52),
                                static_cast<int>(exponent)));
  }
  return values;
}

TEST(GridScaleTest, TheBoundIsTheLargestThatThePaidNoiseCovers) {
  for (const double sigma : NoiseMultipliers()) {
    if (sigma > 0x1p20) continue;
    const uint64_t bound = IntegerSensitivity(sigma);
    EXPECT_TRUE(Fits(bound, sigma)) << sigma;
    EXPECT_FALSE(Fits(bound + 1, sigma)) << sigma;
  }
}

TEST(GridScaleTest, PowersOfTwoGiveTheirQuotient) {
  EXPECT_EQ(IntegerSensitivity(0x1p-6), uint64_t{1} << 36);
  EXPECT_EQ(IntegerSensitivity(1), uint64_t{1} << 30);
  EXPECT_EQ(IntegerSensitivity(0x1p20), uint64_t{1} << 10);
  // The nearest double above 1: one less, although the rounded quotient is 2^30.
  EXPECT_EQ(IntegerSensitivity(std::nextafter(1.0, 2)), (uint64_t{1} << 30) - 1);
}

TEST(GridScaleTest, TheTrueMultiplierExceedsThePaidOneByLittle) {
  for (const double sigma : {1.0, 1.24, 6.3, 50.7, 200.0}) {
    const double excess = NoiseStandardDeviation(/*clip_norm=*/1, sigma) / sigma - 1;
    EXPECT_GE(excess, -1e-15) << sigma;
    EXPECT_LT(excess, sigma / 0x1p30 * 1.001 + 1e-15) << sigma;
  }
}

TEST(GridScaleTest, NoiseInWordsIsTwoToThe30Steps) {
  EXPECT_DOUBLE_EQ(NoiseStandardDeviation(4, 2), 8);
  EXPECT_DOUBLE_EQ(GridStep(4, 2), 4 * 0x1p-29);
}

}  // namespace
}  // namespace topicwall::mechanism
