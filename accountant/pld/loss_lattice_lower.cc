// The lower lattice of loss_lattice.h.
//
// In P-units. Lowering the curve by c_i at point i alone (a tent between its neighbours) moves
// C_i = c_i/(e^h − 1) of mass from point i − 1 and e^h C_i from point i + 1 to point i. With
// c_i = ¼ max(b_{i−1}Δ_{i−1}, b_iΔ_i) and b_iΔ_i ≤ (P-mass of cell i)(e^h − 1), C_i is a quarter of
// the larger of the two cells beside point i.
//
// The left end is joined on in y = e^ε with g(y) = δ − (1 − y), which grows from 0 at y = 0, is
// convex and has slope Q(L < ε). From some point m on the lowered curve g − c is kept; left of it
// stands the line of slope ρ through its value at m, down to zero, and zero before. That is convex
// for ρ ≤ the lowered slope behind m, below g left of point m − 1 for ρ ≥ Q(L < l_{m−1}), and below
// g − c at point m − 1 for ρ ≥ the lowered slope before m. The line meets zero between two grid
// points s and s + 1, where its chord is checked against g, less what g may sag in that cell.
#include <algorithm>
#include <cmath>
#include <optional>

#include "accountant/pld/loss_lattice.h"

namespace topicwall::accountant {
namespace {

// Fewer cells than this leave no room for the three points of a join and a grid beside it.
constexpr size_t kFewestCells = 8;

// g at one grid point, and what the join needs beside it.
struct LeftPoint {
  double y;
  double g;
  double slope_below;    // Q(L < l), from above
  double lowered_slope;  // of g − c, up to the next point
  double lowered;        // c
  double sag;            // ¼ b Δ of the cell behind the point, from above
};

struct Join {
  size_t kept_from;  // m
  double mass_at_m;  // the P-mass of these three points; none elsewhere left of m
  size_t first;      // s
  double mass_at_first;
  double mass_after_first;
};

std::optional<Join> JoinAt(const std::vector<LeftPoint>& points, size_t m, double spacing) {
  // Written so that a NaN, or a curve that is not convex here, ends in "no join", never in a line
  // above g.
  const LeftPoint& at = points[m];
  const LeftPoint& before = points[m - 1];
  const double height = at.g - at.lowered;
  const double slope = std::max(before.lowered_slope, before.slope_below);
  if (!(height > 0 && slope > 0 && slope <= at.lowered_slope)) return std::nullopt;
  const double zero = at.y - height / slope;
  if (!(zero >= points[0].y)) return std::nullopt;
  const double cells = std::floor((std::log(zero) - std::log(points[0].y)) / spacing);
  if (!(cells >= 0 && cells + 1 < static_cast<double>(m))) return std::nullopt;
  const size_t s = static_cast<size_t>(cells);
  const LeftPoint& next = points[s + 1];
  const double rise = slope * (next.y - zero);
  if (!(rise >= 0 && points[s].g >= points[s].sag && next.g - rise >= points[s].sag)) {
    return std::nullopt;
  }
  const double chord_slope = rise / (next.y - points[s].y);
  if (!(chord_slope <= slope)) return std::nullopt;
  return Join{.kept_from = m,
              .mass_at_m = at.y * (at.lowered_slope - slope),
              .first = s,
              .mass_at_first = points[s].y * chord_slope,
              .mass_after_first = next.y * (slope - chord_slope)};
}

// Puts what lies left of the first place from `kept_from` on at which that can be done onto three
// points; false if there is no such place.
bool MendLeft(const std::vector<LeftPoint>& left, size_t kept_from, double spacing,
              std::vector<double>& mass) {
  std::optional<Join> join;
  for (size_t m = std::max<size_t>(kept_from, 2); m < left.size() && !join.has_value(); ++m) {
    join = JoinAt(left, m, spacing);
  }
  if (!join.has_value()) return false;
  // The caller's sums carry an ulp a point.
  const double rounding = 1 - 16 * kUnit * static_cast<double>(mass.size() - 1);
  std::fill(mass.begin(), mass.begin() + static_cast<int64_t>(join->kept_from), 0.0);
  mass[join->first] = join->mass_at_first * rounding;
  mass[join->first + 1] += join->mass_after_first * rounding;
  mass[join->kept_from] = join->mass_at_m * rounding;
  return true;
}

}  // namespace

LossLattice ReleaseLoss::LowerOnRemoval() const {
  const LossLattice nothing = {
      .spacing = grid_.spacing, .lowest = 0, .mass = {1.0}, .infinite_mass = 0};
  const size_t last = cells_.size();
  const int64_t zero_loss = -lowest_;  // the point of loss 0
  if (last < kFewestCells || zero_loss < 2 || zero_loss >= static_cast<int64_t>(last)) {
    return nothing;
  }
  const double grow = std::exp(grid_.spacing);
  const double step = std::expm1(grid_.spacing);
  const auto quarter = [this](size_t cell) {
    return (MixtureMass(cells_[cell]) + MixtureError(cells_[cell])) / 4;
  };
  std::vector<double> lowered(last + 1);  // C
  lowered[0] = quarter(0);
  lowered[last] = quarter(last - 1);
  for (size_t i = 1; i < last; ++i) lowered[i] = std::max(quarter(i - 1), quarter(i));

  // All outcomes beyond the last point count as one, and then as none; the lowered curve must not
  // fall below zero there.
  const double top = MixtureMass(above_) - MixtureError(above_) -
                     std::exp(Loss(last)) * (above_.without + above_.without_error);
  if (!(top >= lowered[last] * step)) return nothing;

  std::vector<double> mass(last + 1);
  std::vector<LeftPoint> left;
  double slope = below_.without;
  double slope_below = below_.without + below_.without_error;
  double g = std::exp(Loss(0)) * below_.without - MixtureMass(below_);
  double carried = 0;
  size_t kept_from = 2;
  for (size_t i = 0; i <= last; ++i) {
    const Shares shares = i < last ? SplitOnRemoval(i) : Shares{};
    // Rounding may have put too much on the right: what it may be stays on the left.
    const double right = std::max(0.0, shares.right - shares.right_error);
    const double chord_mass = shares.mass - right + carried;
    carried = right;
    const double taken = (i < last ? lowered[i + 1] : 0) + (i > 0 ? grow * lowered[i - 1] : 0);
    const double given = (i < last ? 1 + grow : grow) * lowered[i];
    const double error = shares.mass_error + 16 * kUnit * (chord_mass + taken + given);
    mass[i] = chord_mass + given - taken - error;
    if (static_cast<int64_t>(i) <= zero_loss) {
      const double y = std::exp(Loss(i));
      slope += chord_mass / y;
      left.push_back({.y = y,
                      .g = g,
                      .slope_below = slope_below,
                      .lowered_slope = slope - (lowered[i + 1] - lowered[i]) / y,
                      .lowered = lowered[i] * step,
                      .sag = quarter(i) * step});
      g += slope * y * step;
      slope_below += cells_[i].without + cells_[i].without_error;
      if (!(mass[i] > 0)) kept_from = i + 1;
    } else if (!(mass[i] >= 0)) {
      return nothing;
    }
  }

  if (!MendLeft(left, kept_from, grid_.spacing, mass)) return nothing;
  return {.spacing = grid_.spacing, .lowest = lowest_, .mass = std::move(mass), .infinite_mass = 0};
}

}  // namespace topicwall::accountant
