#include "accountant/filters/inventory_spec.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "accountant/filters/budget_filter.h"
#include "accountant/filters/filter_spec.h"
#include "accountant/filters/planned_use.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// Whether voucher a is worth at least as much as voucher b, whatever the price.
bool Dominates(const VoucherKind& a, const VoucherKind& b) {
  return a.noise_multiplier <= b.noise_multiplier && a.sampling_rate >= b.sampling_rate;
}

absl::Status ValidateKind(const VoucherKind& kind) {
  if (!(kind.noise_multiplier >= kSmallestNoiseMultiplier &&
        kind.noise_multiplier <= kLargestNoiseMultiplier)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "noise_multiplier of a voucher must be in [2^-6, 2^20]; got ", kind.noise_multiplier, "."));
  }
  if (!(kind.sampling_rate > 0 && kind.sampling_rate <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sampling_rate of a voucher must be in (0, 1]; got ", kind.sampling_rate, "."));
  }
  if (!(kind.count >= 1 && kind.count <= kMostReleases)) {
    return absl::InvalidArgumentError(absl::StrCat("count of a voucher must be in [1, ",
                                                   kMostReleases, "]; got ", kind.count, "."));
  }
  return absl::OkStatus();
}

// Everything but the order.
absl::Status ValidateKinds(const std::vector<VoucherKind>& kinds) {
  if (kinds.empty() || kinds.size() > kMostVoucherKinds) {
    return absl::InvalidArgumentError(absl::StrCat("an inventory must have 1 to ",
                                                   kMostVoucherKinds, " kinds of vouchers; got ",
                                                   kinds.size(), "."));
  }
  int64_t vouchers = 0;
  for (const VoucherKind& kind : kinds) {
    TW_RETURN_IF_ERROR(ValidateKind(kind));
    vouchers += kind.count;  // at most 64 · 2^40
  }
  if (vouchers > kMostReleases) {
    return absl::InvalidArgumentError(absl::StrCat("an inventory must have at most ", kMostReleases,
                                                   " vouchers; got ", vouchers, "."));
  }
  return absl::OkStatus();
}

std::vector<VoucherKind> Merged(const std::vector<VoucherKind>& kinds) {
  std::vector<VoucherKind> merged;
  for (const VoucherKind& kind : kinds) {
    // Each suffices for the other exactly if both numbers are equal.
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const VoucherKind& other) {
      return Dominates(kind, other) && Dominates(other, kind);
    });
    if (same == merged.end()) {
      merged.push_back(kind);
    } else {
      same->count += kind.count;
    }
  }
  return merged;
}

// The order of a default filter at which most full-batch releases fit: n of them cost n·a/2σ² at
// order a, so B(a)/a is how many do, up to a factor.
absl::StatusOr<double> OrderOfValue(const PrivacyParams& budget) {
  // The weight of a default filter's best order (planned_use.cc). Values only decide which vouchers
  // are drawn first, and never what they cost.
  constexpr double kShareOfDelta = 0.9;
  TW_ASSIGN_OR_RETURN(const FilterSpec spec, SpecFor(PlannedUse::kSampled, budget));
  const double log_failure = LogFailureProbability(kShareOfDelta, budget.delta);
  const auto releases_that_fit = [&](double order) {
    return (budget.epsilon - ConversionCostUpperBound(order, log_failure)) / order;
  };
  return *std::max_element(spec.orders.begin(), spec.orders.end(), [&](double a, double b) {
    return releases_that_fit(a) < releases_that_fit(b);
  });
}

struct Valued {
  VoucherKind kind;
  double value;
};

// The cheapest of those that dominate no other: rounding of the prices cannot put a kind before
// one that its voucher could pay for.
size_t LeastValuable(const std::vector<Valued>& left) {
  size_t least = left.size();
  for (size_t i = 0; i < left.size(); ++i) {
    // Some kind dominates no other: different kinds cannot dominate each other in a circle.
    const bool dominates_another = std::any_of(left.begin(), left.end(), [&](const Valued& other) {
      return &other != &left[i] && Dominates(left[i].kind, other.kind);
    });
    if (dominates_another) continue;
    if (least == left.size() || left[i].value < left[least].value) least = i;
  }
  return least;
}

}  // namespace

bool Suffices(const VoucherKind& voucher, const SubsampledGaussian& release) {
  return release.noise_multiplier() >= voucher.noise_multiplier &&
         release.sampling_rate() <= voucher.sampling_rate;
}

absl::Status Validate(const InventorySpec& spec) {
  TW_RETURN_IF_ERROR(ValidateFilterBudget(spec.budget));
  TW_RETURN_IF_ERROR(ValidateKinds(spec.kinds));
  for (size_t i = 0; i < spec.kinds.size(); ++i) {
    for (size_t j = i + 1; j < spec.kinds.size(); ++j) {
      if (!Dominates(spec.kinds[i], spec.kinds[j])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("kinds must be different and go from the least to the most valuable; kind ",
                       i, " could pay for whatever kind ", j, " behind it can."));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<InventorySpec> MakeInventorySpec(const PrivacyParams& budget,
                                                const std::vector<VoucherKind>& kinds) {
  TW_RETURN_IF_ERROR(ValidateFilterBudget(budget));
  TW_RETURN_IF_ERROR(ValidateKinds(kinds));
  TW_ASSIGN_OR_RETURN(const double order, OrderOfValue(budget));
  std::vector<Valued> left;
  for (const VoucherKind& kind : Merged(kinds)) {
    TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                        SubsampledGaussian::Create({.sampling_rate = kind.sampling_rate,
                                                    .noise_multipliers = {kind.noise_multiplier}}));
    left.push_back({.kind = kind, .value = LogMomentUpperBound(release, order)});
  }
  InventorySpec spec = {.budget = budget, .kinds = {}};
  // One at a time, at most 64: dominance is only a partial order, which std::sort could not be
  // given together with the prices without breaking its rules.
  while (!left.empty()) {
    const size_t least = LeastValuable(left);
    spec.kinds.push_back(left[least].kind);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(least));
  }
  TW_RETURN_IF_ERROR(Validate(spec));
  return spec;
}

}  // namespace topicwall::accountant
