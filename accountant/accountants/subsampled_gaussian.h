// Moments of one release: the numbers every Rényi-type price is made of.
//
// Scale the release by its sensitivity. Without the unit it is β₀ = N(0, σ²), with it the mixture
// β = (1−ν) N(0, σ²) + ν N(1, σ²) (one dimension dominates any other). Their ratio at z is
//   β(z)/β₀(z) = 1 − ν + ν e^t,   t = (2z − 1)/(2σ²),
// and the moment of order a is
//   A_a = E_{z~β₀}[(β/β₀)^a].
// The paper's E2 (its section "Privacy analysis of private LDA") is A_{λ+1}, its E1 is A_{−λ};
// E2 is the larger for every λ > 0, so one direction prices both. Rényi divergence of order a:
// log A_a / (a − 1).
//
// Units: orders and ν unitless, logs natural (nats). PUBLIC, stateless, thread-safe.
// Source of the dominating pair: Mironov, Talwar, Zhang 2019 (arXiv 1908.10530), §3.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_SUBSAMPLED_GAUSSIAN_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_SUBSAMPLED_GAUSSIAN_H_

#include <cstdint>

#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

// log(1 − ν + ν e^t): how much likelier an output with shift exponent t becomes by the mixture;
// also the amplification of a pure ε by sampling. Accurate relative to the result on both sides of
// t = 0, and without overflow for any t.
double LogMixtureRatio(double sampling_rate, double t);

// log A_a from above, for real order a > 1: at least the true value, and above it by no more than
// about 1e-12 relative (2e-36 absolute for moments smaller than that) up to order 10⁴. Always > 0.
// +infinity for an order that is not finite and > 1, and where the moment overflows a double.
// Method, error and many orders at once: moment_table.h. Cost: about 5 µs.
double LogMomentUpperBound(const SubsampledGaussian& release, double order);

// log A_a for integer order 2 ≤ a ≤ 2^20 by the binomial sum
//   A_a − 1 = Σ_{k=2}^{a} C(a,k) (1−ν)^{a−k} ν^k expm1(k(k−1)/2σ²),
// to about 1e-13 relative, with no rounding direction. Shares no code with the quadrature: the
// tests hold one against the other. +infinity outside that range of orders.
double LogMomentIntegerOrder(const SubsampledGaussian& release, int64_t order);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_SUBSAMPLED_GAUSSIAN_H_
