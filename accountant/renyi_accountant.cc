#include "accountant/renyi_accountant.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accountant/privacy_params.h"
#include "accountant/status_macros.h"
#include "accountant/subsampled_gaussian.h"

namespace topicwall::accountant {
namespace {

// The grid in y = ln(a − 1): evenly spaced, a − 1 from 10⁻² to 10⁴ (ln 10 = 2.302585…).
constexpr double kLogTen = 2.302585092994046;
constexpr double kGridLow = -2 * kLogTen;
constexpr double kGridHigh = 4 * kLogTen;
constexpr double kWidestLow = -9 * kLogTen;
constexpr double kWidestHigh = 12 * kLogTen;
constexpr int kGridPoints = 56;
constexpr double kSpacing = (kGridHigh - kGridLow) / (kGridPoints - 1);
// 0.618^28 of a bracket of width 2·0.25 is 7e-7; the bound is flat at its least value, so what is
// left to gain is of the order of its square.
constexpr int kGoldenSteps = 28;
constexpr double kGolden = 0.6180339887498949;

double GridPoint(int i) { return kGridLow + i * kSpacing; }
double OrderAt(double y) { return 1 + std::exp(y); }

double GoldenSection(absl::FunctionRef<double(double)> f, double low, double high) {
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double f_left = f(left);
  double f_right = f(right);
  for (int i = 0; i < kGoldenSteps; ++i) {
    if (f_left <= f_right) {
      high = right;
      right = left;
      f_right = f_left;
      left = high - kGolden * (high - low);
      f_left = f(left);
    } else {
      low = left;
      left = right;
      f_left = f_right;
      right = low + kGolden * (high - low);
      f_right = f(right);
    }
  }
  return std::min(f_left, f_right);
}

}  // namespace

RenyiAccountant::RenyiAccountant() : grid_moments_(kGridPoints, 0.0) {}

absl::Status RenyiAccountant::Compose(const DpEvent& event) {
  TW_RETURN_IF_ERROR(ValidateCount(event.count));
  if (event.count == 0) return absl::OkStatus();
  for (int i = 0; i < kGridPoints; ++i) {
    grid_moments_[static_cast<size_t>(i)] +=
        static_cast<double>(event.count) *
        LogMomentUpperBound(event.release, OrderAt(GridPoint(i)));
  }
  for (DpEvent& known : events_) {
    const bool same = known.release.noise_multiplier() == event.release.noise_multiplier() &&
                      known.release.sampling_rate() == event.release.sampling_rate();
    if (same && known.count <= std::numeric_limits<int64_t>::max() - event.count) {
      known.count += event.count;
      return absl::OkStatus();
    }
  }
  events_.push_back(event);
  return absl::OkStatus();
}

double RenyiAccountant::RenyiDivergenceUpperBound(double order) const {
  double moment = 0;
  for (const DpEvent& event : events_) {
    moment += static_cast<double>(event.count) * LogMomentUpperBound(event.release, order);
  }
  return moment / (order - 1);
}

double RenyiAccountant::LeastOverOrders(absl::FunctionRef<double(const RenyiPrice&)> bound,
                                        double enough) const {
  double best = std::numeric_limits<double>::infinity();
  double best_y = GridPoint(0);
  const auto keep_if_better = [&](double y, double value) {
    if (!(value < best)) return false;
    best = value;
    best_y = y;
    return true;
  };
  for (int i = 0; i < kGridPoints; ++i) {
    const double y = GridPoint(i);
    const double order = OrderAt(y);
    const double rdp = grid_moments_[static_cast<size_t>(i)] / (order - 1);
    keep_if_better(y, bound({.order = order, .rdp = rdp}));
  }
  const auto at = [&](double y) {
    const double order = OrderAt(y);
    return bound({.order = order, .rdp = RenyiDivergenceUpperBound(order)});
  };
  const bool low_end = best_y == GridPoint(0);
  const double direction = low_end ? -kSpacing : kSpacing;
  if (low_end || best_y == GridPoint(kGridPoints - 1)) {
    double y = best_y + direction;
    while (best > enough && y >= kWidestLow && y <= kWidestHigh && keep_if_better(y, at(y))) {
      y += direction;
    }
  }
  if (!(best > enough)) return best;
  return std::min(best, GoldenSection(at, best_y - kSpacing, best_y + kSpacing));
}

absl::StatusOr<EpsilonBracket> RenyiAccountant::Epsilon(double delta) const {
  TW_RETURN_IF_ERROR(ValidateDelta(delta));
  const double smallest_order = OrderAt(GridPoint(0));
  if (events_.empty() ||
      TotalVariationUpperBound(grid_moments_[0] / (smallest_order - 1)) <= delta) {
    return EpsilonBracket{.lower = 0, .upper = 0};
  }
  const double least = LeastOverOrders(
      [delta](const RenyiPrice& price) { return EpsilonUpperBound(price, delta); }, 0.0);
  const double epsilon = std::max(least, 0.0);
  return EpsilonBracket{.lower = epsilon, .upper = epsilon};
}

absl::StatusOr<DeltaBracket> RenyiAccountant::Delta(double epsilon) const {
  TW_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (events_.empty()) return DeltaBracket{.lower = 0, .upper = 0};
  const double log_least = LeastOverOrders(
      [epsilon](const RenyiPrice& price) { return LogDeltaUpperBound(price, epsilon); },
      -std::numeric_limits<double>::infinity());
  const double smallest_order = OrderAt(GridPoint(0));
  const double total_variation = TotalVariationUpperBound(grid_moments_[0] / (smallest_order - 1));
  const double delta = std::min(std::exp(std::min(log_least, 0.0)), total_variation);
  return DeltaBracket{.lower = delta, .upper = delta};
}

std::unique_ptr<PrivacyAccountant> RenyiAccountant::Clone() const {
  return std::unique_ptr<PrivacyAccountant>(new RenyiAccountant(*this));
}

}  // namespace topicwall::accountant
