// The clip's claim for numbers of either sign, against arithmetic that rounds nowhere: whatever the
// statistic, Σ q² <= M² in integers, and no entry is longer on the grid than it was before.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "server/mechanism/grid_scale.h"
#include "server/mechanism/unit_clipper.h"
#include "server/random/keystream.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace signed_clip_test {

__extension__ using Wide = unsigned __int128;

using model::SparseStatistic;

random::Keystream Choices(uint8_t number) {
  absl::StatusOr<random::Keystream> stream =
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{number}), 0);
  EXPECT_OK(stream);
  return *std::move(stream);
}

// Of these values, in one row or in one column.
SparseStatistic Vector(std::vector<float> values) {
  SparseStatistic statistic;
  statistic.columns.resize(values.size());
  std::iota(statistic.columns.begin(), statistic.columns.end(), 0U);
  statistic.rows = {0};
  statistic.values = std::move(values);
  return statistic;
}

UnitClipper Clipper(std::size_t entries, double clip_norm, double sigma, std::vector<float> weights,
                    const ClipKernel& kernel) {
  absl::StatusOr<UnitClipper> clipper =
      UnitClipper::Create({.shape = model::GridOf(1, static_cast<int64_t>(entries)),
                           .clip_norm = clip_norm,
                           .weights = std::move(weights),
                           .noise_multiplier = sigma},
                          kernel);
  EXPECT_OK(clipper);
  return *std::move(clipper);
}

// σ with exactly this M.
double MultiplierOf(uint64_t bound) {
  double sigma = 0x1p30 / static_cast<double>(bound);
  while (IntegerSensitivity(sigma) < bound) sigma = std::nextafter(sigma, 0);
  EXPECT_EQ(IntegerSensitivity(sigma), bound);
  return sigma;
}

uint64_t Magnitude(uint64_t q) {
  const auto value = static_cast<int64_t>(q);
  return value < 0 ? -q : q;
}

Wide SumOfSquares(const std::vector<uint64_t>& values) {
  Wide sum = 0;
  for (const uint64_t q : values) sum += Wide{Magnitude(q)} * Magnitude(q);
  return sum;
}

// Everything that is claimed of one statistic, by every kernel; |x w| must be finite.
void ExpectClipped(const SparseStatistic& statistic, double clip_norm, double sigma,
                   const std::vector<float>& weights) {
  const uint64_t bound = IntegerSensitivity(sigma);
  long double squares = 0;
  std::vector<long double> weighted;
  for (std::size_t i = 0; i < statistic.values.size(); ++i) {
    const long double w = weights.empty() ? 1.0F : weights[i];
    weighted.push_back(statistic.values[i] * w);
    squares += weighted.back() * weighted.back();
  }
  const long double norm = std::max(std::sqrt(squares), static_cast<long double>(clip_norm));
  std::vector<uint64_t> first;
  for (const ClipKernel& kernel : SupportedClipKernels()) {
    const UnitClipper clipper = Clipper(statistic.values.size(), clip_norm, sigma, weights, kernel);
    ClippedUnit clipped;
    ASSERT_TRUE(clipper.Clip(statistic, &clipped)) << kernel.name;
    ASSERT_LE(SumOfSquares(clipped.values), Wide{bound} * bound) << kernel.name;
    for (std::size_t i = 0; i < weighted.size(); ++i) {
      const long double t = weighted[i] / norm * static_cast<long double>(bound);
      const auto q = static_cast<long double>(static_cast<int64_t>(clipped.values[i]));
      ASSERT_LE(std::fabs(q), std::fabs(t) * (1 + 0x1p-50L)) << "toward zero, " << kernel.name;
      ASSERT_GE(std::fabs(q), std::fabs(t) * (1 - 0x1p-39L) - 1) << kernel.name;
      ASSERT_TRUE(q == 0 || std::signbit(q) == std::signbit(t)) << kernel.name;
    }
    if (first.empty()) first = clipped.values;
    ASSERT_EQ(clipped.values, first) << kernel.name;

    // Turning every sign round turns the grid vector round and nothing else.
    SparseStatistic turned = statistic;
    for (float& value : turned.values) value = -value;
    ClippedUnit mirrored;
    ASSERT_TRUE(clipper.Clip(turned, &mirrored)) << kernel.name;
    for (uint64_t& q : mirrored.values) q = -q;
    ASSERT_EQ(mirrored.values, clipped.values) << kernel.name;
    ASSERT_EQ(mirrored.weighted_norm, clipped.weighted_norm) << kernel.name;
  }
}

// Over the whole range of floats, shapes, weights and parameters.
TEST(SignedClipTest, NoUnitOfAnySignsExceedsTheBound) {
  random::Keystream choices = Choices(1);
  for (int round = 0; round < 3000; ++round) {
    const double clip_norm = std::ldexp(1.0, static_cast<int>(choices.NextBelow(51)) - 20);
    const double sigma = std::ldexp(1 + 0x1p-52 * static_cast<double>(choices.NextBits(52)),
                                    static_cast<int>(choices.NextBelow(26)) - 6);
    const auto spread = static_cast<uint64_t>(1 + choices.NextBelow(120));
    std::vector<float> values(1 + choices.NextBelow(70));
    for (float& x : values) {
      const int exponent =
          static_cast<int>(choices.NextBelow(spread)) - static_cast<int>(spread / 2);
      x = std::ldexp(static_cast<float>(choices.NextBits(24)), exponent - 24);
      if (choices.NextBits(1) == 1) x = -x;
    }
    std::vector<float> weights;
    for (std::size_t i = 0; round % 2 == 1 && i < values.size(); ++i) {
      weights.push_back(std::ldexp(1.0F + static_cast<float>(choices.NextBits(10)) / 2048,
                                   static_cast<int>(choices.NextBelow(39)) - 20));
    }
    ExpectClipped(Vector(std::move(values)), clip_norm, sigma, weights);
    if (HasFatalFailure()) return;
  }
}

// Units for which floating point alone lets Σ q² pass M², under every pattern of signs of their
// first entries: M² = n m² − 1 (Pell's equation), so that n equal entries are m − 1/(2nm) each,
// which a double calls m; and ones that a sum in double loses beside a large one.
TEST(SignedClipTest, WhatRoundingBreaksIsRepairedWhateverTheSigns) {
  struct Trap {
    uint64_t bound;
    std::vector<float> values;
  };
  std::vector<Trap> traps;
  for (const auto& [entries, bound] : {std::pair<std::size_t, uint64_t>{2, 318'281'039},
                                       {2, 63'018'038'201},
                                       {10, 243'289'797},
                                       {41, 537'526'432}}) {
    for (const float value : {1.0F, 3.0F, 7.0F}) {
      traps.push_back({bound, std::vector<float>(entries, value)});
    }
  }
  traps.push_back({uint64_t{1} << 36, {0x1p36F, 1}});
  traps.push_back({uint64_t{1} << 36, std::vector<float>(100, 1)});
  traps.back().values[50] = 0x1p36F;
  for (const Trap& trap : traps) {
    const double sigma = MultiplierOf(trap.bound);
    for (uint32_t signs = 0; signs < 16; ++signs) {
      std::vector<float> values = trap.values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if ((signs >> (i % 4) & 1) == 1) values[i] = -values[i];
      }
      ExpectClipped(Vector(std::move(values)), 1, sigma, {});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SignedClipTest, ExtremesOfEitherSignAreClippedLikeOthers) {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  for (const double clip_norm : {0x1p-20, 1.0, 0x1p30}) {
    for (const double sigma : {0x1p-6, 1.0, 0x1p20}) {
      for (const std::vector<float>& values :
           {std::vector<float>{-kMost},
            {-kMost, kMost},
            {-kLeast, kLeast},
            {-0.0F, 0.0F},
            {-kMost, kLeast, -1, kMost, 1e-30F, -1e30F, -0.0F}}) {
        ExpectClipped(Vector(values), clip_norm, sigma, {});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// t·scale on both sides of every integer near 0 and near the ends, of the narrow range and of the
// whole one: the kernel alone, without the integer check that would hide what it does.
void ExpectTruncated(int range_bits) {
  std::vector<double> x;
  std::vector<uint64_t> expected;
  Wide squares = 0;
  for (const int64_t whole : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}, int64_t{1} << 19,
                              (int64_t{1} << range_bits) - 1}) {
    for (const double t : {static_cast<double>(whole), static_cast<double>(whole) + 0.5,
                           std::nextafter(static_cast<double>(whole) + 1, 0.0)}) {
      for (const int64_t sign : {1, -1}) {
        x.push_back(static_cast<double>(sign) * t);
        expected.push_back(static_cast<uint64_t>(sign * whole));
        squares += static_cast<Wide>(whole) * static_cast<Wide>(whole);
      }
    }
  }
  for (const ClipKernel& kernel : SupportedClipKernels()) {
    std::vector<uint64_t> q(x.size());
    const RoundedRun run = kernel.weighted.truncate(x.data(), x.size(), /*scale=*/1,
                                                    std::ldexp(1.0, range_bits), q.data());
    EXPECT_TRUE(run.in_range) << kernel.name;
    EXPECT_EQ(q, expected) << kernel.name;
    EXPECT_EQ(run.sum_of_squares, absl::MakeUint128(static_cast<uint64_t>(squares >> 64),
                                                    static_cast<uint64_t>(squares)))
        << kernel.name;
  }
}

TEST(SignedClipTest, EveryKernelTruncatesTowardZero) {
  for (const int range_bits : {20, 31, 37}) ExpectTruncated(range_bits);
}

}  // namespace signed_clip_test
}  // namespace topicwall::mechanism
