#include "accountant/pld/loss_frame.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/functional/function_ref.h"
#include "accountant/accountants/bracketed_search.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {
namespace {

// Of tilts from 0.007 to 60,000. A best one outside is missed, which widens the bracket and no
// more.
constexpr double kLogSmallestTilt = -5;
constexpr double kLogLargestTilt = 11;
// e^{−40} is 4e-18: less than what rounding takes of all that is inside.
constexpr double kLogTailOutside = 40;
constexpr int kSlopesTried = 14;
constexpr double kMostFramePoints = 0x1p22;
constexpr double kComfortablePoints = 0x1p21;  // more only if the width asks for it
constexpr double kWidthShare = 1e-5;           // of the bracket in ε, relative between 0.1 and 60
constexpr double kPointsPerDeviation = 10;     // of one loss's spread
constexpr double kPointsPerNarrowDeviation = 6;
constexpr double kTailShare = 1e-8;  // of δ that the grid may cut off

// max over s ≥ 0 of e^{−θs}(1 − e^{−s}), in logs.
double LogPeak(double theta) { return theta * std::log(theta) - (1 + theta) * std::log1p(theta); }

// The least value of f over ln θ: a coarse scan, then golden section around its best, which asks
// 16 times whatever f is. (order_search.h finds it closer, and asks up to 45 times at a steep
// wall.)
double BestTilt(absl::FunctionRef<double(double tilt)> f) {
  constexpr int kScan = 24;
  constexpr int kGoldenSteps = 14;
  constexpr double kGolden = 0.6180339887498949;
  const double spacing = (kLogLargestTilt - kLogSmallestTilt) / kScan;
  double best = kInfinity;
  double at = kLogSmallestTilt;
  for (int i = 0; i <= kScan; ++i) {
    const double y = kLogSmallestTilt + i * spacing;
    const double value = f(std::exp(y));
    if (value < best) {
      best = value;
      at = y;
    }
  }
  double low = at - spacing;
  double high = at + spacing;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double f_left = f(std::exp(left));
  double f_right = f(std::exp(right));
  for (int i = 0; i < kGoldenSteps; ++i) {
    if (f_left <= f_right) {
      high = right;
      right = left;
      f_right = f_left;
      left = high - kGolden * (high - low);
      f_left = f(std::exp(left));
    } else {
      low = left;
      left = right;
      f_left = f_right;
      right = low + kGolden * (high - low);
      f_right = f(std::exp(right));
    }
  }
  return std::exp((low + high) / 2);
}

class Planner {
 public:
  // Leaves out a small share of δ = e^{log_delta}.
  Planner(absl::Span<const DpEvent> events, Neighbour neighbour, double log_delta)
      : events_(events) {
    for (const DpEvent& event : events) releases_ += static_cast<double>(event.count);
    // In equal parts by all releases. A δ near 1 must not let a release be cut where it shows, and
    // of a tail of 0 there would be no quantile.
    tail_mass_ = std::clamp(kTailShare * std::exp(log_delta) / releases_, 1e-290, 1e-9);
    for (const DpEvent& event : events) laws_.emplace_back(event.release, neighbour, tail_mass_);
  }

  double tail_mass() const { return tail_mass_; }
  TiltedLoss At(double tilt) const {
    TiltedLoss sum = {.log_moment = 0, .mean = 0, .variance = 0};
    for (size_t i = 0; i < laws_.size(); ++i) {
      const TiltedLoss one = laws_[i].At(tilt);
      const double count = static_cast<double>(events_[i].count);
      sum.log_moment += count * one.log_moment;
      sum.mean += count * one.mean;
      sum.variance += count * one.variance;
    }
    return sum;
  }
  double LogMoment(double tilt) const { return At(tilt).log_moment; }

  // Beside another frame, or (null) on a grid of its own.
  std::optional<LossFrame> Frame(const ChernoffPoint& point, const LossFrame* beside) const;

 private:
  struct WindowEnd {
    double loss;
    double slope;  // γ
  };
  WindowEnd EndOfWindow(double tilt, const TiltedLoss& tilted, double sign) const;
  double MostGridPoints(double spacing) const;
  double Spread() const;
  double NarrowestThatCounts(double tilt, double width) const;
  double Spacing(const ChernoffPoint& point, double window) const;

  absl::Span<const DpEvent> events_;
  std::vector<LossLaw> laws_;  // one for each event
  double releases_ = 0;
  double tail_mass_;
};

// Where Markov's inequality for e^{±γS} leaves e^{−kLogTailOutside}, at the best of a few γ.
Planner::WindowEnd Planner::EndOfWindow(double tilt, const TiltedLoss& tilted, double sign) const {
  const double deviation = std::sqrt(tilted.variance);
  WindowEnd end = {.loss = kInfinity, .slope = 1 / deviation};
  // From what suits a bell curve down to what suits rare large losses.
  double gamma = 8 / deviation;
  for (int i = 0; i < kSlopesTried; ++i, gamma /= 2) {
    const double growth = LogMoment(tilt + sign * gamma) - tilted.log_moment;
    const double loss = (growth + kLogTailOutside) / gamma;
    if (loss < end.loss) end = {.loss = loss, .slope = gamma};
  }
  end.loss *= sign;
  return end;
}

double Planner::MostGridPoints(double spacing) const {
  double most = 0;
  for (const DpEvent& event : events_) {
    most = std::max(most, ReleaseLoss::GridPoints(event.release,
                                                  {.spacing = spacing, .tail_mass = tail_mass_}));
  }
  return most;
}

// The scale on which the law of one loss varies, root mean square over the releases: its standard
// deviation, or the distance to its sharp lower end at log(1−ν) where most of it may lie.
double Planner::Spread() const {
  double squares = 0;
  for (size_t i = 0; i < laws_.size(); ++i) {
    const double lowest = -std::log1p(-events_[i].release.sampling_rate());  // infinite for ν = 1
    squares +=
        static_cast<double>(events_[i].count) * std::min(laws_[i].At(0).variance, lowest * lowest);
  }
  return std::sqrt(squares / releases_);
}

double Planner::Spacing(const ChernoffPoint& point, double window) const {
  const double width = kWidthShare * std::clamp(point.epsilon, 0.1, 60.0);
  // The header's n(θ+1)h²/4 between the two bounds, solved for h.
  const double wanted = std::sqrt(4 * width / ((point.tilt + 1) * releases_));
  const double spread = Spread() / kPointsPerDeviation;
  const double range = spread * MostGridPoints(spread);
  const double cheap = std::max(range, window) / kComfortablePoints;
  const double fine = std::max(std::min(spread, NarrowestThatCounts(point.tilt, width)), cheap);
  // A hundredth wider than the largest grid would need, so that Frame's four points more fit, too.
  return std::max(std::min(wanted, fine), 1.01 * window / kMostFramePoints);
}

// A release much narrower than a cell is lost to the lower lattice: the grid follows the narrowest
// whose releases together would widen the bracket by more than `width`.
double Planner::NarrowestThatCounts(double tilt, double width) const {
  double narrowest = kInfinity;
  for (size_t i = 0; i < laws_.size(); ++i) {
    const double variance = laws_[i].At(0).variance;
    if ((tilt + 1) / 2 * static_cast<double>(events_[i].count) * variance > width) {
      narrowest = std::min(narrowest, std::sqrt(variance) / kPointsPerNarrowDeviation);
    }
  }
  return narrowest;
}

std::optional<LossFrame> Planner::Frame(const ChernoffPoint& point, const LossFrame* beside) const {
  const double tilt = point.tilt;
  const TiltedLoss tilted = At(tilt);
  const double deviation = std::sqrt(tilted.variance);
  if (!(deviation > 0 && std::isfinite(tilted.mean) && std::isfinite(point.log_delta))) {
    return std::nullopt;
  }
  const WindowEnd below = EndOfWindow(tilt, tilted, -1);
  const WindowEnd above = EndOfWindow(tilt, tilted, 1);
  // ε itself is inside in any case: it is what is asked about.
  const double low = std::min(below.loss, point.epsilon - deviation);
  const double high = std::max(above.loss, point.epsilon + deviation);
  double spacing = beside != nullptr ? beside->grid.spacing : Spacing(point, high - low);
  double points = beside != nullptr ? static_cast<double>(beside->window.points) : 4;
  for (int tries = 0;; ++tries, spacing *= 2) {
    const double grid_points = MostGridPoints(spacing);
    const double needed = std::max((high - low) / spacing + 4, grid_points);
    if (std::isinf(grid_points) || tries == 40) return std::nullopt;
    // The other frame's length is given, or the two could not be composed together.
    if (beside != nullptr && needed > points) return std::nullopt;
    // A coarser grid is a wider bracket, never a wrong one.
    if (needed > kMostFramePoints) continue;
    while (points < needed) points *= 2;
    break;
  }
  return LossFrame{.window = {.spacing = spacing,
                              .tilt = tilt,
                              .lowest = static_cast<int64_t>(std::floor(low / spacing)) - 1,
                              .points = static_cast<int64_t>(points),
                              .above_slope = above.slope,
                              .below_slope = below.slope},
                   .grid = {.spacing = spacing, .tail_mass = tail_mass_}};
}

}  // namespace

ChernoffPoint ChernoffAtDelta(absl::Span<const DpEvent> events, Neighbour neighbour, double delta) {
  const Planner planner(events, neighbour, std::log(delta));
  const auto epsilon_at = [&](double tilt) {
    return (planner.LogMoment(tilt) - std::log(delta) + LogPeak(tilt)) / tilt;
  };
  const double tilt = BestTilt(epsilon_at);
  return {.tilt = tilt,
          .epsilon = std::max(0.0, epsilon_at(tilt)),
          .log_delta = std::log(delta),
          .tail_mass = planner.tail_mass()};
}

ChernoffPoint ChernoffAtEpsilon(absl::Span<const DpEvent> events, Neighbour neighbour,
                                double epsilon, double expected_delta) {
  const Planner planner(events, neighbour, std::log(expected_delta));
  const auto log_delta_at = [&](double tilt) {
    return planner.LogMoment(tilt) - tilt * epsilon + LogPeak(tilt);
  };
  const double tilt = BestTilt(log_delta_at);
  return {.tilt = tilt,
          .epsilon = epsilon,
          .log_delta = std::min(0.0, log_delta_at(tilt)),
          .tail_mass = planner.tail_mass()};
}

ChernoffPoint WithBulkInSight(const ChernoffPoint& point, absl::Span<const DpEvent> events,
                              Neighbour neighbour) {
  const Planner planner(events, neighbour, point.log_delta);
  const double widest = 1.2 * planner.At(0).variance;
  const auto excess = [&](double tilt) {
    return planner.At(tilt).variance <= widest ? -1.0 : 1.0;  // halved: a few digits are enough
  };
  ChernoffPoint result = point;
  if (excess(point.tilt) <= 0) return result;
  const double widest_tilt = CloseIn({.refused = {.at = point.tilt, .excess = 1},
                                      .fits = {.at = 0, .excess = -1},
                                      .tolerance = point.tilt * 0x1p-20},
                                     excess);
  result.tilt = std::max(widest_tilt, point.tilt / 1024);
  return result;
}

std::optional<LossFrame> FrameAround(const ChernoffPoint& point, absl::Span<const DpEvent> events,
                                     Neighbour neighbour) {
  return Planner(events, neighbour, point.log_delta).Frame(point, nullptr);
}

std::optional<LossFrame> FrameBeside(const LossFrame& other, const ChernoffPoint& point,
                                     absl::Span<const DpEvent> events, Neighbour neighbour) {
  return Planner(events, neighbour, point.log_delta).Frame(point, &other);
}

}  // namespace topicwall::accountant
