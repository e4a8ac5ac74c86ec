// How a lattice comes about:
// 1. The ends of the grid, from the outcomes beyond which P has next to no mass.
// 2. For each grid point the outcome x at which the loss has that value; the loss grows with x, so
//    that cells of losses are intervals of outcomes.
// 3. The mass of each cell under N(0, σ²) and N(1, σ²), from tails of erfc, with a bound of its
//    error. Everything else is a combination of these two numbers with non-negative weights, or a
//    difference of which the cancelling part has been taken out on paper.
// 4. Each cell's mass split between its ends, rounded so that the loss only grows.
// The total of an upper lattice may pass 1 by the errors added: that is a bound too, not a defect.
#include "accountant/pld/loss_lattice.h"

#include <algorithm>
#include <cmath>

#include "accountant/accountants/subsampled_gaussian.h"
#include "accountant/events/privacy_params.h"
#include "accountant/pld/tilted_loss.h"

namespace topicwall::accountant {
namespace {

double LossAt(double sampling_rate, double sigma, double x) {
  return LogMixtureRatio(sampling_rate, (x - 0.5) / sigma / sigma);
}

// Where the loss l lies: the outcome x that has it (−infinity below the least loss log(1−ν)), and
// ν e^t = e^l − (1−ν), t = (2x − 1)/2σ², negative below the least loss.
struct Edge {
  double x;
  double shifted_ratio;
};

// e^l = 1 − ν + ν e^t solved for t: log1p(expm1(l)/ν), so that losses near 0, where most of a
// sampled release lies, keep their digits. For large l the quotient could overflow with a small ν:
// there in logarithms, e^{−l} being what is left of 1 − ν.
Edge EdgeAt(double sampling_rate, double sigma, double loss) {
  if (sampling_rate == 1) return {.x = sigma * sigma * loss + 0.5, .shifted_ratio = std::exp(loss)};
  const double growth = std::expm1(loss);
  double t = -kInfinity;
  if (loss > 30) {
    t = loss - std::log(sampling_rate) + std::log1p((sampling_rate - 1) * std::exp(-loss));
  } else if (growth / sampling_rate > -1) {
    t = std::log1p(growth / sampling_rate);
  }
  return {.x = sigma * sigma * t + 0.5, .shifted_ratio = growth + sampling_rate};
}

struct Ends {
  double lowest;  // grid indices
  double highest;
};

Ends EndsOf(const SubsampledGaussian& release, const ReleaseLoss::Grid& grid) {
  const double sigma = release.noise_multiplier();
  const double reach = TailDeviations(grid.tail_mass) * sigma;
  const double nu = release.sampling_rate();
  return {.lowest = std::floor(LossAt(nu, sigma, -reach) / grid.spacing),
          .highest = std::ceil(LossAt(nu, sigma, 1 + reach) / grid.spacing)};
}

// One end of an interval under a standard normal: the smaller of its two tails, and what that may
// be wrong by: erfc to a few ulp, an argument off by an ulp moves a tail by z² ulp.
struct NormalEnd {
  explicit NormalEnd(double z)
      : above_zero(z >= 0),
        tail(0.5 * std::erfc(std::abs(z) * M_SQRT1_2)),
        // At z = ±∞ the tail is 0, and the product would be no number.
        error(tail > 0 ? kUnit * (16 + 4 * z * z) * tail : 0) {}

  bool above_zero;
  double tail;
  double error;
};

struct NormalMass {
  NormalMass(const NormalEnd& low, const NormalEnd& high) {
    // On one side of zero the difference of two tails, on both what the tails leave. 1 − tail for
    // both ends would lose a far cell under the rounding of 1.
    const bool across = high.above_zero && !low.above_zero;
    mass = across ? 1 - low.tail - high.tail : std::abs(low.tail - high.tail);
    error = low.error + high.error + 4 * kUnit * mass;
  }

  double mass;
  double error;
};

// One end of a cell, under both distributions.
struct End {
  NormalEnd without;
  NormalEnd with;
};

ReleaseLoss::Cell Between(const End& low, const End& high, double shifted_ratio) {
  const NormalMass without(low.without, high.without);
  const NormalMass with(low.with, high.with);
  return {.without = without.mass,
          .with = with.mass,
          .without_error = without.error,
          .with_error = with.error,
          .shifted_ratio = shifted_ratio};
}

}  // namespace

double ReleaseLoss::GridPoints(const SubsampledGaussian& release, const Grid& grid) {
  const Ends ends = EndsOf(release, grid);
  const double points = ends.highest - ends.lowest + 1;
  const bool in_range = ends.highest * grid.spacing <= kLargestLoss &&
                        -ends.lowest * grid.spacing <= kLargestLoss && points < 0x1p30;
  return in_range ? points : kInfinity;
}

ReleaseLoss::ReleaseLoss(const SubsampledGaussian& release, const Grid& grid)
    : sampling_rate_(release.sampling_rate()),
      sigma_(release.noise_multiplier()),
      grid_(grid),
      width_(-std::expm1(-grid.spacing)) {
  const Ends ends = EndsOf(release, grid);
  lowest_ = static_cast<int64_t>(ends.lowest);
  const size_t cells = static_cast<size_t>(ends.highest - ends.lowest);
  cells_.reserve(cells);
  const auto end_at = [this](double x) {
    return End{.without = NormalEnd(x / sigma_), .with = NormalEnd((x - 1) / sigma_)};
  };
  Edge edge = EdgeAt(sampling_rate_, sigma_, Loss(0));
  End low = end_at(edge.x);
  below_ = Between(end_at(-kInfinity), low, 0);
  for (size_t i = 0; i < cells; ++i) {
    Edge next = EdgeAt(sampling_rate_, sigma_, Loss(i + 1));
    // Rounding must not make an interval of outcomes with its ends exchanged.
    next.x = std::max(next.x, edge.x);
    const End high = end_at(next.x);
    cells_.push_back(Between(low, high, edge.shifted_ratio));
    low = high;
    edge = next;
  }
  above_ = Between(low, end_at(kInfinity), edge.shifted_ratio);
}

double ReleaseLoss::MixtureMass(const Cell& cell) const {
  return (1 - sampling_rate_) * cell.without + sampling_rate_ * cell.with;
}

double ReleaseLoss::MixtureError(const Cell& cell) const {
  return cell.without_error + sampling_rate_ * cell.with_error + 4 * kUnit * MixtureMass(cell);
}

// With ν e^t = e^l − (1−ν) at the cell's lower edge, a − b e^l = ν·with − ν e^t·without: the two
// parts the sampling adds, without the 1 − ν that would cancel.
ReleaseLoss::Shares ReleaseLoss::SplitOnRemoval(size_t i) const {
  const Cell& cell = cells_[i];
  const double lower = cell.shifted_ratio;
  const double mass = MixtureMass(cell);
  const double right = (sampling_rate_ * cell.with - lower * cell.without) / width_;
  // shifted_ratio has an absolute error of a few u where expm1(l) and ν cancel: hence the whole
  // mass `without` beside the size of the two terms.
  const double size = sampling_rate_ * cell.with + std::abs(lower) * cell.without;
  const double error = sampling_rate_ * cell.with_error + std::abs(lower) * cell.without_error +
                       8 * kUnit * (size + cell.without);
  return {.mass = mass,
          .right = std::clamp(right, 0.0, mass),
          .mass_error = MixtureError(cell),
          .right_error = error / width_};
}

// The loss on addition is minus that on removal: cell i has losses from −l(i+1) to −l(i), and its
// right end is the one at point i.
ReleaseLoss::Shares ReleaseLoss::SplitOnAddition(size_t i) const {
  const Cell& cell = cells_[i];
  const double high = Loss(i + 1);
  const double upper = i + 1 < cells_.size() ? cells_[i + 1].shifted_ratio : above_.shifted_ratio;
  // a = without, b = mixture, lower loss −high: a − b e^{−high} = e^{−high}(e^high·a − b), in which
  // (1−ν)·without cancels as above.
  const double shrink = std::exp(-high) / width_;
  const double right = (upper * cell.without - sampling_rate_ * cell.with) * shrink;
  const double size = std::abs(upper) * cell.without + sampling_rate_ * cell.with;
  const double error = sampling_rate_ * cell.with_error + std::abs(upper) * cell.without_error +
                       8 * kUnit * (size + cell.without);
  return {.mass = cell.without,
          .right = std::clamp(right, 0.0, cell.without),
          .mass_error = cell.without_error,
          .right_error = error * shrink};
}

// Every rounding is in one direction, to the right: more mass, more of it at the upper end of its
// cell, what lies below the grid at its first point, what lies above it at infinity. P-mass that is
// added or moved to a larger loss only raises E[(1 − e^{ε−L})⁺].
LossLattice ReleaseLoss::UpperOnRemoval() const {
  LossLattice lattice = {.spacing = grid_.spacing,
                         .lowest = lowest_,
                         .mass = std::vector<double>(cells_.size() + 1, 0.0),
                         .infinite_mass = MixtureMass(above_) + MixtureError(above_)};
  lattice.mass[0] = MixtureMass(below_) + MixtureError(below_);
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Shares shares = SplitOnRemoval(i);
    const double mass = shares.mass + shares.mass_error;
    const double right = std::min(mass, shares.right + shares.right_error);
    lattice.mass[i] += mass - right;
    lattice.mass[i + 1] += right;
  }
  return lattice;
}

// The same cells, read from the other end: P and Q have changed places, so the outcomes above the
// grid have the least losses, and those below it, where −L ≤ −log(1−ν), the largest.
LossLattice ReleaseLoss::UpperOnAddition() const {
  const size_t last = cells_.size();  // point i of the grid becomes outcome last − i
  LossLattice lattice = {.spacing = grid_.spacing,
                         .lowest = -(lowest_ + static_cast<int64_t>(last)),
                         .mass = std::vector<double>(last + 1, 0.0),
                         .infinite_mass = below_.without + below_.without_error};
  lattice.mass[0] = above_.without + above_.without_error;
  for (size_t i = 0; i < last; ++i) {
    const Shares shares = SplitOnAddition(i);
    const double mass = shares.mass + shares.mass_error;
    const double right = std::min(mass, shares.right + shares.right_error);
    lattice.mass[last - i] += right;
    lattice.mass[last - i - 1] += mass - right;
  }
  return lattice;
}

}  // namespace topicwall::accountant
