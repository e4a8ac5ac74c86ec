// MomentTable: log A_a of one kind of release at many orders, for little more than the price of
// one.
//
//   const MomentTable moments(release, /*largest_order=*/1024);
//   for (const double order : orders) total += moments.LogMomentUpperBound(order);
//
// The moment is defined in subsampled_gaussian.h. For ν = 1 it is a(a−1)/2σ² exactly. Else it is
// log1p of E[r(a)], r(a) = R^a − 1 − a x, where R = 1 + x = 1 − ν + ν e^t is the ratio of the
// pair: r ≥ 0 and E[x] = 0, so nothing cancels between nodes and small prices keep their relative
// accuracy. The expectation is a trapezoidal sum over u = z/σ with step min(1, σ)/5, the same
// nodes for every order. What does not depend on the order is computed once: L = log R, the
// normal density w, w R and w x. At one node, with y = aL and b = a − 1,
//   |y| ≤ ½            r = y² Σ_{k≥2} (1 − a^{1−k}) y^{k−2}/k!
//   up to bL = 40+ln a r = R expm1(bL) − b x   (both terms of the size of b: a → 1 loses nothing)
//   beyond             r ≤ R^a, and by no more than a e^{−40}/a; scaled by the largest term
// L grows with u, so these are ranges of nodes, found by binary search.
//
// Error. With Y = 0.9π·min(1, σ) the integrand is analytic in |Im u| ≤ Y (the ratio vanishes only
// at Im t = π) and its modulus on that line integrates to at most e^{Y²/2}(A_a + 1 + 2a), so the
// rule errs by at most 2 e^{Y²/2 − 2πY/step}(1 + …)(A_a + 1 + 2a) < 4e-37 (A_a + 1 + 2a)
// (Trefethen, Weideman 2014, Thm 5.1). Tails: the nodes of order a span u from −12 to
// (a+2)/σ + 12; beyond, the logarithm of the integrand falls faster than 10 per unit of u, so that
// the value at an end bounds the tail behind it. Rounding: of the sum, of exponents as large as
// the largest that entered, and of terms below e^{−45} of the largest, which are left out. All
// of these are added to the result, so that it is never below the truth; it is above by at most
// about 1e-12 relative (2e-36 absolute for moments smaller than that) up to order 10⁴.
// Where Minkowski's bound A_a^{1/a} ≤ 1 − ν + ν e^{(a−1)/2σ²} is within 1e-14 of the lower bound
// ν^a e^{a(a−1)/2σ²} it is returned at once; it also stands in where the rule would need more
// than 2^17 points. Out of scale, still from above: σ > 1e50 is priced as 1e50, ν < 1e-50 as 1e-50.
//
// PUBLIC. Immutable; safe to share between threads.
// Cost: 5 (a+2)/σ + 120 nodes for σ ≥ 1, 1/σ times as many below, 40 bytes each. Typically 15 to
// 30 µs to prepare, then 1 to 3 µs for an order.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_MOMENT_TABLE_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_MOMENT_TABLE_H_

#include <cstddef>
#include <vector>

#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

class MomentTable {
 public:
  // Prepared for orders up to largest_order, as far as these need nodes; 1 prepares nothing.
  MomentTable(const SubsampledGaussian& release, double largest_order);

  // log A_a from above, nats, for real order a > 1; always > 0. +infinity for an order that is not
  // finite and > 1, and where the moment overflows a double. An order beyond largest_order is
  // answered as well, at the price of a longer copy of the table.
  double LogMomentUpperBound(double order) const;

 private:
  struct Ranges;
  struct FarTerms {
    double order;
    double shift;  // terms are e^{a L + ln w − shift}
    double least;  // exponents below may be left out
  };

  bool NeedsNodes(double order) const;
  size_t NodesOf(double order) const;
  double NodeAt(size_t i) const { return static_cast<double>(i) * step_ - kTail; }
  void Extend(size_t nodes);
  void FillNodes(size_t begin, size_t end);
  double MinkowskiUpperBound(double order) const;
  double LogExpectedRemainder(double order) const;
  Ranges RangesOf(double order, size_t nodes) const;
  double NearSum(double order, const Ranges& ranges, size_t begin, size_t end) const;
  double SeriesSum(double order, size_t begin, size_t end) const;
  double DirectSum(double order, size_t begin, size_t end) const;
  double FarSum(const FarTerms& terms, size_t begin, size_t end) const;

  static constexpr double kTail = 12;  // standard deviations

  double sampling_rate_;
  double sigma_;
  double step_;
  std::vector<double> log_ratio_;    // L at node i
  std::vector<double> log_density_;  // ln w
  std::vector<double> density_;      // w
  std::vector<double> mixture_;      // w R
  std::vector<double> excess_;       // w x
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_MOMENT_TABLE_H_
