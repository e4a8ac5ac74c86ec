// The privacy loss of one release under exponential tilting, to plan computations by.
//
// P tilted by θ has density e^{θL − κ(θ)} dP, L the privacy loss and κ its cumulant generating
// function, κ(θ) = log E_P[e^{θL}]; on removal κ(θ) = log A_{θ+1} (subsampled_gaussian.h). Mean and
// variance of L under it are κ' and κ''. Composition adds κ, so these numbers say where the sum of
// many losses lies, how wide it is, and at which θ its tail at a given ε is best seen.
//
// Outcomes beyond a tail mass are left out, as they are from the lattices (loss_lattice.h): with
// sampling, moments of high order are ruled by outcomes that will not be seen before the sun goes
// out, and a tilt chosen by those would look in the wrong place.
//
// Not bounds: trapezoidal sums to about 1e-9, good enough to choose a grid, a window and a tilt by;
// what is then computed on them is certified by itself (composed_loss.h).
// PUBLIC, immutable. Cost: 5 µs to make, 1 µs a tilt.
#ifndef TOPICWALL_ACCOUNTANT_PLD_TILTED_LOSS_H_
#define TOPICWALL_ACCOUNTANT_PLD_TILTED_LOSS_H_

#include <vector>

#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

enum class Neighbour {
  kRemoved,  // P: with the unit; losses bounded below by log(1−ν)
  kAdded,    // P: without the unit; losses bounded above by −log(1−ν)
};

struct TiltedLoss {
  double log_moment;  // κ(θ)
  double mean;        // κ'(θ)
  double variance;    // κ''(θ)
};

class LossLaw {
 public:
  // tail_mass in (0, 0.01): outcomes left out on either side; none are for ν = 1.
  LossLaw(const SubsampledGaussian& release, Neighbour neighbour, double tail_mass);

  // Any finite θ.
  TiltedLoss At(double tilt) const;

 private:
  double inverse_variance_ = 0;      // ν = 1: 1/σ², and nothing below
  std::vector<double> losses_;       // at the nodes of the sum
  std::vector<double> log_weights_;  // of the nodes, P's density included
};

// Standard deviations beyond which a Gaussian has at most this mass: Φ(−T) ≤ e^{−T²/2}/2.
double TailDeviations(double tail_mass);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_TILTED_LOSS_H_
