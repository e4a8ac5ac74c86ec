// Directions of a release's rows, along which it is told less exactly. What units have in common
// there needs no room under the clip.
//
//   TW_ASSIGN_OR_RETURN(RowDirections directions,
//                       RowDirections::Create({.shape = shape, .weights = w, .noise_multiplier = σ,
//                                              .direction_noise = r}, floats));
//
// In each row r of the weighted statistic a direction, A_r: integers, |A_r| <= R = min(M/256, 2^15
// - 1). An integer vector q of a unit is allowed if for some integers m_r
//
//   Σ_r ( |q_r − m_r A_r|² + τ² m_r² ) <= M²                                               (*)
//
// instead of Σ q² <= M²; row r of the release gets round(N(0, 2^60))·A_r/τ besides the noise of
// every entry, one draw a row. τ = R/r rounded, so that this is r times as large (where R is some
// hundreds or more: σ up to 2^13, say; beyond, rounding to integers tells in A and τ).
//
// Claim: the release is a function of the Gaussian mechanism with sensitivity at most M and
// standard deviation 2^30, like any other. Proof: let z = Σ (q − m A) and g_r = τ Σ m_r, sums over
// the units that take part. By (*) a unit moves the integer vector (z, g) by at most M. With noise
// it is (z + round(N), g + round(N')) = round((z, g) + (N, N')). And
//
//   τ·(z + round(N)) + A·(g + round(N')) = τ·(Σ q + round(N)) + A·round(N'),
//
// in which no m is left: that integer is what noise_mechanism.cc computes, exactly, and all that
// leaves. □ So nothing but (*) has to be shown of a unit, and nothing but Σ q to be added. Which
// A, how long they are and whether units are like them is of no matter to it; they are functions of
// the request alone, whose digest the noise derives from.
//
// The best m_r is q·A_r/(|A_r|² + τ²), rounded: (*) then holds, but for the rounding of m_r, if
// Σ q² − Σ_r (q·A_r)²/(|A_r|² + τ²) <= M². A direction of length 0 changes nothing in its row.
//
// Rounding entries of a unit toward zero changes them by less than 1 each, and the root of the left
// side, which is a norm but for the rounding of m, by less than the root of their number. Those
// with A = 0 only get shorter, and a row has at most R² others.
//
// Bounds: from (*) |q| <= B = M + ⌈M·R/τ⌉ (LongestUnit).
// PUBLIC. Threads: immutable. Cost of Create: some passes over D.
#ifndef TOPICWALL_SERVER_MECHANISM_ROW_DIRECTIONS_H_
#define TOPICWALL_SERVER_MECHANISM_ROW_DIRECTIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/sha256.h"
#include "model/sparse_statistic.h"

namespace topicwall::mechanism {

// B: how long an integer vector can be that fulfils (*); M for r = 0. Precondition: σ and r are
// valid (mechanism_limits.h). At most 2^36, and 2^35 unless r is 0.
uint64_t LongestUnit(double noise_multiplier, double direction_noise);

class RowDirections {
 public:
  struct Params {
    model::StatisticShape shape;
    absl::Span<const float> weights;  // w of the columns, or empty = all 1
    double noise_multiplier;          // σ
    double direction_noise;           // r > 0
  };

  // None.
  RowDirections();
  // Room for those of a shape, written all over, so that Create with it takes no memory.
  static RowDirections Room(const model::StatisticShape& shape);
  static int64_t BytesOfRoom(const model::StatisticShape& shape);

  // `directions`: D floats, entry column·rows + row, not yet weighted; of each row the length does
  // not count. One that has none (all 0, or numbers that are none) is of length 0 here. Subnormal
  // numbers count as 0, as they do on some processors' settings. INVALID_ARGUMENT for another
  // number of floats, or parameters outside mechanism_limits.h.
  static absl::StatusOr<RowDirections> Create(const Params& params,
                                              absl::Span<const float> directions,
                                              RowDirections room = RowDirections());

  bool empty() const { return entries_.empty(); }
  std::size_t num_rows() const { return squares_.size(); }
  // A of all rows in that column, and a 0 behind them.
  const int16_t* column(std::size_t column) const {
    return entries_.data() + column * (num_rows() + 1);
  }
  int64_t longest() const { return longest_; }  // R
  int64_t scale() const { return scale_; }      // τ
  // |A_r|² + τ².
  int64_t squares(std::size_t row) const { return squares_[row]; }

  // (τ·noised + A·along)/τ, of which the dividend is exact: below 2^19·2^63 + 2^15·2^63.
  double WithNoise(int64_t noised, std::size_t column, std::size_t row, int64_t along) const;

  // SHA-256 of all the A and τ; zeros if there are none.
  base::Digest Digest() const;

 private:
  void ScaleRows(const Params& params, absl::Span<const float> directions);
  void DropTooLong();

  std::vector<int16_t> entries_;
  std::vector<int64_t> squares_;
  std::vector<double> scales_;  // scratch of Create
  int64_t longest_ = 0;
  int64_t scale_ = 1;
};

// A at the entries of one unit. Sums are added up for each row by itself, column by column, so that
// those in double have the same bits on every processor. One thread's, reused.
class UnitDirections {
 public:
  // Takes and touches all that units of up to so many columns and rows need.
  void Reserve(std::size_t columns, std::size_t rows);
  static std::size_t BytesReserved(std::size_t columns, std::size_t rows);

  // Precondition: the unit has the shape.
  void Gather(const RowDirections& directions, const model::SparseStatistic& unit);
  // Of each row Σ x A, of columns × rows numbers x as they lie in the unit. The integers, in two's
  // complement, must be such that no sum on the way leaves 64 bits.
  absl::Span<const double> Along(const float* x);
  absl::Span<const double> Along(const double* x);
  absl::Span<const int64_t> Along(const uint64_t* q);

 private:
  // Rows are taken four at a time, the last ones with zeros.
  static std::size_t Padded(std::size_t rows) { return (rows + 3) / 4 * 4; }

  template <typename Product, typename Number>
  void AddUp(const Number* x, std::vector<Product>* sums) const;

  std::size_t num_columns_ = 0;
  std::size_t num_rows_ = 0;
  std::vector<uint32_t> rows_;
  std::vector<int32_t> entries_;  // columns × padded rows
  std::vector<double> sums_;
  std::vector<int64_t> integer_sums_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_ROW_DIRECTIONS_H_
