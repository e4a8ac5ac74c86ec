// Where and how finely to add up privacy losses: grid, window and tilt for one question.
//
// The tilt is that of the Chernoff bound, log δ(ε) ≤ κ(θ) − θε + θ ln θ − (1+θ) ln(1+θ), at its
// best θ (κ of everything composed, tilted_loss.h). Splitting mass on a grid of width h changes κ
// by about n θ(θ+1)h²/12 upwards and twice that downwards, so ε by n(θ+1)h²/4 between the two
// bounds: h follows from the width that is wanted, and from the scale on which one loss varies. The
// window is where all but e^{−40} of the tilted sum lies. A choice, not a bound: composed_loss.h
// certifies whatever is chosen, a poor frame only gives a wide bracket. PUBLIC, stateless. Cost:
// about 60 tilted losses per event.
#ifndef TOPICWALL_ACCOUNTANT_PLD_LOSS_FRAME_H_
#define TOPICWALL_ACCOUNTANT_PLD_LOSS_FRAME_H_

#include <optional>

#include "absl/types/span.h"
#include "accountant/events/dp_event.h"
#include "accountant/pld/composed_loss.h"
#include "accountant/pld/loss_lattice.h"
#include "accountant/pld/tilted_loss.h"

namespace topicwall::accountant {

// Chernoff's bound at its best tilt: δ(epsilon) ≤ e^{log_delta}.
struct ChernoffPoint {
  double tilt;
  double epsilon;
  double log_delta;
  double tail_mass;  // what was left out of it, of one release; together far below δ
};

// At a given δ, its ε (0 if that would be negative); at a given ε, its δ, of which anything up to
// 1e-8 of `expected_delta` may have been left out.
ChernoffPoint ChernoffAtDelta(absl::Span<const DpEvent> events, Neighbour neighbour, double delta);
ChernoffPoint ChernoffAtEpsilon(absl::Span<const DpEvent> events, Neighbour neighbour,
                                double epsilon, double expected_delta);

// The same point seen with the strongest tilt, up to its own, under which the sum's variance is at
// most 1.2 times what it is without: where rare large losses rule, any more would leave the bulk
// for them.
ChernoffPoint WithBulkInSight(const ChernoffPoint& point, absl::Span<const DpEvent> events,
                              Neighbour neighbour);

struct LossFrame {
  LossWindow window;
  ReleaseLoss::Grid grid;
};

// nullopt where no grid of at most 2^22 points can serve: losses beyond kLargestLoss, or so many
// releases that the width of one would be lost on it.
std::optional<LossFrame> FrameAround(const ChernoffPoint& point, absl::Span<const DpEvent> events,
                                     Neighbour neighbour);
// The same on another frame's grid and with as many points, so that both can share lattices and
// transforms; nullopt also where those are too few.
std::optional<LossFrame> FrameBeside(const LossFrame& other, const ChernoffPoint& point,
                                     absl::Span<const DpEvent> events, Neighbour neighbour);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_LOSS_FRAME_H_
