// The plain Gaussian mechanism, exactly: one release of N(0, σ²) against N(1, σ²).
//
// Its whole privacy curve is known (Balle, Wang 2018, arXiv 1805.06530, Thm 8): with μ = 1/σ
//   δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ).
// J releases at σ are one at σ/√J. Units: ε in nats; σ = std ÷ L2 sensitivity, unitless.
// PUBLIC, stateless. Used by the strong and basic baselines, and by tests as a truth.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_GAUSSIAN_MECHANISM_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_GAUSSIAN_MECHANISM_H_

namespace topicwall::accountant {

// log Φ(x), the standard normal's distribution function, accurate in both tails.
double LogNormalCdf(double x);

// δ(ε) for ε ≥ 0, σ > 0, from above: the two terms nearly cancel for large σ, and what rounding
// may have cost is added (about 2^-50 (2 + (ε/μ + μ/2)² + ε) of Φ(μ/2 − ε/μ)). Where that is most
// of it, it is Φ(μ/2 − ε/μ) itself, and at least kSmallestDelta.
double GaussianDeltaUpperBound(double epsilon, double noise_multiplier);
// The same from below: 0 in both these places.
double GaussianDeltaLowerBound(double epsilon, double noise_multiplier);

// The smallest ε ≥ 0 with δ(ε) ≤ delta, from above, up to that rounding; 0 for delta ≥ 1, infinity
// where ε overflows. A search inside a bracket known beforehand: always terminates.
double GaussianEpsilonUpperBound(double delta, double noise_multiplier);
// The largest ε ≥ 0 found with GaussianDeltaLowerBound(ε) ≥ delta, hence from below; 0 if none.
double GaussianEpsilonLowerBound(double delta, double noise_multiplier);

// The textbook bound (2 ln(1.25/δ))^½ / σ, proven only where the result is ≤ 1 (Dwork, Roth 2014,
// Thm A.1). Kept to show what the paper's baseline printed; not a guarantee above 1.
double ClassicalGaussianEpsilon(double delta, double noise_multiplier);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_GAUSSIAN_MECHANISM_H_
