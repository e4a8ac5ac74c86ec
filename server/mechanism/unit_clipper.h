// Bounds what one privacy unit can change: scales its statistic to an integer vector whose
// L2 norm is at most M, in integers, with nothing left to rounding.
//
//   absl::StatusOr<UnitClipper> clipper = UnitClipper::Create(
//       {.shape = model->shape(), .clip_norm = 4, .weights = {}, .noise_multiplier = 6.3});
//   ClippedUnit clipped;                       // one per thread, reused
//   if (clipper->Clip(statistic, &clipped)) …  // else the unit contributes nothing
//
// With x the statistic, w_c the weight of column c and norm = ‖x w‖ over the whole unit, for every
// entry i in column c = i mod P:
//
//   t_i = x_i w_c M / max(norm, C),   q_i = t_i rounded toward zero,   M = IntegerSensitivity(σ).
//
// The whole unit is dropped unless |t| < 2M for every entry (NaN and infinite entries fail that),
// its columns are strictly ascending below P, its rows are strictly ascending below D/P and there
// is one entry for each pair: no entry of x is there twice, and those that are not there are 0.
// Then Σ q² <= M² is *checked* in integers; if rounding broke it, t is shrunk by 2^-40, 2^-39, …
// until it holds.
//
// With directions (row_directions.h) norm² is Σ (x w)² less what lies along them, and what is
// checked is (*) of that header, in integers; |t| < 2B there, and of M is kept what rounding may
// take of it, so that there, too, one try does: how often is told by the time that a release takes.
//
// Claim: for every input, Clip returns false or a q with Σ q² <= M², or (*). That is the whole
// sensitivity argument: it trusts no floating-point operation. Proof: clip_kernel.h gives a Σ q²
// that is exact for every q that it calls in range, from the bits of q alone; Clip returns true
// only after comparing that sum, less what the directions take in exact integers, with M², both in
// 128 bits. □ Rounding toward zero is what makes a first try nearly always do, whatever the signs,
// without directions: |q_i| <= |t_i|, so Σ q² <= Σ t² <= M² but for the rounding of the norm.
// (Rounded down, a negative entry would grow.) The bits of q are the same on every processor
// (clip_kernel.h), and for w = 1 and w = none. The clip is per unit. (Park et al. project the sum
// of a batch instead, which has sensitivity up to √2 times the radius:
// tests/server/mechanism/unit_clipper_test.cc.)
//
// Shapes: values = columns × rows of the statistic, in its order.
// Privacy: everything but the parameters is PRIVATE, also whether a unit was dropped.
// Threads: const methods from many threads at once.
// Cost: about 1 ns an entry; with directions about 3, and 10 for a single row.
#ifndef TOPICWALL_SERVER_MECHANISM_UNIT_CLIPPER_H_
#define TOPICWALL_SERVER_MECHANISM_UNIT_CLIPPER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/sparse_statistic.h"
#include "server/mechanism/clip_kernel.h"
#include "server/mechanism/row_directions.h"

namespace topicwall::mechanism {

// PRIVATE. Buffers are reused from unit to unit.
struct ClippedUnit {
  std::vector<uint64_t> values;  // q in two's complement: columns × rows
  double weighted_norm = 0;      // the norm, before clipping; finite
  std::vector<double> weighted;  // scratch: x w, if columns have weights
  UnitDirections directions;     // scratch, if rows have some

  // Takes and touches all that units of up to so many columns and rows need.
  void Reserve(std::size_t columns, std::size_t rows, bool has_weights) {
    values.resize(columns * rows);
    if (has_weights) weighted.resize(columns * rows);
    directions.Reserve(columns, rows);
  }
  static std::size_t BytesReserved(std::size_t columns, std::size_t rows, bool has_weights) {
    return columns * rows * (sizeof(uint64_t) + (has_weights ? sizeof(double) : 0)) +
           UnitDirections::BytesReserved(columns, rows);
  }
};

class UnitClipper {
 public:
  struct Params {
    model::StatisticShape shape;  // D and P
    double clip_norm;             // C, in the statistic's own unit
    std::vector<float> weights;   // w: P of them, or empty = all 1
    double noise_multiplier;      // σ
    double direction_noise = 0;   // r; 0 = none
  };

  // INVALID_ARGUMENT outside the ranges of mechanism_limits.h. The kernel changes no bit.
  // `directions` and `room` are for RowDirections::Create, if r is not 0.
  static absl::StatusOr<UnitClipper> Create(Params params,
                                            const ClipKernel& kernel = ChosenClipKernel(),
                                            absl::Span<const float> directions = {},
                                            RowDirections room = RowDirections());

  // False = dropped; *clipped is then meaningless.
  bool Clip(const model::SparseStatistic& statistic, ClippedUnit* clipped) const;

  const Params& params() const { return params_; }
  uint64_t integer_sensitivity() const { return integer_sensitivity_; }  // M
  const RowDirections& directions() const { return directions_; }        // none if r is 0
  double weight(uint32_t column) const {
    return params_.weights.empty() ? 1.0 : static_cast<double>(params_.weights[column]);
  }

 private:
  UnitClipper(Params params, const ClipKernel& kernel, RowDirections directions);

  bool HasRightShape(const model::SparseStatistic& unit) const;
  void Weigh(const model::SparseStatistic& unit, std::vector<double>* weighted) const;
  template <typename Real>
  bool ClipRun(const RunKernel<Real>& kernel, absl::Span<const Real> run,
               const model::SparseStatistic& unit, ClippedUnit* clipped) const;
  template <typename Real>
  double SquaresAlong(absl::Span<const Real> run, const model::SparseStatistic& unit,
                      ClippedUnit* clipped) const;
  double RoomOf(const model::SparseStatistic& unit) const;
  bool IsAllowed(absl::uint128 squares, const model::SparseStatistic& unit,
                 ClippedUnit* clipped) const;

  Params params_;
  uint64_t integer_sensitivity_;
  uint64_t longest_;  // B
  RowDirections directions_;
  const ClipKernel* kernel_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_UNIT_CLIPPER_H_
