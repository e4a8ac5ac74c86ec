// How a question is answered:
// 1. Chernoff's bound finds about where the answer lies, and at which tilt to look (loss_frame.h).
// 2. A frame around that point; each kind of release becomes lattices on it, which are added up.
// 3. ε is where the sum's bound crosses δ, found from the side that is certain
//    (falling_function.h).
// 4. The upper bounds of removal and addition are both needed, the lower one of either is enough.
// Steps 1 and 2 only choose. Whatever they choose, the bounds of step 3 hold; a bad choice is wide.
#include "accountant/pld/pld_accountant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/renyi_accountant.h"
#include "accountant/events/privacy_params.h"
#include "accountant/pld/composed_loss.h"
#include "accountant/pld/falling_function.h"
#include "accountant/pld/loss_frame.h"
#include "accountant/pld/loss_lattice.h"
#include "accountant/pld/loss_schedule.h"
#include "accountant/pld/tilted_loss.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// The tails left out of a lattice are a share of δ; for a smaller δ than this they shrink no
// further.
constexpr double kTiniestDelta = 1e-80;
constexpr double kWideBracket = 2e-4;  // nats, relative above 1

// The sums of removal, from both sides, and if it was asked for that of addition beside them.
struct Composition {
  ComposedLoss upper;
  ComposedLoss lower;
  std::optional<ComposedLoss> added;
};

// One pass over the events makes all sums: the masses of a release's cells (loss_lattice.h), which
// cost most, serve the upper and the lower lattice and that of addition.
Composition ComposeRemoval(const LossSchedule& schedule, const LossFrame& frame,
                           const std::optional<LossFrame>& added_frame) {
  LowSpectrum spectrum(frame.window.points);
  LossComposer upper(frame.window);
  LossComposer lower(frame.window);
  std::optional<LossComposer> added;
  if (added_frame.has_value()) added.emplace(added_frame->window);
  for (const DpEvent& event : schedule.events) {
    const bool everyone = event.release.sampling_rate() == 1;
    if (everyone && schedule.everyone_from_below.has_value()) {
      const ReleaseLoss from_below(*schedule.everyone_from_below, frame.grid);
      lower.Add(from_below.LowerOnRemoval(), event.count, spectrum);
    }
    const ReleaseLoss loss(event.release, frame.grid);
    upper.Add(loss.UpperOnRemoval(), event.count, spectrum);
    if (!everyone) lower.Add(loss.LowerOnRemoval(), event.count, spectrum);
    if (added.has_value()) added->Add(loss.UpperOnAddition(), event.count, spectrum);
  }
  ComposedLoss above = std::move(upper).Compose(spectrum);
  ComposedLoss below = std::move(lower).Compose(spectrum);
  if (!added.has_value()) return {std::move(above), std::move(below), std::nullopt};
  return {std::move(above), std::move(below), std::move(*added).Compose(spectrum)};
}

ComposedLoss ComposeAddition(absl::Span<const DpEvent> events, const LossFrame& frame) {
  LowSpectrum spectrum(frame.window.points);
  LossComposer upper(frame.window);
  for (const DpEvent& event : events) {
    upper.Add(ReleaseLoss(event.release, frame.grid).UpperOnAddition(), event.count, spectrum);
  }
  return std::move(upper).Compose(spectrum);
}

// Finite, below the logarithm of any positive double: the search draws a line through both values.
double LogOf(double delta) { return delta > 0 ? std::log(delta) : -800; }

double FarEnd(const LossFrame& frame) {
  return static_cast<double>(frame.window.lowest + frame.window.points) * frame.window.spacing;
}

std::optional<double> LeastEpsilon(const ComposedLoss& sum, const LossFrame& frame, double guess,
                                   double delta) {
  const auto upper = [&sum](double epsilon) { return LogOf(sum.DeltaUpperBound(epsilon)); };
  return LeastWhereAtMost(upper, std::log(delta), guess, FarEnd(frame));
}

// ε on removal as seen from around one point, and the sum of addition if it was asked for; nullopt
// where no frame serves.
struct Seen {
  EpsilonBracket epsilon;
  std::optional<ComposedLoss> added;
};
std::optional<Seen> RemovalSeenFrom(const ChernoffPoint& around, const LossSchedule& schedule,
                                    double delta, const ChernoffPoint* added) {
  const std::vector<DpEvent>& events = schedule.events;
  const std::optional<LossFrame> frame = FrameAround(around, events, Neighbour::kRemoved);
  if (!frame.has_value()) return std::nullopt;
  std::optional<LossFrame> added_frame;
  if (added != nullptr) {
    added_frame = FrameBeside(*frame, *added, events, Neighbour::kAdded);
  }
  Composition sums = ComposeRemoval(schedule, *frame, added_frame);
  const std::optional<double> least = LeastEpsilon(sums.upper, *frame, around.epsilon, delta);
  if (!least.has_value()) return std::nullopt;
  const auto lower = [&](double epsilon) { return LogOf(sums.lower.DeltaLowerBound(epsilon)); };
  return Seen{
      .epsilon = {.lower = LargestWhereAtLeast(lower, std::log(delta), *least), .upper = *least},
      .added = std::move(sums.added)};
}

// Addition nearly always costs less. Where it is near, its sum is taken along, on the same
// lattices. Where rare large losses rule, Chernoff's bound is far from the answer and its tilt too
// strong: then a second look from around the first answer, with a gentler tilt; both brackets hold.
std::optional<Seen> EpsilonOnRemoval(const LossSchedule& schedule, double delta) {
  constexpr double kNear = 0.8;
  const std::vector<DpEvent>& events = schedule.events;
  const ChernoffPoint around = ChernoffAtDelta(events, Neighbour::kRemoved, delta);
  const ChernoffPoint added = ChernoffAtDelta(events, Neighbour::kAdded, delta);
  // Only speed hangs on `near`: Epsilon asks for addition afterwards if it was not taken along
  // here.
  const bool near = added.epsilon > kNear * around.epsilon;
  std::optional<Seen> seen = RemovalSeenFrom(around, schedule, delta, near ? &added : nullptr);
  if (!seen.has_value()) return std::nullopt;
  EpsilonBracket& first = seen->epsilon;
  if (first.upper - first.lower < kWideBracket * std::max(1.0, first.upper)) return seen;
  ChernoffPoint nearer = ChernoffAtEpsilon(events, Neighbour::kRemoved, first.upper, delta);
  nearer.log_delta = std::log(delta);
  nearer = WithBulkInSight(nearer, events, Neighbour::kRemoved);
  const std::optional<Seen> second = RemovalSeenFrom(nearer, schedule, delta, nullptr);
  if (second.has_value()) {
    first.lower = std::max(first.lower, second->epsilon.lower);
    first.upper = std::min(first.upper, second->epsilon.upper);
  }
  return seen;
}

// δ on addition at ε, as far as it matters beside `known`: where Chernoff's bound, good to far less
// than this margin, is clearly below that, it is as much as need be said. Not where what the bound
// may itself have left out is no longer little beside `known`.
std::optional<double> DeltaOnAddition(absl::Span<const DpEvent> events, double epsilon,
                                      double known) {
  const ChernoffPoint around =
      ChernoffAtEpsilon(events, Neighbour::kAdded, epsilon, std::max(known, kTiniestDelta));
  if (known >= kTiniestDelta && around.log_delta < LogOf(known) - 0.01) return known;
  const std::optional<LossFrame> frame = FrameAround(around, events, Neighbour::kAdded);
  if (!frame.has_value()) return std::nullopt;
  return ComposeAddition(events, *frame).DeltaUpperBound(epsilon);
}

std::optional<double> EpsilonOnAddition(absl::Span<const DpEvent> events, double delta) {
  const ChernoffPoint around = ChernoffAtDelta(events, Neighbour::kAdded, delta);
  const std::optional<LossFrame> frame = FrameAround(around, events, Neighbour::kAdded);
  if (!frame.has_value()) return std::nullopt;
  return LeastEpsilon(ComposeAddition(events, *frame), *frame, around.epsilon, delta);
}

std::optional<DeltaBracket> DeltaOnRemoval(const LossSchedule& schedule, double epsilon) {
  const std::vector<DpEvent>& events = schedule.events;
  // How much mass the lattices may leave out depends on δ, and δ is what is asked for.
  // First leaving out next to nothing, then what the answer allows.
  ChernoffPoint around = ChernoffAtEpsilon(events, Neighbour::kRemoved, epsilon, kTiniestDelta);
  const double near = std::max(std::exp(around.log_delta), kTiniestDelta);
  around = ChernoffAtEpsilon(events, Neighbour::kRemoved, epsilon, near);
  const std::optional<LossFrame> frame = FrameAround(around, events, Neighbour::kRemoved);
  if (!frame.has_value()) return std::nullopt;
  const Composition sums = ComposeRemoval(schedule, *frame, std::nullopt);
  return DeltaBracket{.lower = sums.lower.DeltaLowerBound(epsilon),
                      .upper = sums.upper.DeltaUpperBound(epsilon)};
}

// Where no lattice can serve, or a wide one does: a bound from above alone. What is asked, ε or δ,
// has a bracket of one number; from below, 0 is said.
template <typename Bracket>
absl::StatusOr<Bracket> ByRenyi(absl::Span<const DpEvent> events,
                                absl::StatusOr<Bracket> (RenyiAccountant::*ask)(double) const,
                                double at) {
  RenyiAccountant renyi;
  for (const DpEvent& event : events) TW_RETURN_IF_ERROR(renyi.Compose(event));
  TW_ASSIGN_OR_RETURN(const Bracket bracket, (renyi.*ask)(at));
  return Bracket{.lower = 0, .upper = bracket.upper};
}

// Lattices that serve are far closer than Rényi is to the truth.
template <typename Bracket>
bool IsWide(const Bracket& bracket) {
  return !(bracket.lower >= 0.9 * bracket.upper);
}

}  // namespace

// Releases of everyone compose exactly, 1/σ² adding up; kept as one number they cost no transform.
// Kinds are compared by bits: two that differ in the last digit are two lattices, dear but right.
absl::Status PldAccountant::Compose(const DpEvent& event) {
  TW_RETURN_IF_ERROR(ValidateCount(event.count));
  if (event.count == 0) return absl::OkStatus();
  const double sigma = event.release.noise_multiplier();
  if (event.release.sampling_rate() == 1) {
    everyone_.Add(event);
    return absl::OkStatus();
  }
  for (DpEvent& known : sampled_) {
    const bool same = known.release.noise_multiplier() == sigma &&
                      known.release.sampling_rate() == event.release.sampling_rate();
    if (same && known.count <= std::numeric_limits<int64_t>::max() - event.count) {
      known.count += event.count;
      return absl::OkStatus();
    }
  }
  sampled_.push_back(event);
  return absl::OkStatus();
}

absl::StatusOr<EpsilonBracket> PldAccountant::Epsilon(double delta) const {
  TW_RETURN_IF_ERROR(ValidateDelta(delta));
  if (sampled_.empty() && everyone_.none()) return EpsilonBracket{.lower = 0, .upper = 0};
  if (sampled_.empty()) {
    return EpsilonBracket{
        .lower = GaussianEpsilonLowerBound(delta, everyone_.MostNoiseMultiplier()),
        .upper = GaussianEpsilonUpperBound(delta, everyone_.LeastNoiseMultiplier())};
  }
  if (everyone_.unbounded()) {
    return EpsilonBracket{.lower = 0, .upper = std::numeric_limits<double>::infinity()};
  }
  TW_ASSIGN_OR_RETURN(const LossSchedule schedule, MakeSchedule(sampled_, everyone_));
  const std::vector<DpEvent>& events = schedule.events;
  const std::optional<Seen> removed = EpsilonOnRemoval(schedule, delta);
  if (!removed.has_value()) return ByRenyi(events, &RenyiAccountant::Epsilon, delta);
  EpsilonBracket bracket = removed->epsilon;
  // Is addition already within δ at the ε that removal needs? Then removal's answer stands for
  // both. The cheapest witness first: the sum taken along, then δ on addition, then ε on addition
  // itself.
  const double there = std::max(bracket.upper, std::numeric_limits<double>::min());
  if (!(removed->added.has_value() && removed->added->DeltaUpperBound(there) <= delta)) {
    const std::optional<double> added = DeltaOnAddition(events, there, delta);
    if (!(added.has_value() && *added <= delta)) {
      const std::optional<double> more = EpsilonOnAddition(events, delta);
      if (!more.has_value()) return ByRenyi(events, &RenyiAccountant::Epsilon, delta);
      bracket.upper = std::max(bracket.upper, *more);
    }
  }
  if (IsWide(bracket)) {
    TW_ASSIGN_OR_RETURN(const EpsilonBracket renyi,
                        ByRenyi(events, &RenyiAccountant::Epsilon, delta));
    bracket.upper = std::min(bracket.upper, renyi.upper);
  }
  bracket.lower = std::min(bracket.lower, bracket.upper);
  return bracket;
}

absl::StatusOr<DeltaBracket> PldAccountant::Delta(double epsilon) const {
  TW_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (sampled_.empty() && everyone_.none()) return DeltaBracket{.lower = 0, .upper = 0};
  if (sampled_.empty()) {
    return DeltaBracket{
        .lower = GaussianDeltaLowerBound(epsilon, everyone_.MostNoiseMultiplier()),
        .upper = GaussianDeltaUpperBound(epsilon, everyone_.LeastNoiseMultiplier())};
  }
  if (everyone_.unbounded()) return DeltaBracket{.lower = 0, .upper = 1};
  TW_ASSIGN_OR_RETURN(const LossSchedule schedule, MakeSchedule(sampled_, everyone_));
  const std::vector<DpEvent>& events = schedule.events;
  const std::optional<DeltaBracket> removed = DeltaOnRemoval(schedule, epsilon);
  if (!removed.has_value()) return ByRenyi(events, &RenyiAccountant::Delta, epsilon);
  const std::optional<double> added = DeltaOnAddition(events, epsilon, removed->upper);
  if (!added.has_value()) return ByRenyi(events, &RenyiAccountant::Delta, epsilon);
  DeltaBracket bracket = {.lower = removed->lower < kSmallestDelta ? 0 : removed->lower,
                          .upper = std::max({removed->upper, *added, kSmallestDelta})};
  if (IsWide(bracket)) {
    TW_ASSIGN_OR_RETURN(const DeltaBracket renyi,
                        ByRenyi(events, &RenyiAccountant::Delta, epsilon));
    bracket.upper = std::min(bracket.upper, renyi.upper);
  }
  bracket.lower = std::min(bracket.lower, bracket.upper);
  return bracket;
}

std::unique_ptr<PrivacyAccountant> PldAccountant::Clone() const {
  return std::unique_ptr<PrivacyAccountant>(new PldAccountant(*this));
}

}  // namespace topicwall::accountant
