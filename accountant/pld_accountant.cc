#include "accountant/pld_accountant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/functional/function_ref.h"
#include "accountant/composed_loss.h"
#include "accountant/gaussian_mechanism.h"
#include "accountant/loss_frame.h"
#include "accountant/loss_lattice.h"
#include "accountant/privacy_params.h"
#include "accountant/renyi_accountant.h"
#include "accountant/status_macros.h"
#include "accountant/tilted_loss.h"

namespace topicwall::accountant {
namespace {

constexpr double kRounding = 0x1p-48;
constexpr double kTiniestDelta = 1e-80;
constexpr double kWideBracket = 2e-4;  // nats, relative above 1

// The sums of one direction; `lower` only for removal.
struct Composition {
  ComposedLoss upper;
  std::optional<ComposedLoss> lower;
};

Composition Compose(absl::Span<const DpEvent> events, Neighbour neighbour, const LossFrame& frame) {
  LowSpectrum spectrum(frame.window.points);
  LossComposer upper(frame.window);
  if (neighbour == Neighbour::kAdded) {
    for (const DpEvent& event : events) {
      upper.Add(ReleaseLoss(event.release, frame.grid).UpperOnAddition(), event.count, spectrum);
    }
    return {.upper = std::move(upper).Compose(spectrum), .lower = std::nullopt};
  }
  LossComposer lower(frame.window);
  for (const DpEvent& event : events) {
    const ReleaseLoss loss(event.release, frame.grid);
    upper.Add(loss.UpperOnRemoval(), event.count, spectrum);
    lower.Add(loss.LowerOnRemoval(), event.count, spectrum);
  }
  ComposedLoss above = std::move(upper).Compose(spectrum);
  return {.upper = std::move(above), .lower = std::move(lower).Compose(spectrum)};
}

double LogOf(double delta) { return delta > 0 ? std::log(delta) : -800; }

// Two arguments of a falling function, its value at least / at most a target there.
struct Crossing {
  double before;
  double after;
};

// Closes in by regula falsi, every third step a halving; the ends stay on their sides.
Crossing CloseIn(absl::FunctionRef<double(double)> f, double target, Crossing at) {
  constexpr int kMostSteps = 90;
  constexpr double kTolerance = 1e-10;
  double f_before = f(at.before) - target;
  double f_after = f(at.after) - target;
  for (int i = 0; i < kMostSteps && at.after - at.before > kTolerance * (1 + at.after); ++i) {
    double middle = at.before + (at.after - at.before) * f_before / (f_before - f_after);
    // A hair past the estimate, now on one side, now on the other, brings in both ends.
    middle += (i % 3 == 0 ? 0.25 : -0.25) * kTolerance * (1 + at.after);
    if (i % 3 == 2 || !(middle > at.before && middle < at.after)) {
      middle = at.before + (at.after - at.before) / 2;
    }
    const double value = f(middle) - target;
    (value > 0 ? at.before : at.after) = middle;
    (value > 0 ? f_before : f_after) = value;
  }
  return at;
}

// The least ε found at which f ≤ target, from `guess` up as far as `reach`.
std::optional<double> Reaches(absl::FunctionRef<double(double)> f, double target, double guess,
                              double reach) {
  if (f(0) <= target) return 0;
  Crossing at = {.before = 0, .after = guess};
  for (double step = (reach - guess) / 64; !(f(at.after) <= target); step *= 2) {
    at = {.before = at.after, .after = at.after + step};
    if (!(at.after <= reach)) return std::nullopt;
  }
  return CloseIn(f, target, at).after;
}

// The largest ε found at which f ≥ target, below `upper` where it is not; 0 if none.
double StillReaches(absl::FunctionRef<double(double)> f, double target, double upper) {
  Crossing at = {.before = upper, .after = upper};
  for (double step = 1e-6 * (1 + upper); !(f(at.before) >= target); step *= 4) {
    if (at.before == 0) return 0;
    at = {.before = std::max(0.0, at.before - step), .after = at.before};
  }
  return at.before == upper ? upper : CloseIn(f, target, at).before;
}

double FarEnd(const LossFrame& frame) {
  return static_cast<double>(frame.window.lowest + frame.window.points) * frame.window.spacing;
}

// ε of one direction as seen from around one point; nullopt where no frame serves.
std::optional<EpsilonBracket> EpsilonSeenFrom(const ChernoffPoint& around,
                                              absl::Span<const DpEvent> events, Neighbour neighbour,
                                              double delta) {
  const std::optional<LossFrame> frame = FrameAround(around, events, neighbour);
  if (!frame.has_value()) return std::nullopt;
  const Composition sums = Compose(events, neighbour, *frame);
  const auto upper = [&](double epsilon) { return LogOf(sums.upper.DeltaUpperBound(epsilon)); };
  const auto lower = [&](double epsilon) { return LogOf(sums.lower->DeltaLowerBound(epsilon)); };
  const std::optional<double> least =
      Reaches(upper, std::log(delta), around.epsilon, FarEnd(*frame));
  if (!least.has_value()) return std::nullopt;
  const bool two_sided = sums.lower.has_value();
  return EpsilonBracket{.lower = two_sided ? StillReaches(lower, std::log(delta), *least) : 0.0,
                        .upper = *least};
}

// Where rare large losses rule, Chernoff's bound is far from the answer and its tilt too strong:
// then a second look from around the first answer, with a gentler tilt. Both brackets
// hold.
std::optional<EpsilonBracket> EpsilonOf(absl::Span<const DpEvent> events, Neighbour neighbour,
                                        double delta) {
  const std::optional<EpsilonBracket> first =
      EpsilonSeenFrom(ChernoffAtDelta(events, neighbour, delta), events, neighbour, delta);
  if (!first.has_value() || neighbour == Neighbour::kAdded) return first;
  if (first->upper - first->lower < kWideBracket * std::max(1.0, first->upper)) return first;
  ChernoffPoint nearer = ChernoffAtEpsilon(events, neighbour, first->upper, delta);
  nearer.log_delta = std::log(delta);
  nearer = WithBulkInSight(nearer, events, neighbour);
  const std::optional<EpsilonBracket> second = EpsilonSeenFrom(nearer, events, neighbour, delta);
  if (!second.has_value()) return first;
  return EpsilonBracket{.lower = std::max(first->lower, second->lower),
                        .upper = std::min(first->upper, second->upper)};
}

// δ of one direction at ε. Where Chernoff's bound, which is good to far less than this margin, is
// clearly below `known`, that is as much as need be said.
std::optional<DeltaBracket> DeltaOf(absl::Span<const DpEvent> events, Neighbour neighbour,
                                    double epsilon, double known) {
  // Without a δ to compare with: first leaving out next to nothing, then what the answer allows.
  ChernoffPoint around =
      ChernoffAtEpsilon(events, neighbour, epsilon, known > 0 ? known : kTiniestDelta);
  if (around.log_delta < LogOf(known) - 0.01) return DeltaBracket{.lower = 0, .upper = known};
  if (known == 0) {
    const double near = std::max(std::exp(around.log_delta), kTiniestDelta);
    around = ChernoffAtEpsilon(events, neighbour, epsilon, near);
  }
  const std::optional<LossFrame> plan = FrameAround(around, events, neighbour);
  if (!plan.has_value()) return std::nullopt;
  const Composition sums = Compose(events, neighbour, *plan);
  return DeltaBracket{.lower = sums.lower.has_value() ? sums.lower->DeltaLowerBound(epsilon) : 0.0,
                      .upper = sums.upper.DeltaUpperBound(epsilon)};
}

// Where no lattice can serve: a bound from above alone.
class RenyiOf {
 public:
  explicit RenyiOf(absl::Span<const DpEvent> events) {
    for (const DpEvent& event : events) status_.Update(renyi_.Compose(event));
  }
  absl::StatusOr<EpsilonBracket> Epsilon(double delta) const {
    TW_RETURN_IF_ERROR(status_);
    TW_ASSIGN_OR_RETURN(const EpsilonBracket bracket, renyi_.Epsilon(delta));
    return EpsilonBracket{.lower = 0, .upper = bracket.upper};
  }
  absl::StatusOr<DeltaBracket> Delta(double epsilon) const {
    TW_RETURN_IF_ERROR(status_);
    TW_ASSIGN_OR_RETURN(const DeltaBracket bracket, renyi_.Delta(epsilon));
    return DeltaBracket{.lower = 0, .upper = bracket.upper};
  }

 private:
  RenyiAccountant renyi_;
  absl::Status status_;
};

}  // namespace

absl::Status PldAccountant::Compose(const DpEvent& event) {
  TW_RETURN_IF_ERROR(ValidateCount(event.count));
  if (event.count == 0) return absl::OkStatus();
  const double sigma = event.release.noise_multiplier();
  if (event.release.sampling_rate() == 1) {
    inverse_variance_ += static_cast<double>(event.count) / sigma / sigma;
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

std::vector<DpEvent> PldAccountant::Events() const {
  std::vector<DpEvent> events = sampled_;
  // The widest first: they leave fewest frequencies for the others.
  const auto spread = [](const DpEvent& event) {
    const double wide = event.release.sampling_rate() / event.release.noise_multiplier();
    return static_cast<double>(event.count) * wide * wide;
  };
  if (inverse_variance_ > 0) {
    const absl::StatusOr<SubsampledGaussian> everyone = SubsampledGaussian::Create(
        {.sampling_rate = 1, .noise_multipliers = {CombinedNoiseMultiplier() * (1 - kRounding)}});
    if (everyone.ok()) events.push_back({.release = *everyone, .count = 1});
  }
  std::stable_sort(events.begin(), events.end(),
                   [&spread](const DpEvent& a, const DpEvent& b) { return spread(a) > spread(b); });
  return events;
}

double PldAccountant::CombinedNoiseMultiplier() const { return 1 / std::sqrt(inverse_variance_); }

absl::StatusOr<EpsilonBracket> PldAccountant::Epsilon(double delta) const {
  TW_RETURN_IF_ERROR(ValidateDelta(delta));
  if (sampled_.empty() && inverse_variance_ == 0) return EpsilonBracket{.lower = 0, .upper = 0};
  if (sampled_.empty()) {
    const double sigma = CombinedNoiseMultiplier();
    return EpsilonBracket{.lower = GaussianEpsilonLowerBound(delta, sigma * (1 + kRounding)),
                          .upper = GaussianEpsilonUpperBound(delta, sigma * (1 - kRounding))};
  }
  const std::vector<DpEvent> events = Events();
  const std::optional<EpsilonBracket> removed = EpsilonOf(events, Neighbour::kRemoved, delta);
  if (!removed.has_value()) return RenyiOf(events).Epsilon(delta);
  EpsilonBracket bracket = *removed;
  // Addition nearly always costs less; then one look at δ there is enough.
  const double there = std::max(bracket.upper, std::numeric_limits<double>::min());
  const std::optional<DeltaBracket> added = DeltaOf(events, Neighbour::kAdded, there, delta);
  if (!(added.has_value() && added->upper <= delta)) {
    const std::optional<EpsilonBracket> more = EpsilonOf(events, Neighbour::kAdded, delta);
    if (!more.has_value()) return RenyiOf(events).Epsilon(delta);
    bracket.upper = std::max(bracket.upper, more->upper);
  }
  bracket.lower = std::min(bracket.lower * (1 - kRounding), bracket.upper);
  return bracket;
}

absl::StatusOr<DeltaBracket> PldAccountant::Delta(double epsilon) const {
  TW_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (sampled_.empty() && inverse_variance_ == 0) return DeltaBracket{.lower = 0, .upper = 0};
  if (sampled_.empty()) {
    const double sigma = CombinedNoiseMultiplier();
    return DeltaBracket{.lower = GaussianDeltaLowerBound(epsilon, sigma * (1 + kRounding)),
                        .upper = GaussianDeltaUpperBound(epsilon, sigma * (1 - kRounding))};
  }
  const std::vector<DpEvent> events = Events();
  const std::optional<DeltaBracket> removed = DeltaOf(events, Neighbour::kRemoved, epsilon, 0);
  if (!removed.has_value()) return RenyiOf(events).Delta(epsilon);
  const std::optional<DeltaBracket> added =
      DeltaOf(events, Neighbour::kAdded, epsilon, removed->upper);
  if (!added.has_value()) return RenyiOf(events).Delta(epsilon);
  return DeltaBracket{.lower = std::min(removed->lower * (1 - kRounding), removed->upper),
                      .upper = std::max(removed->upper, added->upper)};
}

std::unique_ptr<PrivacyAccountant> PldAccountant::Clone() const {
  return std::unique_ptr<PrivacyAccountant>(new PldAccountant(*this));
}

}  // namespace topicwall::accountant
