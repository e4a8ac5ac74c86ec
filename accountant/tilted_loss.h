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
// PUBLIC, stateless. Cost: about 5 µs; immediate without sampling.
#ifndef TOPICWALL_ACCOUNTANT_TILTED_LOSS_H_
#define TOPICWALL_ACCOUNTANT_TILTED_LOSS_H_

#include "absl/types/span.h"
#include "accountant/dp_event.h"

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

struct Tilting {
  Neighbour neighbour;
  double tilt;       // any finite θ
  double tail_mass;  // outcomes left out on either side, in (0, 0.01); none are for ν = 1
};

TiltedLoss TiltedLossOf(const SubsampledGaussian& release, const Tilting& tilting);

// The sum over all events, each as often as its count says.
TiltedLoss TiltedLossOf(absl::Span<const DpEvent> events, const Tilting& tilting);

// Standard deviations beyond which a Gaussian has at most this mass: Φ(−T) ≤ e^{−T²/2}/2.
double TailDeviations(double tail_mass);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_TILTED_LOSS_H_
