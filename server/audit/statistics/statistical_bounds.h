// What chance can do: bounds that hold for every number of samples, with no approximation.
//
//   const double x = -std::log(1e-9);
//   const Interval rate = RateInterval(37, 100, x);      // holds the true rate
//
// `x` is the exponent of the false alarm: each bound is broken by chance with probability at most
// e^-x on each side. Sources, all by Chernoff's argument:
//   rates      P(|p̂ - p| on one side) <= exp(-n KL(p̂ ‖ p)); also for draws without replacement
//              (Hoeffding 1963). Inverted in p: wider than Clopper and Pearson's interval by less
//              than a tenth where alarms are this rare, and without a quantile of the beta law.
//   squares    Laurent and Massart 2000, Lemma 1, for the χ² law.
//   means      P(N(0, 1) > z) <= exp(-z²/2).
//   products   E exp(s X Y) = (1 - s²)^-1/2 for independent standard normals X, Y.
//
// Threads: pure functions.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_STATISTICAL_BOUNDS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_STATISTICAL_BOUNDS_H_

#include <cstdint>

namespace topicwall::audit {

struct Interval {
  double low;
  double high;
  bool Holds(double value) const { return value >= low && value <= high; }  // false for NaN
};

// Of the true probability, from `successes` among `trials` >= 1.
Interval RateInterval(int64_t successes, int64_t trials, double x);

// Of the mean of `n` >= 1 squares of independent standard normals.
Interval MeanSquareInterval(int64_t n, double x);

// The mean of `n` independent standard normals is within ± this.
double MeanBound(int64_t n, double x);

// The mean of `n` products of independent standard normals is within ± this.
double MeanProductBound(int64_t n, double x);

// Φ and its inverse (p in (0, 1), to 1e-12).
double NormalBelow(double z);
double NormalQuantile(double p);

// The most that any test gains on telling N(0, 1) from N(μ, 1): 2Φ(μ/2) - 1.
double GaussianAdvantage(double mu);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_STATISTICAL_BOUNDS_H_
