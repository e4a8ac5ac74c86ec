// How a sum comes about:
// 1. Tilt: the masses of a lattice times e^{θl}, normalised. Its moments give M(θ), and e^{±γL} for
//    what the window will cut off.
// 2. Multiply: the transform of the tilted law, to the power of its copies, into the product so
//    far. Powers are taken as logarithm of the modulus and as angle: thousands of copies of a
//    modulus below 1 underflow, and an angle must be multiplied before it is reduced.
// 3. Law: one inverse transform gives y_j, the tilted law of the sum.
// 4. Compose: tail sums of the untilted weights from the top, so that a question about any ε is two
//    numbers.
// 5. DeltaUpperBound and DeltaLowerBound add, or take away, what all of this may have done wrong.
// The errors are gathered on the way in `result_`; none is a constant hoped to be large enough.
#include "accountant/pld/composed_loss.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace topicwall::accountant {
namespace {

using Complex = std::complex<double>;

constexpr double kNil = -50;  // log of a modulus that counts as nothing, and is added

constexpr double kTiniest = 1e-300;  // more than what underflow may have taken

double LossAt(int64_t point, double spacing) { return static_cast<double>(point) * spacing; }

double LossOf(const LossLattice& lattice, size_t i) {
  return LossAt(lattice.lowest + static_cast<int64_t>(i), lattice.spacing);
}

// Masses times e^{tilt·loss − log_scale}, none of which overflows.
struct Weighted {
  std::vector<double> mass;
  double log_scale;
};

Weighted WeightedBy(double tilt, const LossLattice& lattice) {
  constexpr double kRange = 600;  // of exponents that a double holds with a mass below 1
  constexpr size_t kStride = 64;  // points from one exponential to the next
  const size_t size = lattice.mass.size();
  Weighted weighted = {.mass = std::vector<double>(size), .log_scale = -HUGE_VAL};
  const double most = LossOf(lattice, size - 1);
  if (tilt * (most - LossOf(lattice, 0)) < kRange) {
    // One exponential in 64: the powers between are products, which err by an ulp each.
    weighted.log_scale = tilt * most;
    const double ratio = std::exp(tilt * lattice.spacing);
    // Relative to the largest loss: every factor is at most 1 (θ > 0) and none overflows.
    double growth = 0;
    for (size_t i = 0; i < size; ++i) {
      growth = i % kStride == 0 ? std::exp(tilt * (LossOf(lattice, i) - most)) : growth * ratio;
      weighted.mass[i] = lattice.mass[i] * growth;
    }
    return weighted;
  }
  // Wider than a double's exponents reach: in logarithms, relative to the largest.
  for (size_t i = 0; i < size; ++i) {
    weighted.mass[i] = std::log(lattice.mass[i]) + tilt * LossOf(lattice, i);
    weighted.log_scale = std::max(weighted.log_scale, weighted.mass[i]);
  }
  for (double& mass : weighted.mass) mass = std::exp(mass - weighted.log_scale);
  return weighted;
}

// NaN, where something overflowed, says nothing.
double AtMostOne(double value) { return value <= 1 ? std::max(value, 0.0) : 1.0; }
double AtLeastZero(double value) { return value >= 0 ? std::min(value, 1.0) : 0.0; }

int64_t Modulo(int64_t value, int64_t modulus) { return (value % modulus + modulus) % modulus; }

}  // namespace

LossComposer::LossComposer(const LossWindow& window) : highest_(window.points / 2) {
  result_.window_ = window;
  const size_t frequencies = static_cast<size_t>(highest_ + 1);
  log_moduli_.assign(frequencies, 0.0);
  log_bounds_.assign(frequencies, 0.0);
  angles_.assign(frequencies, 0.0);
}

// The tilted law of one loss; its moments and errors go into result_.
LossComposer::Tilted LossComposer::Tilt(const LossLattice& lattice, double count) {
  const LossWindow& window = result_.window_;
  const auto loss_at = [&lattice](size_t i) { return LossOf(lattice, i); };
  Weighted weighted = WeightedBy(window.tilt, lattice);
  std::vector<double>& tilted = weighted.mass;
  double total = 0;
  for (const double weight : tilted) total += weight;
  const double least = loss_at(0);
  const double most = loss_at(tilted.size() - 1);
  // E e^{γL} and E e^{−γL} under the tilted law: what Markov's inequality needs of one loss.
  double above = 0;  // relative to e^{γ·most}
  double below = 0;
  // Horner's rule in e^{−γh}, from either end.
  const double above_ratio = std::exp(-window.above_slope * lattice.spacing);
  const double below_ratio = std::exp(-window.below_slope * lattice.spacing);
  for (double& weight : tilted) {
    weight /= total;
    above = above * above_ratio + weight;
  }
  for (size_t i = tilted.size(); i-- > 0;) below = below * below_ratio + tilted[i];
  above += kTiniest;
  below += kTiniest;
  const double log_moment = weighted.log_scale + std::log(total);
  const double widest = std::max(std::abs(least), std::abs(most));
  result_.log_moment_ += count * log_moment;
  // Pr[S < ∞] is a product over all copies. A grid leaves out less than 0.01 at its end: 0.5 is
  // never met, it only keeps the logarithm a number.
  result_.log_finite_ += count * std::log1p(-std::min(lattice.infinite_mass, 0.5));
  const double rounding = 4 * kUnit * static_cast<double>(tilted.size());
  result_.log_above_ += count * (std::log(above) + window.above_slope * most + rounding);
  result_.log_below_ += count * (std::log(below) - window.below_slope * least + rounding);
  // Per copy: the exponential's argument θl and the scale log M are off by an ulp of themselves,
  // which is a relative error of the weight; 256 ulps for the products between exponentials and the
  // division.
  result_.relative_error_ +=
      count * kUnit * (256 + 4 * window.tilt * widest + 4 * std::abs(log_moment));
  result_.loss_shift_ += count * kLossRounding * (1 + widest);
  return {.lowest = lattice.lowest, .mass = std::move(tilted)};
}

// A single release needs no transform, and is exact without one. It waits until another comes.
void LossComposer::Add(const LossLattice& lattice, int64_t count, LowSpectrum& spectrum) {
  Tilted tilted = Tilt(lattice, static_cast<double>(count));
  if (!started_ && count == 1) {
    only_ = std::move(tilted);
  } else {
    if (only_.has_value()) Multiply(*only_, 1, spectrum);
    only_.reset();
    Multiply(tilted, count, spectrum);
  }
  started_ = true;
}

void LossComposer::Multiply(const Tilted& tilted, int64_t count, LowSpectrum& spectrum) {
  const double copies = static_cast<double>(count);
  const int64_t points = result_.window_.points;
  // The centre of the law turns every frequency by an angle that grows with it. Kept apart as an
  // integer, it costs no accuracy, however many copies there are.
  double mean = 0;
  for (size_t i = 0; i < tilted.mass.size(); ++i) mean += tilted.mass[i] * static_cast<double>(i);
  const int64_t center = std::llround(mean);
  center_ += count * (tilted.lowest + center);

  const LowSpectrum::Result transform = spectrum.Transform(tilted.mass, highest_);
  int64_t highest = 0;
  double squares = 0;
  for (int64_t k = 0; k <= highest_; ++k) {
    const size_t i = static_cast<size_t>(k);
    const double modulus = std::abs(transform.values[i]);
    // As logarithms: a modulus to the power of some thousand copies is no double.
    const double log_bound = std::log(modulus + transform.error);
    // |z^n − w^n| ≤ n |z − w| max(|z|, |w|)^{n−1}, for the mean error of a point below.
    // Twice: a real sequence has the same modulus at −k as at k.
    squares += 2 * std::exp(2 * (log_moduli_[i] + (copies - 1) * log_bound));
    log_moduli_[i] += copies * std::log(modulus);
    log_bounds_[i] += copies * log_bound;
    if (log_bounds_[i] > kNil) highest = k;
    // Turned back to the lattice's centre, so that the angle times `count` stays small.
    const double turn = static_cast<double>(k * center % points) / static_cast<double>(points);
    const double angle = std::arg(transform.values[i]) + 2 * M_PI * turn;
    angles_[i] += copies * std::remainder(angle, 2 * M_PI);
  }
  // Beyond the last frequency that counts every later factor only makes them smaller (a modulus of
  // a law is at most 1): they are dropped for good, and e^kNil is added for each point.
  highest_ = highest;
  for (std::vector<double>* kept : {&log_moduli_, &log_bounds_, &angles_}) {
    kept->resize(static_cast<size_t>(highest_ + 1));
    kept->shrink_to_fit();
  }
  result_.point_error_ +=
      copies * transform.error_norm * std::sqrt(squares) / static_cast<double>(points);
}

// y of every point of the window.
LowSpectrum::Sequence LossComposer::Law(LowSpectrum& spectrum) {
  const LossWindow& window = result_.window_;
  if (only_.has_value()) {
    LowSpectrum::Sequence law = {
        .values = std::vector<double>(static_cast<size_t>(window.points), 0.0), .error = 0};
    for (size_t i = 0; i < only_->mass.size(); ++i) {
      const int64_t point = only_->lowest + static_cast<int64_t>(i) - window.lowest;
      if (point >= 0 && point < window.points) {
        law.values[static_cast<size_t>(point)] = only_->mass[i];
      }
    }
    return law;
  }
  std::vector<Complex> product(static_cast<size_t>(highest_ + 1));
  // k·turn is reduced modulo N in integers. As an angle 2πk·turn/N it would be millions of turns,
  // of which the double would keep but few digits.
  const int64_t turn = Modulo(window.lowest - center_, window.points);
  for (int64_t k = 0; k <= highest_; ++k) {
    const size_t i = static_cast<size_t>(k);
    const double shift = 2 * M_PI * static_cast<double>(k * turn % window.points) /
                         static_cast<double>(window.points);
    product[i] = std::polar(std::exp(log_moduli_[i]), std::remainder(angles_[i], 2 * M_PI) + shift);
  }
  return spectrum.Inverse(product);
}

ComposedLoss LossComposer::Compose(LowSpectrum& spectrum) && {
  const LossWindow& window = result_.window_;
  LowSpectrum::Sequence law = Law(spectrum);
  result_.point_error_ += law.error + std::exp(kNil);

  std::vector<double>& mass = law.values;
  // e^{ε−l} = e^{ε−pivot}·e^{pivot−l}: the second factor is summed once, for every ε that will be
  // asked; the pivot in the middle keeps both within a double's range.
  result_.pivot_ = LossAt(window.lowest + window.points / 2, window.spacing);
  result_.discounted_from_.assign(mass.size() + 1, 0.0);
  mass.push_back(0);
  // Sums from the top, so that a tail is one number, and the smallest terms come first.
  for (size_t i = mass.size() - 1; i-- > 0;) {
    const double loss = LossAt(window.lowest + static_cast<int64_t>(i), window.spacing);
    const double weighted = mass[i] * std::exp(result_.log_moment_ - window.tilt * loss);
    result_.discounted_from_[i] =
        result_.discounted_from_[i + 1] + weighted * std::exp(result_.pivot_ - loss);
    mass[i] = mass[i + 1] + weighted;
  }
  result_.mass_from_ = std::move(mass);
  return std::move(result_);
}

ComposedLoss::Tail ComposedLoss::TailAbove(double epsilon) const {
  const double theta = window_.tilt;
  const double h = window_.spacing;
  const double heaviest = std::exp(log_moment_ - theta * epsilon);
  // Σ_j e^{−θ l_j}(1 − e^{ε−l_j}) over all points above ε is at most its largest term and integral.
  const double weight = heaviest * (1 + 1 / (h * theta * (1 + theta)));
  Tail tail = {.sum = 0, .error = weight * point_error_, .heaviest = heaviest};
  const double first = std::floor(epsilon / h) + 1 - static_cast<double>(window_.lowest);
  if (!(first < static_cast<double>(window_.points))) return tail;
  const size_t i = static_cast<size_t>(std::max(first, 0.0));
  const double with = mass_from_[i];
  const double without = std::exp(epsilon - pivot_) * discounted_from_[i];
  tail.sum = with - without;
  // The two sums carry an ulp a term; terms are positive but for what point_error_ allows.
  tail.error += kUnit * (64 + static_cast<double>(window_.points)) *
                (std::abs(with) + std::abs(without) + 2 * weight * point_error_);
  return tail;
}

// From above: S may be larger than the lattice says by loss_shift_, hence a smaller ε; the tail is
// at least 0 whatever noise has made of it; what left the window at the top is bounded by Markov,
//   Σ_{l ≥ end} M^n e^{−θl} Pr_tilted[S = l] ≤ M^n e^{−θ end} E_tilted[e^{γS}] e^{−γ end},
// and where it was wrapped to it only adds. Below the window nothing is known, and δ = 1 is said.
double ComposedLoss::DeltaUpperBound(double epsilon) const {
  const double shifted = epsilon - loss_shift_;
  if (!(shifted >= LossAt(window_.lowest, window_.spacing))) return 1;  // NaN, too
  const Tail tail = TailAbove(shifted);
  const double end = std::max(LossAt(window_.lowest + window_.points, window_.spacing), shifted);
  const double above =
      std::exp(log_moment_ - window_.tilt * end + log_above_ - window_.above_slope * end);
  const double finite = std::max(0.0, tail.sum) + tail.error + above;
  return AtMostOne(-std::expm1(log_finite_) * (1 + 8 * kUnit) +
                   finite * std::exp(relative_error_ + 64 * kUnit));
}

// From below: everything the other way. Infinite loss is left out altogether; a lower lattice has
// none.
double ComposedLoss::DeltaLowerBound(double epsilon) const {
  const double shifted = epsilon + loss_shift_;
  const Tail tail = TailAbove(shifted);
  const double end = LossAt(window_.lowest + window_.points, window_.spacing);
  const double start = LossAt(window_.lowest, window_.spacing);
  // Mass from outside lands anywhere, at most with the weight of a point just above ε.
  const double outside = tail.heaviest * (std::exp(log_above_ - window_.above_slope * end) +
                                          std::exp(log_below_ + window_.below_slope * start));
  const double sum = tail.sum - tail.error - outside;
  return AtLeastZero(sum * std::exp(-relative_error_ - 64 * kUnit));
}

}  // namespace topicwall::accountant
