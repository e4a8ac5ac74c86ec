// One share p = s/n of which only noisy sums are known: what it is, its error, where it may lie.
//
//   for (const NoisyShare& share : ConsistentShares(sums, group)) {
//     share.Share();             // s/n
//     share.StandardError();
//     share.Within(1.96);        // 95 % interval
//   }
//
// A group's K sums and its count n are seen with noise of variances v_k and v_n, and Σ_k s_k = n is
// known. Generalised least squares shares out what does not add up, d = y_n − Σ_k y_k, by
// variances:
//   s_k = y_k + v_k·d/T,   n = y_n − v_n·d/T,   T = Σ_k v_k + v_n
//   Cov(s_k, s_l) = v_k·[k = l] − v_k·v_l/T,   Cov(s_k, n) = v_k·v_n/T,   Var(n) = v_n·(T − v_n)/T
// Sampling leaves the sum true and changes nothing of this; its variance comes on top.
//
// The error of s − r·n at r = p is normal, of variance
//   q(r) = Var(s) − 2r·Cov(s, n) + r²·Var(n) + κ·n·r(1 − r)      κ: prevalence_sums.h
// Fieller's interval is all r with (s − r·n)² <= z²·q(r): exact for a ratio of normals at any size,
// where p ± z·error holds only for large n. (With κ, n is the estimate: Wilson's interval then.)
// Three rules make it one within [0, 1]:
//   - n <= z·√Var(n), noise only: the set is unbounded, for all that is known n may be 0: [0, 1];
//   - s below 0 counts as 0 and above n as n. An estimate that noise took outside of what a share
//     can be has the interval of the nearest that it can be, and not a shorter one, or none at all;
//   - the rest is intersected with [0, 1].
//
// PUBLIC. Pure. Errors: none. Cost: a group's shares take O(K), an interval O(1).
#ifndef TOPICWALL_MODEL_PREVALENCE_NOISY_SHARE_H_
#define TOPICWALL_MODEL_PREVALENCE_NOISY_SHARE_H_

#include <cstdint>
#include <vector>

#include "model/prevalence/prevalence_sums.h"

namespace topicwall::prevalence {

struct Interval {
  double low;
  double high;
};

// n of a group, without that of its topics.
struct NoisyCount {
  double documents;  // n, of either sign
  double variance;   // Var(n) > 0, of the noise
  double sampling;   // κ

  double StandardError() const;  // √(Var(n) + κ·n)
  // All n >= 0 with (documents − n)² <= z²·(Var(n) + κ·n), after documents below 0 count as 0.
  Interval Within(double z) const;
  // Whether n may be 0 for all that is known: documents <= z·√Var(n).
  bool MayBeNone(double z) const;
};

struct NoisyShare {
  double sum;           // s, of either sign
  double sum_variance;  // Var(s) > 0, of the noise
  double covariance;    // Cov(s, n), of the noise
  NoisyCount count;     // n

  double Share() const { return sum / count.documents; }  // may be outside of [0, 1]
  // q(r), r in [0, 1].
  double VarianceAt(double r) const;
  // √q(p)/n, the delta method's, with p brought into [0, 1].
  double StandardError() const;
  Interval Within(double z) const;
};

NoisyCount ConsistentCount(const PrevalenceSums& sums, int64_t group);
// K of them. 0 <= group < sums.num_groups().
std::vector<NoisyShare> ConsistentShares(const PrevalenceSums& sums, int64_t group);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_NOISY_SHARE_H_
