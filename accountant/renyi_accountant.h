// RenyiAccountant: Rényi divergences at real orders, added up, converted at the best order.
//
//   ε(δ) = min over a > 1 of  Σ_i n_i log A_a(σ_i, ν_i)/(a−1) + ln((a−1)/a) − (ln δ + ln a)/(a−1)
// (moments: subsampled_gaussian.h; converter: rdp_to_dp.h), and 0 once δ is at least the total
// variation that the smallest order implies. ln δ(ε) is minimised in the same way.
//
// Orders are real: a log-spaced grid of a − 1 from 10⁻² to 10⁴, then golden-section search between
// the neighbours of the best one; when an end of the grid is best, the grid is widened (down to
// 1 + 10⁻⁹, up to 10¹²) until it is not. Every order tried is a valid bound, so the search can only
// cost tightness. lower == upper in its brackets: an upper bound.
// The paper's headline plan (σ = 1.24, ν = 0.05, 20 releases, δ = 1e-4): 1.2132.
//
// Cost: about half a millisecond to compose one kind of release, then per query some 30 orders for
// each *different* kind composed (equal ones are merged).
#ifndef TOPICWALL_ACCOUNTANT_RENYI_ACCOUNTANT_H_
#define TOPICWALL_ACCOUNTANT_RENYI_ACCOUNTANT_H_

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "accountant/privacy_accountant.h"
#include "accountant/rdp_to_dp.h"

namespace topicwall::accountant {

class RenyiAccountant final : public PrivacyAccountant {
 public:
  RenyiAccountant();

  absl::string_view name() const override { return "renyi"; }
  absl::Status Compose(const DpEvent& event) override;
  absl::StatusOr<EpsilonBracket> Epsilon(double delta) const override;
  absl::StatusOr<DeltaBracket> Delta(double epsilon) const override;
  std::unique_ptr<PrivacyAccountant> Clone() const override;

  // The composed Rényi divergence from above at one order > 1, nats.
  double RenyiDivergenceUpperBound(double order) const;

 private:
  // The least value of `bound` over all orders tried. No order is tried beyond one that reaches
  // `enough`, the value below which the answer no longer changes.
  double LeastOverOrders(absl::FunctionRef<double(const RenyiPrice&)> bound, double enough) const;

  std::vector<DpEvent> events_;       // one per different (σ_eff, ν)
  std::vector<double> grid_moments_;  // Σ n log A_a on the fixed grid
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_RENYI_ACCOUNTANT_H_
