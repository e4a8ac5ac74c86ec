#include "server/mechanism/grid_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kColumns = 5;

// A grid of 64-bit integers beside the one of halves.
struct TwoGrids {
  explicit TwoGrids(std::size_t num_rows)
      : k(num_rows), low(kColumns * k), high(kColumns * k), plain(kColumns * k) {}

  void Add(const std::vector<uint32_t>& columns, const std::vector<uint32_t>& rows,
           const std::vector<uint64_t>& values) {
    AddRows({.low = low.data(), .high = high.data(), .num_rows = k},
            {.columns = columns, .rows = rows, .values = values.data()});
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t a = 0; a < rows.size(); ++a) {
        plain[columns[i] * k + rows[a]] += values[i * rows.size() + a];
      }
    }
  }

  std::vector<uint64_t> Halves() const {
    std::vector<uint64_t> sums(low.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = (uint64_t{high[i]} << 32) | low[i];
    return sums;
  }

  std::size_t k;
  std::vector<uint32_t> low;
  std::vector<uint32_t> high;
  std::vector<uint64_t> plain;
};

// Catches a loop for one number of rows that leaves one out, and a lost carry: values near 2^37,
// a hundred of them, pass 2^32 at almost every addition.
TEST(GridRowsTest, AddsEveryEntryExactlyForAnyNumberOfRows) {
  for (std::size_t num_rows = 0; num_rows <= 40; ++num_rows) {
    TwoGrids grids(2 * num_rows + 1);
    std::vector<uint32_t> rows;
    for (std::size_t a = 0; a < num_rows; ++a) rows.push_back(static_cast<uint32_t>(2 * a + 1));
    uint64_t value = 0x123456789;
    for (int round = 0; round < 100; ++round) {
      const std::vector<uint32_t> columns = {static_cast<uint32_t>(round % 2), 2, 4};
      std::vector<uint64_t> values;
      for (std::size_t i = 0; i < columns.size() * num_rows; ++i) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        values.push_back(value >> 27);
      }
      grids.Add(columns, rows, values);
    }
    EXPECT_EQ(grids.Halves(), grids.plain) << num_rows << " rows";
  }
}

// Borrows from the upper half, sums below zero and back.
TEST(GridRowsTest, NegativeValuesAreTakenAwayExactly) {
  TwoGrids grids(3);
  uint64_t value = 0x987654321;
  for (int round = 0; round < 1000; ++round) {
    std::vector<uint64_t> values;
    for (int i = 0; i < 6; ++i) {
      value = value * 6364136223846793005u + 1442695040888963407u;
      values.push_back((value & 1) == 0 ? value >> 27 : 0 - (value >> 27));
    }
    grids.Add({1, 3}, {0, 1, 2}, values);
    ASSERT_EQ(grids.Halves(), grids.plain) << round;
  }
  int below_zero = 0;
  for (const uint64_t sum : grids.plain) below_zero += static_cast<int>(sum >> 63);
  EXPECT_GT(below_zero, 0) << "the case is what it says";
}

// Columns are asked for before they are added to: every number of them, to the last of the grid.
TEST(GridRowsTest, AddsAnyNumberOfColumns) {
  constexpr uint32_t kMostColumns = 45;
  constexpr std::size_t kRows = 3;
  for (uint32_t num_columns = 0; num_columns <= kMostColumns; ++num_columns) {
    std::vector<uint32_t> columns;
    for (uint32_t i = 0; i < num_columns; ++i) columns.push_back(kMostColumns - num_columns + i);
    std::vector<uint64_t> values;
    for (std::size_t i = 0; i < num_columns * 2; ++i) values.push_back((i + 1) * 0x17ffffff);
    std::vector<uint32_t> low(kMostColumns * kRows), high(kMostColumns * kRows);
    AddRows({.low = low.data(), .high = high.data(), .num_rows = kRows},
            {.columns = columns, .rows = std::vector<uint32_t>{0, 2}, .values = values.data()});
    for (uint32_t column = 0; column < kMostColumns; ++column) {
      for (std::size_t row = 0; row < kRows; ++row) {
        const std::size_t entry = column * kRows + row;
        const bool is_there = column >= kMostColumns - num_columns && row != 1;
        const uint64_t expected =
            is_there ? values[(column - (kMostColumns - num_columns)) * 2 + row / 2] : 0;
        EXPECT_EQ((uint64_t{high[entry]} << 32) | low[entry], expected) << num_columns;
      }
    }
  }
}

TEST(GridRowsTest, AUnitWithoutColumnsChangesNothing) {
  TwoGrids grids(3);
  grids.Add({}, {1, 2}, {});
  EXPECT_EQ(grids.Halves(), std::vector<uint64_t>(3 * kColumns, 0));
}

}  // namespace
}  // namespace topicwall::mechanism
