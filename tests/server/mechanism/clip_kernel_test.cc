#include "server/mechanism/clip_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace topicwall::mechanism {
namespace clip_kernel_test {

__extension__ using Wide = unsigned __int128;

constexpr double kLimit = 0x1p37;
constexpr double kNarrowLimit = 0x1p31;  // up to which squares are multiplied whole
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Every kernel that this processor has.
class ClipKernelTest : public ::testing::TestWithParam<ClipKernel> {
 protected:
  const RunKernel<float>& plain() const { return GetParam().plain; }
  const RunKernel<double>& weighted() const { return GetParam().weighted; }

  template <typename Real>
  static RoundedRun Round(const RunKernel<Real>& kernel, const std::vector<Real>& x, double scale,
                          double limit, std::vector<uint64_t>* q) {
    q->assign(x.size(), 77);
    return kernel.truncate(x.data(), x.size(), scale, limit, q->data());
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, ClipKernelTest, ::testing::ValuesIn(SupportedClipKernels()),
                         [](const auto& test) { return std::string(test.param.name); });

absl::uint128 FromWide(Wide wide) {
  return absl::MakeUint128(static_cast<uint64_t>(wide >> 64), static_cast<uint64_t>(wide));
}

TEST_P(ClipKernelTest, TruncatesAndAddsSquaresForEveryLengthOfTail) {
  for (const auto& [limit, scale] : {std::pair(kLimit, 1e7), std::pair(kNarrowLimit, 2.5e5)}) {
    for (std::size_t size = 0; size <= 75; ++size) {
      std::vector<float> x(size);
      std::vector<double> y(size);
      Wide squares = 0;
      std::vector<uint64_t> expected(size);
      for (std::size_t i = 0; i < size; ++i) {
        x[i] = 1.37F * static_cast<float>(i * i) + 0.99F;
        y[i] = static_cast<double>(x[i]);
        expected[i] = static_cast<uint64_t>(std::floor(y[i] * scale));
        squares += Wide{expected[i]} * expected[i];
      }
      std::vector<uint64_t> q;
      RoundedRun run = Round(plain(), x, scale, limit, &q);
      EXPECT_TRUE(run.in_range);
      EXPECT_EQ(q, expected);
      EXPECT_EQ(run.sum_of_squares, FromWide(squares)) << size;
      run = Round(weighted(), y, scale, limit, &q);
      EXPECT_TRUE(run.in_range);
      EXPECT_EQ(q, expected);
      EXPECT_EQ(run.sum_of_squares, FromWide(squares)) << size;
    }
  }
}

TEST_P(ClipKernelTest, OneBadEntryAtAnyPlaceIsOutOfRange) {
  std::vector<uint64_t> q;
  for (const double limit : {kLimit, kNarrowLimit, 0x1p11}) {
    for (const float bad :
         {kNaN, -kNaN, kInfinity, -kInfinity, 3e38F, -3e38F, static_cast<float>(limit),
          static_cast<float>(-limit), 0x1p37F, -0x1p37F}) {
      for (const std::size_t size : {1U, 3U, 4U, 8U, 13U, 16U, 40U}) {
        for (std::size_t place = 0; place < size; ++place) {
          std::vector<float> x(size, 1);
          x[place] = bad;
          EXPECT_FALSE(Round(plain(), x, 1, limit, &q).in_range) << bad << " at " << place;
          const std::vector<double> y(x.begin(), x.end());
          EXPECT_FALSE(Round(weighted(), y, 1, limit, &q).in_range) << bad << " at " << place;
        }
      }
    }
  }
}

// 64-bit NaNs whose last 52 bits look like a small integer, and numbers that need the
// integer check because the limit that was asked for is too high.
TEST_P(ClipKernelTest, TheIntegerCheckStandsAlone) {
  std::vector<uint64_t> q;
  for (std::size_t place = 0; place < 9; ++place) {
    std::vector<double> y(9, 1);
    y[place] = 0x1p37;
    EXPECT_FALSE(Round(weighted(), y, 1, 0x1p60, &q).in_range) << place;
    y[place] = std::nextafter(0x1p37, 0.0);
    EXPECT_TRUE(Round(weighted(), y, 1, 0x1p60, &q).in_range) << place;
    y[place] = 0x1p51;
    EXPECT_FALSE(Round(weighted(), y, 1, 0x1p60, &q).in_range) << place;
    y[place] = -0x1p37;
    EXPECT_FALSE(Round(weighted(), y, 1, 0x1p60, &q).in_range) << place;
    y[place] = std::nextafter(-0x1p37, 0.0);
    EXPECT_TRUE(Round(weighted(), y, 1, 0x1p60, &q).in_range) << place;
  }
}

TEST_P(ClipKernelTest, TheEndsOfTheRangeAreWhereTheyAreSaidToBe) {
  std::vector<uint64_t> q;
  const std::vector<double> last = {std::nextafter(kLimit, 0.0), 0, -0.0, 0.999999999999, 1};
  const RoundedRun run = Round(weighted(), last, 1, kLimit, &q);
  EXPECT_TRUE(run.in_range);
  EXPECT_EQ(q, (std::vector<uint64_t>{(uint64_t{1} << 37) - 1, 0, 0, 0, 1}));
  EXPECT_FALSE(Round<double>(weighted(), {kLimit}, 1, kLimit, &q).in_range);
  EXPECT_FALSE(Round<double>(weighted(), {-kLimit}, 1, kLimit, &q).in_range);
  EXPECT_FALSE(Round<double>(weighted(), {1, 1, 1, 1, kLimit}, 1, kLimit, &q).in_range);
}

TEST_P(ClipKernelTest, TheEndsOfTheNarrowRangeAreWhereTheyAreSaidToBe) {
  std::vector<uint64_t> q;
  for (const double limit : {kNarrowLimit, kNarrowLimit - 2, 0x1p29 + 6, 0x1p11}) {
    std::vector<double> last(8, std::nextafter(limit, 0.0));
    last[1] = -0.0;
    last[2] = 0.999999999999;
    const auto largest = static_cast<uint64_t>(limit) - 1;
    const RoundedRun run = Round(weighted(), last, 1, limit, &q);
    EXPECT_TRUE(run.in_range) << limit;
    EXPECT_EQ(q,
              (std::vector<uint64_t>{largest, 0, 0, largest, largest, largest, largest, largest}));
    EXPECT_EQ(run.sum_of_squares, FromWide(Wide{largest} * largest * 6));
    for (std::size_t place = 0; place < 8; ++place) {
      for (const double bad : {limit, limit + 0.5, 0x1p32, 0x1p32 + 5, 0x1p63, 1e300, -limit,
                               -limit - 0.5, -0x1p32, -0x1p32 - 5, -0x1p63, -1e300}) {
        std::vector<double> x(8, 1);
        x[place] = bad;
        EXPECT_FALSE(Round(weighted(), x, 1, limit, &q).in_range) << limit << " " << bad;
      }
    }
  }
}

// More entries than are added up in 64 bits at a time, all as large as they may be.
TEST_P(ClipKernelTest, LongRunsOfTheLargestEntriesDoNotWrap) {
  const std::size_t size = 3 * kSquaresPerDrain + 5;
  for (const double limit : {kLimit, kNarrowLimit}) {
    const double largest = std::nextafter(limit, 0.0);
    std::vector<uint64_t> q;
    const RoundedRun run = Round(weighted(), std::vector<double>(size, largest), 1, limit, &q);
    EXPECT_TRUE(run.in_range);
    const uint64_t value = static_cast<uint64_t>(limit) - 1;
    EXPECT_EQ(q, std::vector<uint64_t>(size, value));
    EXPECT_EQ(run.sum_of_squares, FromWide(Wide{value} * value * size));
    // The last entry of all counts as well.
    std::vector<double> bad(size, largest);
    bad.back() = limit;
    EXPECT_FALSE(Round(weighted(), bad, 1, limit, &q).in_range);
  }
}

// The halves of q are multiplied apart: every bit alone, and every pair of bits.
TEST_P(ClipKernelTest, SquaresOfEveryPairOfBitsAreExact) {
  std::vector<uint64_t> q;
  for (int high = 0; high < 37; ++high) {
    for (int low = 0; low <= high; ++low) {
      const uint64_t value = (uint64_t{1} << high) | (uint64_t{1} << low);
      const std::vector<double> values(45, static_cast<double>(value));
      for (const double limit : {kLimit, high < 31 ? kNarrowLimit : kLimit}) {
        const RoundedRun run = Round(weighted(), values, 1, limit, &q);
        EXPECT_TRUE(run.in_range);
        EXPECT_EQ(run.sum_of_squares, FromWide(Wide{value} * value * 45)) << high << ' ' << low;
      }
    }
  }
}

TEST_P(ClipKernelTest, SumOfSquaresHasTheBitsOfThePortableKernel) {
  const ClipKernel& portable = SupportedClipKernels().back();
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<float> x(size);
    std::vector<double> y(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = std::ldexp(1.0F + 0.37F * static_cast<float>(i % 11), static_cast<int>(i % 60) - 30);
      y[i] = 1.1 * static_cast<double>(x[i]);
    }
    const double sum = plain().sum_of_squares(x.data(), size);
    EXPECT_EQ(sum, portable.plain.sum_of_squares(x.data(), size));
    EXPECT_EQ(weighted().sum_of_squares(y.data(), size),
              portable.weighted.sum_of_squares(y.data(), size));
    long double reference = 0;
    for (const float value : x) reference += static_cast<long double>(value) * value;
    EXPECT_NEAR(sum, static_cast<double>(reference), 1e-14 * static_cast<double>(reference));
  }
}

TEST(ClipKernelsTest, ThePortableOneIsAlwaysThere) {
  EXPECT_STREQ(SupportedClipKernels().back().name, "portable");
}

}  // namespace clip_kernel_test
}  // namespace topicwall::mechanism
