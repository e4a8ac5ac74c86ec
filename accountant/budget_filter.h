// BudgetFilter: the arithmetic that decides whether a budget admits more releases.
//
// A weighted Rényi filter. At opening the custodian's (ε, δ) is split over a fixed list of orders
// a > 1 with weights w_a > 0, Σ w_a ≤ 1. Order a has the budget
//   B(a) = ε − ln((a−1)/a) + (ln(w_a δ) + ln a)/(a−1)        [nats],
// one release costs c(a) = log A_a/(a−1) at every order, and a plan of n releases is admitted iff
// at some order spent(a) + n·c(a) ≤ B(a). Then everything ever released is (ε, δ)-private, however
// the analysts choose plans, clip norms and topics by looking at earlier releases.
// Why: fix a direction. At each order the privacy loss less its predictable price is a
// supermartingale; at the end some order is within budget, and there the loss equals the loss
// stopped just before that order would be exceeded, whose mass beyond ε is ≤ w_a δ
// (Canonne, Kamath, Steinke 2020, Prop. 12); the union over orders adds up to δ.
// Without the weights (the best order of what was spent) this has no valid proof.
//
// Everything is an integer in units of 2^-fixed_point_bits nats: costs rounded up, budgets down.
// The caller (the ledger) owns `spent` and stores it; this class holds only what was recorded at
// opening, is immutable and safe to share between threads. Nothing here wraps: an order whose sum
// would pass 2^62 is kDeadOrder for ever, refunds included. PUBLIC: no value depends on a corpus.
// Cost: pricing about 0.2 ms, everything else a few microseconds.
#ifndef TOPICWALL_ACCOUNTANT_BUDGET_FILTER_H_
#define TOPICWALL_ACCOUNTANT_BUDGET_FILTER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/dp_event.h"
#include "accountant/filter_spec.h"
#include "accountant/privacy_params.h"

namespace topicwall::accountant {

// One entry per order of the spec, units of 2^-fixed_point_bits nats.
using CostVector = std::vector<uint64_t>;
inline constexpr uint64_t kDeadOrder = std::numeric_limits<uint64_t>::max();
// An entry beyond this counts as dead. It leaves room to add an offset (below 2^61) in an int64.
inline constexpr uint64_t kLargestSum = uint64_t{1} << 62;

class BudgetFilter {
 public:
  struct Admission {
    CostVector spent_after;
    double witness_order;  // one order at which spent_after is within budget
  };

  struct PlanTarget {
    double epsilon;        // nats, for the plan alone at the budget's δ
    double sampling_rate;  // ν in (0, 1]
    int64_t releases;      // ≥ 1
  };

  // Orders 1.25 … 1024 with weight 0.9 on the order at which most full-batch Gaussian releases fit
  // (argmax B(a)/a), 0.1 spread evenly over the others. INVALID_ARGUMENT as in Validate.
  static absl::StatusOr<FilterSpec> DefaultSpec(const PrivacyParams& budget);

  // INVALID_ARGUMENT for a spec that breaks a rule above, or whose ε is so small for its δ that no
  // order could admit anything.
  static absl::StatusOr<BudgetFilter> Create(const FilterSpec& spec);

  const FilterSpec& spec() const { return spec_; }

  // All zeros.
  CostVector NothingSpent() const { return CostVector(spec_.orders.size(), 0); }

  // c(a) ≥ 1 at every order, rounded up; kDeadOrder beyond 2^62. INVALID_ARGUMENT when no order
  // has a finite price (σ absurdly small).
  absl::StatusOr<CostVector> CostPerRelease(const SubsampledGaussian& release) const;

  // Admits `count` more releases of this cost on top of `spent`, or nullopt: over budget, count
  // outside [0, kMostReleases], or vectors of the wrong length. Nothing is changed.
  std::optional<Admission> Admit(const CostVector& spent, const CostVector& cost,
                                 int64_t count) const;

  // The same against a cap epsilon_cap ≤ ε on one analyst's plans (same orders, weights and δ;
  // `spent` is that analyst's). A larger cap than the budget counts as the budget.
  std::optional<Admission> AdmitWithin(double epsilon_cap, const CostVector& spent,
                                       const CostVector& cost, int64_t count) const;

  // `spent` and `count` ≥ 0 more releases, whether they fit or not: what a ledger adds that has to
  // take over what was spent already. Never refuses, never wraps. Vectors of this filter's length.
  CostVector SpentAfter(const CostVector& spent, const CostVector& cost, int64_t count) const;

  // Gives back `count` releases that were never charged: exact, dead orders stay dead.
  // INVALID_ARGUMENT when more would be returned than was spent.
  absl::StatusOr<CostVector> Refund(const CostVector& spent, const CostVector& cost,
                                    int64_t count) const;

  // The largest count that Admit (AdmitWithin) accepts; 0 if none, at most kMostReleases.
  int64_t MostReleases(const CostVector& spent, const CostVector& cost) const;
  int64_t MostReleasesWithin(double epsilon_cap, const CostVector& spent,
                             const CostVector& cost) const;

  // Smallest ε whose filter (same orders, weights, δ) admits `spent`; 0 for nothing spent, infinity
  // when every order is dead. Exactly consistent: Admit succeeds iff this bound of spent_after is
  // ≤ ε, and AdmitWithin iff it is ≤ epsilon_cap. As a *signed* guarantee for adaptively chosen
  // releases only ε itself, the profile and the odometer hold; this is the meter.
  double EpsilonUpperBound(const CostVector& spent) const;

  // min_a spent(a) + ln(1/(w_a δ))/(a−1): a guarantee at all times at once, also when the moment
  // of looking was chosen from the releases. 0 for nothing spent.
  double OdometerUpperBound(const CostVector& spent) const;

  // Smallest σ, to 1e-9, at which a plan of this filter costs at most target.epsilon by
  // EpsilonUpperBound, starting from nothing. With a second statistic this is σ_eff.
  // INVALID_ARGUMENT for bad fields; FAILED_PRECONDITION if no σ up to 2^20 is enough.
  absl::StatusOr<double> SmallestNoiseMultiplier(const PlanTarget& target) const;

  // A valid privacy profile of the whole budget: everything ever admitted is (epsilon, result)-
  // private. Σ_a w_a δ e^{(a−1)(ε−epsilon)}, and below ε at most what (ε, δ) itself implies.
  // 1 for a negative epsilon or NaN.
  double DeltaOfProfile(double epsilon) const;

 private:
  BudgetFilter(const FilterSpec& spec, std::vector<int64_t> offsets);

  std::optional<Admission> AdmitUpTo(int64_t limit, const CostVector& spent, const CostVector& cost,
                                     int64_t count) const;
  int64_t MostReleasesUpTo(int64_t limit, const CostVector& spent, const CostVector& cost) const;
  int64_t FixedPointLowerBound(double epsilon) const;

  FilterSpec spec_;
  // Per order ⌈ln((a−1)/a) − (ln(w_a δ) + ln a)/(a−1)⌉: B(a) = ε − offset(a), so that one integer
  // comparison serves budget, caps and meter alike.
  std::vector<int64_t> offsets_;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_BUDGET_FILTER_H_
