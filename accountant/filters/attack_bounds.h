// What (ε, δ) means: how well any attacker can tell whether one unit is in the corpus.
//
// The attacker sees everything released, knows all other units, and tests "in" against "out". A
// valid privacy profile δ(·) ties the true positive rate (TPR) to the false positive rate (FPR) of
// every test, by both directions of the definition:
//   TPR ≤ e^ε FPR + δ(ε)   and   TPR ≤ 1 − e^{−ε}(1 − FPR − δ(ε))      for every ε ≥ 0,
// (Wasserman, Zhou 2010; Kairouz, Oh, Viswanath 2015). The bounds here take the least right-hand
// side over a grid of ε, so they hold for whatever profile they are given, at any grid: a coarse
// one is only weaker. Use a profile that may be signed (BudgetFilter::DeltaOfProfile, or an
// accountant's Delta of a schedule fixed in advance).
//
// Units: probabilities in [0, 1], upper bounds. PUBLIC, stateless.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_ATTACK_BOUNDS_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_ATTACK_BOUNDS_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {

// δ at ε ≥ 0: everything released is (ε, result)-private. Values above 1 count as 1.
using PrivacyProfile = absl::FunctionRef<double(double epsilon)>;

struct AttackBounds {
  // The best chance of guessing right when "in" and "out" were equally likely beforehand, 0.5 being
  // a blind guess: min over ε of (e^ε + δ(ε))/(1 + e^ε). For δ = 0 this is also the highest
  // posterior probability any output can lead to; otherwise some outputs lead to a higher one.
  double guess_at_even_odds;
  double true_positives_at_fpr_10_percent;
  double true_positives_at_fpr_1_percent;
  double true_positives_at_fpr_0_1_percent;
};

// The bounds of a profile that is meant up to about largest_epsilon (the ε grid spans 0 …
// 2·largest_epsilon; 257 calls). INVALID_ARGUMENT unless largest_epsilon is finite and > 0.
absl::StatusOr<AttackBounds> BoundAttacks(PrivacyProfile profile, double largest_epsilon);

// The profile of everything that is (ε, δ)-private and of which nothing else is known, at `at`:
// δ + (1 − δ)(e^ε − e^at)/(1 + e^ε) below ε, that of the worst such pair (Kairouz, Oh, Viswanath
// 2015). Rounded up; `params` are valid.
double WorstDelta(const PrivacyParams& params, double at);
// Its bounds. INVALID_ARGUMENT as Validate.
absl::StatusOr<AttackBounds> BoundAttacks(const PrivacyParams& params);

struct TradeOffPoint {
  double false_positive_rate;
  double true_positive_rate;  // upper bound
};

// The trade-off at many FPR, each in [0, 1], in the order given, for the calls of one. A test on
// the curve itself is a coin that ignores the data: TPR = FPR.
absl::StatusOr<std::vector<TradeOffPoint>> TradeOffCurve(
    PrivacyProfile profile, double largest_epsilon, absl::Span<const double> false_positive_rates);

// (ε, δ) under include/exclude as a guarantee for a group: for corpora that differ in up to `units`
// units g, each included or excluded, (gε, δ (e^{gε} − 1)/(e^ε − 1)), δ at most 1: the δ of each
// step passes through the steps before it. Rounded up. INVALID_ARGUMENT as Validate, and unless
// 1 ≤ units ≤ 1,000. *Replacing* one unit by another is an exclusion and an inclusion, a group of
// 2: (2ε, (1 + e^ε)δ).
absl::StatusOr<PrivacyParams> GroupOf(const PrivacyParams& include_exclude, int units);

// The least ε found at which a group of `units` is (ε, delta)-private, from the whole profile: a
// chain of single steps, the i-th at ε_i, is (Σ ε_i, Σ e^{ε_1+…+ε_{i−1}} δ(ε_i))-private. Each
// split of ε tried is a valid bound; tried are steps in geometric progression, of which equal steps
// are one. +infinity where none up to `units`·largest_epsilon does. units = 2: replacing one unit.
// The σ of a composed pair must not be rescaled instead: that is no bound once units are sampled.
// Cost: some 1,000 calls of the profile; give a SampledProfile where calls are dear.
// INVALID_ARGUMENT as BoundAttacks and GroupOf, and unless delta is in (0, 1).
struct GroupQuestion {
  int units;
  double delta;
  double largest_epsilon;  // of one step
};
absl::StatusOr<double> GroupEpsilonUpperBound(PrivacyProfile profile,
                                              const GroupQuestion& question);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_ATTACK_BOUNDS_H_
