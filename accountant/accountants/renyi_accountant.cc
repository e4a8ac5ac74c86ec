// A question first looks at the fixed grid, whose moments were added up while composing: its cost
// does not depend on the number of kinds. Only the refinement around the best of these orders asks
// every kind's table again. Orders are searched in y = ln(a − 1), where the valley is about equally
// wide for plans of any size.
#include "accountant/accountants/renyi_accountant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "accountant/accountants/order_search.h"
#include "accountant/events/privacy_params.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr double kRelativeRounding = std::numeric_limits<double>::epsilon();

// The grid in y = ln(a − 1): evenly spaced (ln 10 = 2.302585…).
constexpr double kLogTen = 2.302585092994046;
constexpr double kGridLow = -2 * kLogTen;
constexpr double kGridHigh = 3 * kLogTen;
constexpr double kWidestLow = -9 * kLogTen;
constexpr double kWidestHigh = 12 * kLogTen;
constexpr int kGridPoints = 21;
constexpr double kSpacing = (kGridHigh - kGridLow) / (kGridPoints - 1);

// A table is tens of kilobytes: a ledger of very many kinds keeps the first ones' and makes the
// others' anew at each order.
constexpr size_t kMostTablesKept = 1024;
constexpr size_t kFewKinds = 16;
constexpr double kTightness = 1e-10;
constexpr double kTightnessOfMany = 1e-7;

double GridPoint(int i) { return kGridLow + i * kSpacing; }
double OrderAt(double y) { return 1 + std::exp(y); }

const std::array<double, kGridPoints>& GridOrders() {
  static const std::array<double, kGridPoints> orders = [] {
    std::array<double, kGridPoints> made{};
    for (int i = 0; i < kGridPoints; ++i) made[static_cast<size_t>(i)] = OrderAt(GridPoint(i));
    return made;
  }();
  return orders;
}

// More than 2^53 releases are no longer counted one by one, but never too few.
double AddCount(double sum, int64_t count) {
  const double total = sum + static_cast<double>(count);
  return total > 0x1p53 ? std::nextafter(total, kInfinity) : total;
}

}  // namespace

struct RenyiAccountant::KindMoments {
  KindMoments(const SubsampledGaussian& release, bool keep_table)
      : table(release, GridOrders().back()) {
    for (size_t i = 0; i < grid.size(); ++i) grid[i] = table.LogMomentUpperBound(GridOrders()[i]);
    // Empty, but it answers any order all the same, from a copy that it makes and drops
    // (moment_table.h).
    if (!keep_table) table = MomentTable(release, /*largest_order=*/1);
  }

  std::array<double, kGridPoints> grid;
  MomentTable table;
};

RenyiAccountant::RenyiAccountant() : grid_moments_(kGridPoints, 0.0) {}

absl::Status RenyiAccountant::Compose(const DpEvent& event) {
  TW_RETURN_IF_ERROR(ValidateCount(event.count));
  if (event.count == 0) return absl::OkStatus();
  const Kind kind = {event.release.noise_multiplier(), event.release.sampling_rate()};
  // A fit composes one kind of release hundreds of times: its moments are worked out once.
  const auto [place, is_new] = kinds_.try_emplace(kind, Composed{.moments = nullptr, .count = 0});
  Composed& composed = place->second;
  if (is_new) {
    composed.moments =
        std::make_shared<const KindMoments>(event.release, kinds_.size() <= kMostTablesKept);
  }
  composed.count = AddCount(composed.count, event.count);
  for (size_t i = 0; i < grid_moments_.size(); ++i) {
    grid_moments_[i] += static_cast<double>(event.count) * composed.moments->grid[i];
  }
  ++additions_;
  return absl::OkStatus();
}

// A sum of n positive terms errs by n ulps at most: added, here for one term a kind, below for one
// a call of Compose.
double RenyiAccountant::RenyiDivergenceUpperBound(double order) const {
  double moment = 0;
  for (const auto& [kind, composed] : kinds_) {
    moment += composed.count * composed.moments->table.LogMomentUpperBound(order);
  }
  return moment * (1 + (static_cast<double>(kinds_.size()) + 2) * kRelativeRounding) / (order - 1);
}

double RenyiAccountant::GridDivergence(int i) const {
  const size_t index = static_cast<size_t>(i);
  return grid_moments_[index] * (1 + (additions_ + 2) * kRelativeRounding) /
         (GridOrders()[index] - 1);
}

double RenyiAccountant::LeastOverOrders(Bound bound, double enough) const {
  const auto at = [&](double y) {
    const double order = OrderAt(y);
    return bound({.order = order, .rdp = RenyiDivergenceUpperBound(order)});
  };
  std::array<double, kGridPoints> values;
  for (int i = 0; i < kGridPoints; ++i) {
    const size_t index = static_cast<size_t>(i);
    values[index] = bound({.order = GridOrders()[index], .rdp = GridDivergence(i)});
  }
  // Any order gives a valid bound, so the search may stop anywhere; that the bound has one valley
  // only decides how near it comes to the least.
  const auto least = std::min_element(values.begin(), values.end());
  const int best = static_cast<int>(least - values.begin());
  const bool low_end = best == 0;
  Valley valley = {.left = GridPoint(best - 1),
                   .middle = GridPoint(best),
                   .right = GridPoint(best + 1),
                   .left_value = low_end ? kInfinity : *(least - 1),
                   .middle_value = *least,
                   .right_value = best == kGridPoints - 1 ? kInfinity : *(least + 1)};
  // The least of the grid at one of its ends: go on beyond it, a step at a time.
  while (low_end && valley.middle_value > enough && valley.left >= kWidestLow) {
    valley.left_value = at(valley.left);
    if (!(valley.left_value < valley.middle_value)) break;
    valley = {.left = valley.left - kSpacing,
              .middle = valley.left,
              .right = valley.middle,
              .left_value = kInfinity,
              .middle_value = valley.left_value,
              .right_value = valley.middle_value};
  }
  while (best == kGridPoints - 1 && valley.middle_value > enough && valley.right <= kWidestHigh) {
    valley.right_value = at(valley.right);
    if (!(valley.right_value < valley.middle_value)) break;
    valley = {.left = valley.middle,
              .middle = valley.right,
              .right = valley.right + kSpacing,
              .left_value = valley.middle_value,
              .middle_value = valley.right_value,
              .right_value = kInfinity};
  }
  if (!(valley.middle_value > enough)) return valley.middle_value;
  // A step of the search costs one evaluation for each kind.
  const double tolerance = kinds_.size() <= kFewKinds ? kTightness : kTightnessOfMany;
  return LeastInValley(valley, tolerance, at);
}

absl::StatusOr<EpsilonBracket> RenyiAccountant::Epsilon(double delta) const {
  TW_RETURN_IF_ERROR(ValidateDelta(delta));
  // Divergences grow with the order: the grid's lowest one is the nearest to the KL divergence, and
  // an upper bound of it.
  if (kinds_.empty() || TotalVariationUpperBound(GridDivergence(0)) <= delta) {
    return EpsilonBracket{.lower = 0, .upper = 0};
  }
  const double least = LeastOverOrders(
      [delta](const RenyiPrice& price) { return EpsilonUpperBound(price, delta); }, 0.0);
  const double epsilon = std::max(least, 0.0);
  return EpsilonBracket{.lower = epsilon, .upper = epsilon};
}

absl::StatusOr<DeltaBracket> RenyiAccountant::Delta(double epsilon) const {
  TW_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (kinds_.empty()) return DeltaBracket{.lower = 0, .upper = 0};
  const double log_least = LeastOverOrders(
      [epsilon](const RenyiPrice& price) { return LogDeltaUpperBound(price, epsilon); },
      -kInfinity);
  // Positive, also where it is too small for a double.
  const double delta = std::max(
      std::min(std::exp(std::min(log_least, 0.0)), TotalVariationUpperBound(GridDivergence(0))),
      kSmallestDelta);
  return DeltaBracket{.lower = delta, .upper = delta};
}

std::unique_ptr<PrivacyAccountant> RenyiAccountant::Clone() const {
  return std::unique_ptr<PrivacyAccountant>(new RenyiAccountant(*this));
}

}  // namespace topicwall::accountant
