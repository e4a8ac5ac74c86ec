// What chance can do: bounds that hold for every number of samples, with no approximation.
//
//   const double x = -std::log(1e-9);
//   const Interval rate = RateInterval(37, 100, x);      // holds the true rate
//
// `x` is the exponent of the false alarm: each bound is broken by chance with probability at most
// e^-x on each side. Sources, all by Chernoff's argument:
//   rates      P(|p̂ - p| on one side) <= exp(-n KL(p̂ ‖ p)); also for draws without replacement
//              (Hoeffding 1963). Inverted in p.
//   squares    Laurent and Massart 2000, Lemma 1, for the χ² law.
//   means      P(N(0, 1) > z) <= exp(-z²/2).
//   products   E exp(s X Y) = (1 - s²)^-1/2 for independent standard normals X, Y.
//
// Threads: pure functions.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_BOUNDS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_BOUNDS_H_

#include <cstdint>
#include <vector>

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

// Φ.
double NormalBelow(double z);

// P(|B - nν| <= `off`) of the binomial number B of successes among n at rate ν.
double BinomialWithin(int n, double rate, double off);

// Smirnov's two-sample test: the largest difference of two empirical distribution functions, and
// the probability that a random division of the pooled values into two samples of these sizes gives
// that distance or a larger one, counted exactly over lattice paths. Equal values only make the
// distance smaller. What it needs: that without an effect every division was as likely. Draw the
// *order* in which the two kinds are measured by chance, and it is, whatever a machine that drifts
// does meanwhile. Cost: n·m steps of some ns.
struct TwoSampleTest {
  double distance = 0;  // in [0, 1]
  double p_value = 1;   // in [0, 1]; false alarm at most p for `p_value <= p`
};
// Of two samples of 1 … 10,000 values, none of them NaN.
TwoSampleTest CompareSamples(std::vector<double> first, std::vector<double> second);
// The smallest distance of two samples of that size that has a p-value of at most `p`. Above 1 if
// samples so small show nothing at that level.
double SmallestDistanceSeen(int64_t size, double p);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_BOUNDS_H_
