// InventorySpec: what a budget of vouchers holds, recorded when it is opened and never changed.
//
// A voucher (σ_i, ν_i) pays for one release with at least that much noise and at most that
// sampling rate. The recorded order of the kinds is the order in which they are drawn: from the
// least to the most valuable, so that a strong voucher is not spent where a weak one is enough.
// Value is the Rényi price of the voucher's own release, at the order that suits the budget best;
// where prices tie, the order given. Readers rely on the recorded order alone: they need not
// compute a price to know which voucher a plan has drawn. PUBLIC. Pure functions.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_INVENTORY_SPEC_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_INVENTORY_SPEC_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {

struct VoucherKind {
  double noise_multiplier;  // σ_i, in [2^-6, 2^20]
  double sampling_rate;     // ν_i in (0, 1]
  int64_t count;            // n_i ≥ 1, all kinds together at most kMostReleases

  bool operator==(const VoucherKind&) const = default;
};

inline constexpr int kMostVoucherKinds = 64;

struct InventorySpec {
  PrivacyParams budget;
  std::vector<VoucherKind> kinds;  // 1 … 64, all different, from the least to the most valuable

  bool operator==(const InventorySpec&) const = default;
};

// Whether a voucher of this kind may pay for the release: σ_eff ≥ σ_i and ν ≤ ν_i, compared
// exactly. Then the release is a post-processing of the voucher's dominating pair
// (N(0, σ_i²), (1−ν_i) N(0, σ_i²) + ν_i N(1, σ_i²)), in both directions:
//  * lower ν: keep the draw with probability ν/ν_i, else put a fresh N(0, σ_i²) in its place; the
//    coin of ν is the coin of ν_i and a second one, and the mixture becomes that of ν;
//  * higher σ: add N(0, σ² − σ_i²), which turns each normal into one of variance σ².
bool Suffices(const VoucherKind& voucher, const SubsampledGaussian& release);

// INVALID_ARGUMENT, naming field, rule and value, for a spec outside these rules; also for kinds
// out of order in the one way that needs no price: a kind before another that its voucher could
// pay for. (Whether the vouchers together keep the budget: VoucherInventory::RequireWithinBudget.)
absl::Status Validate(const InventorySpec& spec);

// The spec of these vouchers: equal kinds are merged, and put in the recorded order.
// INVALID_ARGUMENT as Validate. Cost: one Rényi price a kind.
absl::StatusOr<InventorySpec> MakeInventorySpec(const PrivacyParams& budget,
                                                const std::vector<VoucherKind>& kinds);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_INVENTORY_SPEC_H_
