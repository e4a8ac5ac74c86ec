#include "accountant/filters/filter_spec.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// With at most 40 fractional bits ε is at most 2^60 units and an offset, 2^10·|ln wδ| at most,
// below 2^61: differences of them with sums up to 2^62 stay within an int64_t.
constexpr double kLargestEpsilon = 0x1p20;
constexpr double kSmallestOrder = 1 + 0x1p-10;
constexpr double kLargestOrder = 0x1p20;
// Weights such as 0.1/74 are no binary fractions: their sum in doubles may pass 1 though they were
// meant to add up to it. What is let pass is taken back from every order's δ
// (LogFailureProbability).
constexpr double kWeightRounding = 0x1p-44;

absl::Status ValidateOrders(const std::vector<double>& orders) {
  double previous = 0;
  for (const double order : orders) {
    if (!(order >= kSmallestOrder && order <= kLargestOrder && order > previous)) {
      return absl::InvalidArgumentError(
          absl::StrCat("orders must increase strictly within [1 + 2^-10, 2^20]; got ", order, "."));
    }
    previous = order;
  }
  return absl::OkStatus();
}

absl::Status ValidateWeights(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) {
    if (!(weight > 0)) {
      return absl::InvalidArgumentError(absl::StrCat("weights must be > 0; got ", weight, "."));
    }
    sum += weight;
  }
  if (!(sum <= 1 + kWeightRounding)) {
    return absl::InvalidArgumentError(
        absl::StrCat("weights must add up to at most 1; got ", sum, "."));
  }
  return absl::OkStatus();
}

// In integers, so that Σ w ≤ 1 holds exactly. The Gaussian witness compares with w_G δ itself and
// has no logarithm from which a rounding could be taken back.
absl::Status ValidateWithGaussian(const FilterSpec& spec) {
  if (spec.fixed_point_bits != 32) {
    return absl::InvalidArgumentError(absl::StrCat(
        "fixed_point_bits must be 32 with a gaussian_weight; got ", spec.fixed_point_bits, "."));
  }
  std::vector<double> weights = spec.weights;
  weights.push_back(spec.gaussian_weight);
  constexpr uint64_t kOne = uint64_t{1} << 32;
  uint64_t sum = 0;
  for (const double weight : weights) {
    const double units = std::ldexp(weight, 32);
    if (!(units >= 1 && units <= kOne && units == std::floor(units))) {
      return absl::InvalidArgumentError(
          absl::StrCat("weights must be multiples of 2^-32 in (0, 1] with a gaussian_weight; got ",
                       weight, "."));
    }
    sum += static_cast<uint64_t>(units);
    if (sum > kOne) {
      return absl::InvalidArgumentError(absl::StrCat(
          "weights and gaussian_weight must add up to at most 1; got more at ", weight, "."));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateFilterBudget(const PrivacyParams& budget) {
  TW_RETURN_IF_ERROR(Validate(budget));
  if (!(budget.epsilon <= kLargestEpsilon)) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon must be at most 2^20; got ", budget.epsilon, "."));
  }
  return absl::OkStatus();
}

absl::Status Validate(const FilterSpec& spec) {
  TW_RETURN_IF_ERROR(ValidateFilterBudget(spec.budget));
  if (spec.orders.empty() || spec.orders.size() != spec.weights.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("orders and weights must be of one length, at least 1; got ",
                     spec.orders.size(), " and ", spec.weights.size(), "."));
  }
  TW_RETURN_IF_ERROR(ValidateOrders(spec.orders));
  TW_RETURN_IF_ERROR(ValidateWeights(spec.weights));
  if (spec.fixed_point_bits < 16 || spec.fixed_point_bits > 40) {
    return absl::InvalidArgumentError(
        absl::StrCat("fixed_point_bits must be in [16, 40]; got ", spec.fixed_point_bits, "."));
  }
  return spec.gaussian_weight == 0 ? absl::OkStatus() : ValidateWithGaussian(spec);
}

double LogFailureProbability(double weight, double delta) {
  return std::log(weight) + std::log(delta) - 2 * kWeightRounding;
}

// The parts cancel: near a = 1 they are thousands where their sum is of order one. So the margin is
// relative to their sizes.
double ConversionCostUpperBound(double order, double log_failure_probability) {
  const double tail = log_failure_probability / (order - 1);
  const double entropy = std::log(order) / (order - 1);
  const double shift = std::log1p(-1 / order);
  const double size = std::abs(tail) + entropy + std::abs(shift);
  return shift - tail - entropy + 0x1p-46 * size;
}

}  // namespace topicwall::accountant
