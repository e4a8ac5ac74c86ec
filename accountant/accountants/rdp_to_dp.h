// From a Rényi price to (ε, δ).
//
// Given R, the Rényi divergence of order a > 1 (nats) of everything composed, in the worse of the
// two directions. The converter is Canonne, Kamath, Steinke 2020 (arXiv 2004.00010), Prop. 12:
//   ε = R + ln((a−1)/a) − (ln δ + ln a)/(a−1).
// The classic one (Mironov 2017, Prop. 3; the paper's eqn:logmomenttoprivacy with a = λ + 1,
// α = λR), ε = R + ln(1/δ)/(a−1), is never better and kept to reproduce the paper.
// Results are upper bounds, rounding included; they may be negative (then 0 is meant) or
// +infinity. PUBLIC, stateless.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_RDP_TO_DP_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_RDP_TO_DP_H_

namespace topicwall::accountant {

// A price at one order. rdp ≥ 0 in nats, may be +infinity.
struct RenyiPrice {
  double order;
  double rdp;
};

// ε at δ in (0, 1).
double EpsilonUpperBound(const RenyiPrice& price, double delta);
double ClassicEpsilonUpperBound(const RenyiPrice& price, double delta);

// ln δ at ε ≥ 0; above 0 says nothing.
double LogDeltaUpperBound(const RenyiPrice& price, double epsilon);
double ClassicLogDeltaUpperBound(const RenyiPrice& price, double epsilon);

// δ that holds at every ε ≥ 0: total variation ≤ (1 − e^{−KL})^½ (Bretagnolle, Huber), and KL is
// at most the divergence of any order. Where it is ≤ δ, ε is 0: the orders' own bounds approach
// that only slowly.
double TotalVariationUpperBound(double rdp);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_RDP_TO_DP_H_
