// BudgetFilter: the arithmetic that decides whether a budget admits more releases.
//
// At opening the custodian's δ is split over witnesses with weights w > 0, Σ w ≤ 1: Rényi orders
// a > 1 and, in budgets that have one, a Gaussian witness G. Witness: price of a release, budget:
//   a  log A_a/(a−1) [nats],          B(a) = ε − ln((a−1)/a) + (ln(w_a δ) + ln a)/(a−1);
//   G  1/σ_eff², sampled or not,      B(G) = μ*², the most with δ_μ*(ε) ≤ w_G δ, where δ_μ is the
//                                     curve of N(0, 1) against N(μ, 1) (gaussian_witness.h).
// A plan of n releases is admitted iff at some witness spent + n·price ≤ B. Then everything ever
// released is (ε, δ)-private, however the analysts choose plans, clip norms, topics and cancels by
// looking at earlier releases.
//
// Proof. Fix a direction; L is the privacy loss of all that was ever charged. A cancel gives back
// only what was not charged, so charged ≤ spent always; at the last admission some witness w had
// spent(w) ≤ B(w). So L is L_w, the loss stopped before the first charge that would pass B(w),
// which is known before that release is made. Hence (1 − e^{ε−L})⁺ ≤ Σ_w (1 − e^{ε−L_w})⁺, each
// term the mass beyond ε of a real, stopped transcript. It remains that this is at most w δ.
//   a: the loss less its predictable price is a supermartingale (of exp (a−1)·), so the divergence
//      stopped is ≤ B(a), whose mass beyond ε is ≤ w_a δ (Canonne, Kamath, Steinke 2020, Prop. 12).
//   G: a release is a function, known beforehand, of one draw z from N(0, 1) or N(m, 1) with
//      m = 1/σ_eff, and of independent coins: a smaller shift by scaling z and adding noise; a
//      sampled release by taking a fresh N(0, 1) instead with probability 1−ν; then cuts, others'
//      coins, rounding. After the stop, one draw more, of shift (μ*² − Σ m²)^½. The loss of all
//      draws is Σ (m_i Z_i + m_i²/2), m_i predictable, Σ m_i² = μ*² a constant; exp(it Σ m_i Z_i +
//      t²/2 Σ m_i²) is a martingale, so it is exactly N(μ*²/2, μ*²), the loss of N(0, 1) against
//      N(μ*, 1), whatever the analysts' rule. A function of the draws has no more mass beyond ε
//      than they: ≤ δ_μ*(ε) ≤ w_G δ. Pairs swapped: the same.                                   ∎
// Without weights (the best witness of what was spent) this has no valid proof.
//
// Everything is an integer in units of 2^-fixed_point_bits; prices rounded up, budgets down. The
// caller (the ledger) owns `spent` and stores it; this class holds only what was recorded at
// opening, immutable, for any thread. Nothing wraps: an entry whose sum would pass 2^62 is
// kDeadOrder for ever, refunds included. PUBLIC. Cost: pricing 0.2 ms, the meter 30 µs, the rest a
// few µs.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_BUDGET_FILTER_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_BUDGET_FILTER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"
#include "accountant/events/privacy_params.h"
#include "accountant/filters/filter_spec.h"
#include "accountant/filters/gaussian_witness.h"
#include "accountant/filters/planned_use.h"

namespace topicwall::accountant {

// One entry per order of the spec, and, with a Gaussian witness, its own as the last.
using CostVector = std::vector<uint64_t>;
inline constexpr uint64_t kDeadOrder = std::numeric_limits<uint64_t>::max();
// An entry beyond this counts as dead. It leaves room to add an offset (below 2^61) in an int64.
inline constexpr uint64_t kLargestSum = uint64_t{1} << 62;

class BudgetFilter {
 public:
  struct Admission {
    CostVector spent_after;
    // An order at which spent_after is within budget; +infinity: the Gaussian witness is.
    double witness_order;
  };

  struct PlanTarget {
    double epsilon;        // nats, for the plan alone at the budget's δ
    double sampling_rate;  // ν in (0, 1]
    int64_t releases;      // ≥ 1
  };

  // The spec of a new budget (planned_use.h). INVALID_ARGUMENT as in Validate.
  static absl::StatusOr<FilterSpec> DefaultSpec(const PrivacyParams& budget,
                                                PlannedUse planned = PlannedUse::kFullBatch);

  // INVALID_ARGUMENT for a spec that breaks a rule above, or whose ε is so small for its δ that no
  // witness could admit anything.
  static absl::StatusOr<BudgetFilter> Create(const FilterSpec& spec);

  const FilterSpec& spec() const { return spec_; }
  CostVector NothingSpent() const { return CostVector(entries(), 0); }

  // At least 1 at every witness, rounded up; kDeadOrder beyond 2^62. INVALID_ARGUMENT when no
  // witness has a finite price (σ absurdly small).
  absl::StatusOr<CostVector> CostPerRelease(const SubsampledGaussian& release) const;

  // Admits `count` more releases of this cost on top of `spent`, or nullopt: over budget, count
  // outside [0, kMostReleases], or vectors of the wrong length. Nothing is changed. A cap ≤ ε is
  // one on one analyst's plans (same witnesses, weights and δ; `spent` is that analyst's): a larger
  // one counts as the budget, and one that is not > 0 admits nothing.
  std::optional<Admission> Admit(const CostVector& spent, const CostVector& cost, int64_t count,
                                 double epsilon_cap = kInfinity) const;

  // `spent` and `count` ≥ 0 more releases, whether they fit or not: what a ledger adds that has to
  // take over what was spent already. Never refuses, never wraps. Vectors of this filter's length.
  CostVector SpentAfter(const CostVector& spent, const CostVector& cost, int64_t count) const;

  // Gives back `count` releases that were never charged: exact, dead entries stay dead.
  // INVALID_ARGUMENT when more would be returned than was spent.
  absl::StatusOr<CostVector> Refund(const CostVector& spent, const CostVector& cost,
                                    int64_t count) const;

  // The largest count that Admit accepts; 0 if none, at most kMostReleases.
  int64_t MostReleases(const CostVector& spent, const CostVector& cost,
                       double epsilon_cap = kInfinity) const;

  // Smallest ε whose filter (same weights, δ) admits `spent`; 0 for nothing spent, infinity when
  // every entry is dead. Exactly consistent: Admit succeeds iff this bound of spent_after is ≤ ε
  // and ≤ epsilon_cap. As a *signed* guarantee for adaptively chosen releases only ε itself, the
  // profile and the odometer hold; this is the meter.
  double EpsilonUpperBound(const CostVector& spent) const;

  // min over a of spent(a) + ln(1/(w_a δ))/(a−1), and of a constant while spent(G) ≤ B(G)
  // (GaussianWitness::EpsilonAtAllTimes): a guarantee at all times at once, also when the moment of
  // looking was chosen from the releases. 0 for nothing spent.
  double OdometerUpperBound(const CostVector& spent) const;

  // Smallest σ, to 1e-9, at which a plan of this filter costs at most target.epsilon by
  // EpsilonUpperBound, starting from nothing. With a second statistic this is σ_eff.
  // INVALID_ARGUMENT for bad fields; FAILED_PRECONDITION if no σ up to 2^20 is enough.
  absl::StatusOr<double> SmallestNoiseMultiplier(const PlanTarget& target) const;

  // Everything ever admitted is (epsilon, result)-private: Σ_a w_a δ e^{(a−1)(ε−epsilon)} +
  // δ_μ*(epsilon), at most 1, and below ε at most what (ε, δ) implies. 1 if negative or NaN.
  double DeltaOfProfile(double epsilon) const;

 private:
  BudgetFilter(const FilterSpec& spec, std::vector<int64_t> offsets);

  size_t entries() const { return offsets_.size() + (gaussian_.has_value() ? 1 : 0); }
  std::optional<Admission> AdmitUpTo(int64_t limit, const CostVector& spent, const CostVector& cost,
                                     int64_t count) const;
  int64_t FixedPointLowerBound(double epsilon) const;

  FilterSpec spec_;
  // Per order ⌈ln((a−1)/a) − (ln(w_a δ) + ln a)/(a−1)⌉: B(a) = ε − offset(a), so that one integer
  // comparison serves budget, caps and meter alike.
  std::vector<int64_t> offsets_;
  std::optional<GaussianWitness> gaussian_;
  uint64_t gaussian_budget_ = 0;  // B(G)
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_BUDGET_FILTER_H_
