#include "server/mechanism/noise/strip_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/random/keystream.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

std::vector<StripTable> Tables() {
  std::vector<StripTable> tables;
  for (const StripTable::Params& params :
       {StripTable::Params{6, 8}, {3, 1}, {3, 10}, {8, 1}, {8, 10}, {5, 5}}) {
    tables.emplace_back(params);
  }
  return tables;
}

long double Curve(long double z) { return std::exp(-z * z / 2); }

TEST(StripTableTest, BoundsEncloseTheCurveWithinAFewUnits) {
  for (const StripTable& table : Tables()) {
    for (std::size_t i = 0; i <= table.num_strips(); ++i) {
      const long double value =
          std::ldexp(Curve(std::ldexp(static_cast<long double>(i), -table.strip_bits())), 63);
      // x87's exponential is good to 2^-63 of its value or so.
      EXPECT_LE(static_cast<long double>(table.curve(i).low), value + 2) << i;
      EXPECT_GE(static_cast<long double>(table.curve(i).high), value - 2) << i;
      EXPECT_LE(table.curve(i).high - table.curve(i).low, 40U) << i;
    }
  }
}

TEST(StripTableTest, TheTailBeginsWhereItsStaircaseIsAboveTheCurve) {
  for (const StripTable& table : Tables()) {
    const long double start =
        std::ldexp(static_cast<long double>(table.num_strips()), -table.strip_bits());
    const long double height = std::ldexp(1.0L, -(table.strip_bits() + table.cell_bits() + 1));
    for (int block = 0; block < 60; ++block) {
      EXPECT_LE(Curve(start + block), std::ldexp(height, -block)) << block;
    }
    EXPECT_GT(Curve(start - std::ldexp(1.0L, -table.strip_bits())), height)
        << "no later than need be";
  }
}

// Every cell of every strip, by long double: below, crossing or above the curve.
TEST(StripTableTest, CellsAreInsideBoundaryOrLeftOutAsTheCurveSays) {
  for (const StripTable& table : Tables()) {
    std::vector<std::vector<int>> met(table.num_strips(), std::vector<int>(1024));
    for (uint64_t cell = 0; cell < table.num_inside(); ++cell) {
      const std::size_t strip = table.inside(cell);
      ASSERT_LT(strip, table.num_strips());
      const auto level = std::find(met[strip].begin(), met[strip].end(), 0);
      *level = 1;  // the lowest not met yet
    }
    for (uint64_t cell = table.num_inside(); cell < table.tail(); ++cell) {
      met[table.boundary(cell).strip][table.boundary(cell).level] += 2;
    }
    const long double height = std::ldexp(1.0L, -table.cell_bits());
    for (std::size_t i = 0; i < met.size(); ++i) {
      const long double from = Curve(std::ldexp(static_cast<long double>(i), -table.strip_bits()));
      const long double to =
          Curve(std::ldexp(static_cast<long double>(i + 1), -table.strip_bits()));
      for (std::size_t j = 0; j < met[i].size(); ++j) {
        const long double bottom = static_cast<long double>(j) * height;
        const int expected = bottom + height <= to ? 1 : bottom < from ? 2 : 0;
        ASSERT_EQ(met[i][j], expected) << i << ' ' << j;
      }
    }
  }
}

TEST(StripTableTest, ProductionHasTheSizeThatItsHeaderSays) {
  const StripTable& table = StripTable::Production();
  EXPECT_EQ(table.strip_bits(), 6);
  EXPECT_EQ(table.cell_bits(), 8);
  EXPECT_EQ(table.num_strips(), 292U);
  EXPECT_LT(static_cast<double>(table.num_cells() - table.num_inside()),
            static_cast<double>(table.num_cells()) / 37);
}

// The decision in 64 bits against the one in integers of any size, for points with few digits
// and with many, wherever in the boundary.
TEST(StripTableTest, WhatIsDecidedInACellIsWhatManyDigitsDecide) {
  ASSERT_OK_AND_ASSIGN(random::Keystream bits,
                       random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{7}), 0));
  for (const StripTable& table : Tables()) {
    int decided = 0;
    for (int round = 0; round < 300; ++round) {
      const StripTable::Cell cell =
          table.boundary(table.num_inside() + bits.NextBelow(table.tail() - table.num_inside()));
      const int num_digits = 31 - table.strip_bits();
      const int more = 1 + static_cast<int>(bits.NextBelow(64));
      const uint64_t first = bits.NextBits(num_digits);
      const uint64_t x = bits.NextBits(more);
      const uint64_t y = bits.NextBits(more);
      const CurveSide side =
          table.SideInCell(cell, (absl::uint128(first) << more) | x, num_digits + more, y, more);
      DyadicInterval z = {.low = Natural((uint64_t{cell.strip} << num_digits) | first), .bits = 31};
      DyadicInterval height = {.low = Natural(cell.level), .bits = table.cell_bits()};
      z.Extend(more, x);
      height.Extend(more, y);
      const CurveSide exact = SideOf(z, height);
      if (side != CurveSide::kUnknown) {
        ++decided;
        EXPECT_EQ(side, exact);
      } else if (more < 40) {
        // With so few digits the integers of 2^-63 are wide enough, but for a rare near miss.
        EXPECT_EQ(exact, CurveSide::kUnknown);
      }
    }
    EXPECT_GT(decided, 100);
  }
}

// Points next to the curve: 2^-63 of height is all that may stay undecided.
TEST(StripTableTest, ACellIsUndecidedOnlyCloseToTheCurve) {
  const StripTable& table = StripTable::Production();
  for (uint64_t number = table.num_inside(); number < table.tail(); ++number) {
    const StripTable::Cell cell = table.boundary(number);
    // x = 1/2, y by bisection until it is undecided.
    const absl::uint128 x = absl::uint128(1) << 88;
    uint64_t low = 0;
    uint64_t high = ~uint64_t{0};
    if (table.SideInCell(cell, x, 89, low, 64) != CurveSide::kBelow ||
        table.SideInCell(cell, x, 89, high, 64) != CurveSide::kAbove) {
      continue;  // the curve does not cross this cell at x = 1/2
    }
    uint64_t middle = 0;
    for (;;) {
      middle = low + (high - low) / 2;
      ASSERT_NE(middle, low) << "undecided before the digits are used up";
      const CurveSide side = table.SideInCell(cell, x, 89, middle, 64);
      if (side == CurveSide::kUnknown) break;
      (side == CurveSide::kBelow ? low : high) = middle;
    }
    const uint64_t far = uint64_t{1} << 15;  // 2^-57 of the height
    EXPECT_EQ(table.SideInCell(cell, x, 89, middle - far, 64), CurveSide::kBelow);
    EXPECT_EQ(table.SideInCell(cell, x, 89, middle + far, 64), CurveSide::kAbove);
  }
}

}  // namespace
}  // namespace topicwall::mechanism
