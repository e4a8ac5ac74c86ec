// What a history of releases may spend of one Gaussian: the arithmetic of a filter's witness G.
//
//   const GaussianWitness witness(/*weight=*/0.9, /*delta=*/1e-6);
//   witness.Holds(epsilon_units, spent);    // δ_μ(ε) ≤ w δ at μ² = spent
//   witness.BudgetAt(epsilon_units);        // the most that holds
//   witness.LeastEpsilon(spent);            // the smallest ε at which it holds
//
// Spending is μ² = Σ 1/σ_eff² over all releases, sampled or not: an integer in units of 2^-32, each
// release rounded up. A history bounded by μ² beforehand, however it was chosen (budget_filter.h
// has the proof), is dominated by one N(0, 1) against N(μ, 1), whose curve is
//   δ_μ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) = ½ (erfc a − e^{−a²} erfcx b),
//   a = (ε/μ − μ/2)/√2, b = (ε/μ + μ/2)/√2.
// ε is an integer in units of 2^-32 nats. Computed in long double (64 bits of mantissa or more),
// where erfc, exp and the rounding of a² and b² (both below 11,000 where anything is left) are off
// by less than 2e-15 of either term; 1e-13 of each is added to the answer's disadvantage. One unit
// of ε or of spending moves δ_μ(ε) by far more than what rounding can (2^-33/μ and 2^-33/b of the
// density at a, against 2^-62), so that the three questions above agree exactly with each other.
//
// Units: δ a probability, upper bounds. PUBLIC, immutable. Cost: Holds 0.5 µs, the others some
// 30 µs.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_GAUSSIAN_WITNESS_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_GAUSSIAN_WITNESS_H_

#include <cstdint>
#include <optional>

namespace topicwall::accountant {

// ⌈2^32 (1 + 2^-40)/σ²⌉, at least 1; 2^64 − 1 beyond 2^62. `noise_multiplier` > 0.
uint64_t GaussianCostPerRelease(double noise_multiplier);

class GaussianWitness {
 public:
  static constexpr uint64_t kLargestSpending = uint64_t{1} << 62;

  // weight a multiple of 2^-32 in (0, 1], delta in (0, 1).
  GaussianWitness(double weight, double delta);

  // For epsilon_units ≥ 0; false beyond kLargestSpending.
  bool Holds(int64_t epsilon_units, uint64_t spent) const;

  // The most that holds, at most kLargestSpending; 0 if only nothing does.
  uint64_t BudgetAt(int64_t epsilon_units) const;

  // The smallest ε, in units, at which `spent` holds; nullopt if none up to 2^62 does.
  std::optional<int64_t> LeastEpsilon(uint64_t spent) const;

  // δ_μ(epsilon) at μ² = spent, whatever the weight, for any epsilon ≥ 0 in nats; at most 1.
  static double DeltaUpperBound(double epsilon, uint64_t spent);

  // x = ln p − ln Φ(Φ⁻¹(p) − μ*), p = w δ and μ*² = budget: with probability 1 − p the loss exceeds
  // it at no moment while what is charged is within `budget`. A constant of the budget. For: if A
  // says that it did at some moment, stop there; P(A) ≥ e^x Q(A), and by dominance Q(A) ≥
  // Φ(Φ⁻¹(P(A)) − μ*), which as a share of P(A) grows with P(A): so P(A) ≤ p. The first passage of
  // the dominating walk alone, Φ((μ*²/2 − x)/μ*) + e^x Φ(−(x + μ*²/2)/μ*) = p, gives an x a little
  // smaller and is not enough: hidden coins may merge what that walk keeps apart. And the curve at
  // what is spent so far, instead of at the budget, fails when the moment of stopping is chosen.
  double EpsilonAtAllTimes(uint64_t budget) const;

 private:
  long double failure_;  // w δ
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_GAUSSIAN_WITNESS_H_
