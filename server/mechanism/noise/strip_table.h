// A staircase over the curve f(z) = e^(-z²/2), z >= 0, cut into cells of one size: what the
// sampler of rounded_gaussian.h draws its points from.
//
//   const StripTable& table = StripTable::Production();
//   uint64_t cell = …uniform below table.num_cells()…;
//   if (cell < table.num_inside()) …  // all of it is below the curve: strip table.inside(cell)
//
// Strip i is w·[i, i + 1), w = 2^-strip_bits; its cells are w wide and c = 2^-cell_bits high,
// cell j being c·[j, j + 1). In the order of their numbers, the cells are
//   - inside: those that end below the curve, (j + 1)c <= f((i + 1)w);
//   - boundary: all others that do not begin above it. jc >= f(iw) is left out;
//   - one tail cell of the same area, for all z >= z_0 = num_strips·w: block k = 0, 1, … of it
//     is z_0 + [k, k + 1) wide and h_0·2^-k high, h_0 = wc/2. Their areas add up to wc.
// Claim: every point under the curve is in exactly one cell. Within the strips, what is left out
// is above the curve, which falls. In block k, f(z) <= f(z_0)·e^(-z_0 k) <= h_0·2^-k, because
// num_strips is the least number with f(z_0) <= h_0, and z_0 > ln 2. □
//
// f(iw) is known as an integer interval of 2^-63 (normal_curve.h), and every comparison above is
// made with the end of it that keeps the claim; the price is a cell more in the boundary.
//
// Privacy: a PUBLIC constant. Threads: any. Cost: made once in some milliseconds, 43 KiB.
#ifndef TOPICWALL_SERVER_MECHANISM_NOISE_STRIP_TABLE_H_
#define TOPICWALL_SERVER_MECHANISM_NOISE_STRIP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "server/mechanism/noise/normal_curve.h"

namespace topicwall::mechanism {

class StripTable {
 public:
  // What the noise is drawn with: w = 1/64, c = 1/256, 292 strips. One draw in 40 falls into the
  // boundary.
  static const StripTable& Production();

  // Coarser ones, for tests that want to meet boundary and tail. strip_bits in [3, 8],
  // cell_bits in [1, 10].
  struct Params {
    int strip_bits;
    int cell_bits;
  };
  explicit StripTable(const Params& params);

  uint64_t num_cells() const { return inside_.size() + boundary_.size() + 1; }
  uint64_t num_inside() const { return inside_.size(); }
  uint64_t tail() const { return num_cells() - 1; }  // the number of the tail cell

  uint64_t inside(uint64_t cell) const { return inside_[cell]; }  // its strip
  struct Cell {
    uint16_t strip;  // i
    uint16_t level;  // j
  };
  Cell boundary(uint64_t cell) const { return boundary_[cell - inside_.size()]; }

  int strip_bits() const { return params_.strip_bits; }
  int cell_bits() const { return params_.cell_bits; }
  uint64_t num_strips() const { return curve_.size() - 1; }

  // Which side of the curve the point (w·(i + x), c·(j + y)) is on, of which the first digits of
  // x and y in [0, 1) are known, at most 96 and 64 of them: in 64 bits, so kUnknown for one
  // point in 2^50 although all digits that fit are known. Ask SideOf about those.
  CurveSide SideInCell(Cell cell, absl::uint128 x_digits, int num_x_digits, uint64_t y_digits,
                       int num_y_digits) const;

  // low <= 2^63·f(iw) <= high.
  struct Bounds {
    uint64_t low;
    uint64_t high;
  };
  Bounds curve(std::size_t i) const { return curve_[i]; }

 private:
  Params params_;
  std::vector<Bounds> curve_;     // of f(iw), i = 0 … num_strips
  std::vector<uint16_t> inside_;  // strips
  std::vector<Cell> boundary_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_NOISE_STRIP_TABLE_H_
