// VoucherInventory: the arithmetic of a budget that was cut into vouchers beforehand.
//
// The custodian fixes a multiset {(σ_i, ν_i) × n_i} whose *exact* composition (privacy loss
// distribution, upper bound) keeps (ε, δ). Every release uses up one voucher that suffices for it
// (inventory_spec.h), the least valuable one there is. Then everything ever released is
// (ε, δ)-private, however the analysts choose plans, their order, clip norms and topics by looking
// at earlier releases, interleave them, cancel what was not charged, or stop.
// Proof. Fix a pair of neighbouring corpora; both directions go alike. Let z_v, one for each
// voucher v, be independent draws, all from the first or all from the second half of their
// vouchers' dominating pairs: two product laws, whose composition the inventory was checked
// against. Whoever holds them, and not the corpus, can play the wall: the transcript so far, and
// the analysts' own coins, name the next release and its voucher v; by Blackwell's theorem that
// release is a randomised function of z_v alone, because v dominates it; and z_v is fresh, because
// each voucher is used once. So the transcript, whenever one stops, is a post-processing of the
// product, and no choice made along the way enters the bound. A plan sets its vouchers aside in
// recorded order and its charged releases use them in that order, so it is settled at the time of
// a charge which voucher it uses, and those behind were used by nobody when a cancel returns them.
// (Contrast: with *kinds* chosen along the way, checking the composition of what was spent so far
// has no valid proof; that is what the weighted filter of budget_filter.h is for.)
//
// `drawn` has one entry per kind: vouchers used or set aside. Draws and returns are exact integers
// and nothing wraps; a kind drawn beyond its count (taken over after a restore) has none left, and
// one at kDeadOrder, or beyond 2^62, is gone for ever. PUBLIC. Immutable, any thread.
// Cost: drawing below a microsecond; whatever says ε or δ composes (pld_accountant.h): mostly below
// 100 ms, some seconds where vouchers are rare and loud, and more the more kinds there are.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_VOUCHER_INVENTORY_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_VOUCHER_INVENTORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/accountants/privacy_accountant.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/budget_filter.h"
#include "accountant/filters/inventory_spec.h"

namespace topicwall::accountant {

class VoucherInventory {
 public:
  // INVALID_ARGUMENT as Validate(spec). Does not compose: RequireWithinBudget does, at opening.
  static absl::StatusOr<VoucherInventory> Create(const InventorySpec& spec);

  const InventorySpec& spec() const { return spec_; }
  CostVector NothingDrawn() const { return CostVector(spec_.kinds.size(), 0); }
  CostVector AllDrawn() const;

  // OK iff all vouchers together keep the budget: ε(δ) of their composition, from above, is ≤ ε.
  // INVALID_ARGUMENT otherwise, saying what they come to.
  absl::Status RequireWithinBudget() const;
  // The most vouchers of one kind with which the budget is kept, the other kinds as they are;
  // 0 … kMostReleases. INVALID_ARGUMENT unless `kind` is an index. Cost: some ten compositions.
  absl::StatusOr<int64_t> MostOfKind(size_t kind) const;

  // Vouchers left that suffice for the release.
  int64_t LeftFor(const SubsampledGaussian& release, const CostVector& drawn) const;
  // The vouchers that plan.count releases use, per kind: in recorded order, kinds with none left
  // are passed over. nullopt if too few are left, or the count is not in [1, kMostReleases].
  std::optional<CostVector> Draw(const DpEvent& plan, const CostVector& drawn) const;
  // Whether `cost` pays for the plan at all: one sufficient voucher for each of its releases.
  bool PaysFor(const DpEvent& plan, const CostVector& cost) const;
  // The vouchers of a plan's first `count` releases.
  CostVector FirstOf(const CostVector& cost, int64_t count) const;

  // ε at the budget's δ of these vouchers alone, composed, from above; 0 for none, infinity for a
  // kind that is gone. The meter: what may be *signed* is (ε, δ) of the whole, and its profile.
  double EpsilonUpperBound(const CostVector& drawn) const;

  // The δ at which all vouchers together are (epsilon, δ)-private, from above: a privacy profile
  // of the whole budget that is valid whatever was drawn. 1 unless epsilon is finite and > 0.
  double DeltaUpperBound(double epsilon) const;

  // The smallest σ of any kind at which a plan costs at most target.epsilon by EpsilonUpperBound,
  // drawn from the full inventory. More noise than a voucher asks for saves nothing, so only the
  // kinds' own σ are tried. INVALID_ARGUMENT for bad fields; FAILED_PRECONDITION if none is enough.
  absl::StatusOr<double> SmallestNoiseMultiplier(const BudgetFilter::PlanTarget& target) const;

 private:
  VoucherInventory(InventorySpec spec, std::vector<SubsampledGaussian> releases)
      : spec_(std::move(spec)), releases_(std::move(releases)) {}

  int64_t LeftOf(size_t kind, const CostVector& drawn) const;
  // nullptr if a count is out of an accountant's range.
  std::unique_ptr<PrivacyAccountant> Composed(const CostVector& vouchers) const;

  InventorySpec spec_;
  std::vector<SubsampledGaussian> releases_;  // of each kind, the worst it can pay for
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_VOUCHER_INVENTORY_H_
