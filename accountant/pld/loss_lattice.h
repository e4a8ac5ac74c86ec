// LossLattice: the privacy loss of one release on an evenly spaced grid, as a bound.
//
// One release is the pair (P, Q) = (mixture (1−ν)N(0,σ²) + νN(1,σ²), N(0,σ²)) when a unit is
// *removed* and (Q, P) when one is *added* (subsampled_gaussian.h). Its privacy loss L = log dP/dQ,
// under P, decides everything: J releases have δ(ε) = E[(1 − e^{ε−L₁−…−L_J})⁺]. A lattice replaces
// L by a variable on the points k·spacing, so that sums can be taken by Fourier transform.
//
// Upper lattices *split mass*: the outcomes whose loss lies in [l, l + h] are replaced by two, at l
// and at l + h, keeping both their P-mass a and their Q-mass b:
//     at l + h: r = (a − b e^l)/(1 − e^{−h})   (for the pair as oriented),   at l: a − r.
// The new curve δ(ε) connects the old one's values at the grid points by chords in e^ε, which lie
// above it because it is convex; a pair whose curve is above dominates, and domination is kept by
// composition (Zhu, Dong, Wang 2022, Thm 10; the split is "connect the dots" of Doroshenko, Ghazi,
// Kamath, Kumar, Manurangsi 2022).
//
// The lower lattice (removal only: a lower bound needs one direction) takes the same curve, lowers
// its value at each grid point by c_k = ¼ max(b_{k−1}Δ_{k−1}, b_kΔ_k), where Δ = e^{l+h} − e^l, and
// connects those values. In each cell the chord exceeds the curve by at most ¼ b Δ (the triangle
// under the chord between the end tangents), so the result is nowhere above the true curve. Where
// it would stop being convex, near the least loss log(1−ν), it is continued by a straight line to
// zero, checked to stay below; where that fails the lattice says nothing at all (loss 0).
//
// Both errors are of second order: a sum of n releases moves by about n h²/2 in its variance.
// Rounding: masses carry the error of erfc, of its argument and of the differences; every mass of
// an upper lattice is raised by it, of a lower one reduced, and r is raised too. Grid points are
// off by at most kLossRounding in loss, which whoever composes adds per release.
//
// PUBLIC. Immutable; threads may share. Cost: about 150 ns a grid point.
#ifndef TOPICWALL_ACCOUNTANT_PLD_LOSS_LATTICE_H_
#define TOPICWALL_ACCOUNTANT_PLD_LOSS_LATTICE_H_

#include <cstdint>
#include <vector>

#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

// Outcome i has loss (lowest + i)·spacing and P-mass mass[i] ≥ 0.
struct LossLattice {
  double spacing;  // h > 0, nats
  int64_t lowest;
  std::vector<double> mass;
  double infinite_mass;  // P-mass at infinite loss; 0 in a lower lattice
};

// Loss of a grid point ≤ true loss of its cell's edge + this·(1 + |loss|).
inline constexpr double kLossRounding = 0x1p-50;
inline constexpr double kUnit =
    0x1p-53;  // what rounding one operation is off by at most, relatively

class ReleaseLoss {
 public:
  struct Grid {
    double spacing;    // h, nats
    double tail_mass;  // at most this P-mass beyond either end of the grid, in (0, 0.01)
  };

  // The outcomes between two neighbouring grid points (or beyond an end): their mass under N(0, σ²)
  // and N(1, σ²), with absolute errors.
  struct Cell {
    double without;
    double with;
    double without_error;
    double with_error;
    double shifted_ratio;  // ν e^t = e^l − (1−ν) at the lower end's loss l
  };

  // The number of grid points the lattices would have; infinity where a loss on the grid would pass
  // kLargestLoss, so that no lattice can be made.
  static double GridPoints(const SubsampledGaussian& release, const Grid& grid);

  // GridPoints must be finite; memory is 40 bytes a grid point.
  ReleaseLoss(const SubsampledGaussian& release, const Grid& grid);

  LossLattice UpperOnRemoval() const;
  LossLattice UpperOnAddition() const;
  LossLattice LowerOnRemoval() const;

 private:
  struct Shares {
    double mass;   // of the cell under P
    double right;  // r
    double mass_error;
    double right_error;
  };

  double MixtureMass(const Cell& cell) const;
  double MixtureError(const Cell& cell) const;
  double Loss(size_t point) const {
    return static_cast<double>(lowest_ + static_cast<int64_t>(point)) * grid_.spacing;
  }
  Shares SplitOnRemoval(size_t cell) const;
  Shares SplitOnAddition(size_t cell) const;

  double sampling_rate_;
  double sigma_;
  Grid grid_;
  double width_;             // 1 − e^{−h}
  int64_t lowest_;           // grid index of point 0
  std::vector<Cell> cells_;  // cell i lies between points i and i + 1
  Cell below_;
  Cell above_;
};

// e^this times a mass below 1 must not overflow.
inline constexpr double kLargestLoss = 600;

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_LOSS_LATTICE_H_
