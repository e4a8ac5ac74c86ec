// The sum of many privacy losses on one lattice, and its tail from both sides.
//
//   LossComposer composer(frame);
//   for (...) composer.Add(lattice, count, spectrum);  // all upper, or all lower, lattices
//   const ComposedLoss sum = std::move(composer).Compose(spectrum);
//   sum.DeltaUpperBound(epsilon);                      // of upper lattices: δ(ε) from above
//   sum.DeltaLowerBound(epsilon);                      // of lower lattices: δ(ε) from below
//
// With S the sum, δ(ε) = Pr[S = ∞] + E[(1 − e^{ε−S})⁺]. Every mass is first tilted,
// w_k = p_k e^{θ l_k}/M(θ), so that the part of S that matters at the ε asked about is the bulk of
// the law and not a tail under the rounding error of its bulk (an untilted transform cannot see
// δ = 1e-15). Sums of tilted variables are products of Fourier transforms, F = Π F_i^{count_i}, on
// N points (of which only the few frequencies need be known at which |F| is not nil), and
//   δ(ε) = M^n Σ_{l_j > ε} y_j e^{−θ l_j}(1 − e^{ε−l_j}),   y_j = (1/N) Σ_k F_k e^{2πi jk/N}.
//
// What is added (upper) or taken away (lower), all of it computed from the data at hand:
//   - rounding of the transforms: replacing F̂_i by F_i one after the other, each y_j moves
//     by at most
//     (count_i/N) Σ_k |F̂_1 … F̂_{i−1}| e_ik (|F̂_i| + e_i)^{count_i − 1}, as |F| ≤ 1 for the others,
//     and by Cauchy-Schwarz in k; the frequencies left out, |F| ≤ e^{−50} there; the way back;
//   - mass of S outside the window of N points, which a transform wraps around: by Markov's
//     inequality for e^{±γS}; for the upper bound only what lies above, as mass wrapped in from
//     below only adds;
//   - rounding of the masses, the tilt and the loss of a grid point (relative per release), and of
//     the last sum.
//
// PUBLIC. A ComposedLoss is immutable; threads may share it. Cost: Add: a transform of N real
// numbers, or less (low_spectrum.h); Compose: one of N; a bound: nothing to speak of.
// Source: Koskela, Jälkö, Honkela 2020 (Fourier accountant); Gopi, Lee, Wutschitz 2021; the tilt:
// Esscher 1932.
#ifndef TOPICWALL_ACCOUNTANT_PLD_COMPOSED_LOSS_H_
#define TOPICWALL_ACCOUNTANT_PLD_COMPOSED_LOSS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "accountant/pld/loss_lattice.h"
#include "accountant/pld/low_spectrum.h"

namespace topicwall::accountant {

struct LossWindow {
  double spacing;      // h of every lattice added
  double tilt;         // θ > 0
  int64_t lowest;      // the window: lattice points lowest … lowest + points − 1
  int64_t points;      // N, a power of two, 4 … 2^24; no lattice may have more points
  double above_slope;  // γ > 0 of the bound on what lies above the window
  double below_slope;  // and on what lies below it
};

class ComposedLoss {
 public:
  // In [0, 1]; 1 resp. 0 where nothing can be said, for instance below the window.
  double DeltaUpperBound(double epsilon) const;
  double DeltaLowerBound(double epsilon) const;

 private:
  friend class LossComposer;

  struct Tail {
    double sum;       // the lattice part of δ
    double error;     // what rounding may have done to it
    double heaviest;  // the largest weight of a point above ε
  };
  Tail TailAbove(double epsilon) const;

  LossWindow window_;
  double log_moment_ = 0;      // Σ count·log M(θ)
  double log_finite_ = 0;      // log Pr[S < ∞]
  double log_above_ = 0;       // log E e^{γS}, tilted
  double log_below_ = 0;       // log E e^{−γS}, tilted
  double point_error_ = 0;     // of every y_j, absolute
  double relative_error_ = 0;  // of every y_j, relative
  double loss_shift_ = 0;      // by how much S may be off, nats
  // At point j of the window: Σ_{i ≥ j} y_i M^n e^{−θ l_i}, and the same times e^{pivot − l_i}.
  double pivot_ = 0;
  std::vector<double> mass_from_;
  std::vector<double> discounted_from_;
};

class LossComposer {
 public:
  explicit LossComposer(const LossWindow& window);

  // `count` ≥ 1 independent copies. The lattice has this window's spacing and at most its number of
  // points; the spectrum has its length.
  void Add(const LossLattice& lattice, int64_t count, LowSpectrum& spectrum);

  ComposedLoss Compose(LowSpectrum& spectrum) &&;

 private:
  struct Tilted {
    int64_t lowest;
    std::vector<double> mass;
  };
  Tilted Tilt(const LossLattice& lattice, double count);
  void Multiply(const Tilted& tilted, int64_t count, LowSpectrum& spectrum);
  LowSpectrum::Sequence Law(LowSpectrum& spectrum);

  ComposedLoss result_;
  std::optional<Tilted> only_;  // the first loss, as long as it is alone: it needs no transform
  bool started_ = false;
  int64_t highest_;                 // frequencies 0 … this count
  std::vector<double> log_moduli_;  // Σ count·log|F̂|
  std::vector<double> log_bounds_;  // Σ count·log(|F̂| + e)
  std::vector<double> angles_;      // Σ count·arg F̂
  int64_t center_ = 0;              // Σ count·(the point a transform was centred on)
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_COMPOSED_LOSS_H_
