// RenyiAccountant: Rényi divergences at real orders, added up, converted at the best order.
//
//   ε(δ) = min over a > 1 of  Σ_i n_i log A_a(σ_i, ν_i)/(a−1) + ln((a−1)/a) − (ln δ + ln a)/(a−1)
// (moments: moment_table.h; converter: rdp_to_dp.h), and 0 once δ is at least the total variation
// that the smallest order implies. ln δ(ε) is minimised in the same way.
//
// Orders are real: a log-spaced grid of a − 1 from 10⁻² to 10³, then parabolic search between the
// neighbours of the best one; when an end of the grid is best, the grid is widened (down to
// 1 + 10⁻⁹, up to 10¹²) until it is not. The search cannot end in a wrong valley: log A_a is convex
// in a (it is log E[R^a]) and so is (a−1) ln(a−1) − a ln a, hence ln δ(a) is convex and ε(a), a
// convex function over a − 1, falls and then rises. Every order tried is a valid bound, so the
// search can only cost tightness (1e-10 relative, 1e-7 for more than 16 kinds of release).
// lower == upper in its brackets: an upper bound, rounding included but for the last exp of a δ.
// The paper's headline plan (σ = 1.24, ν = 0.05, 20 releases, δ = 1e-4): 1.2132.
//
// What depends on the kind of release alone, its moments on the grid and its table, is computed
// when the kind is first composed and kept; Clone shares it.
// Cost: about 80 µs to compose a kind for the first time, 30 ns after that; a query takes 6 to 40
// orders (the more, the more abruptly large losses set in), 2 to 4 µs each for every different
// kind. Memory: typically 40 kB a kind for the first 1,024 kinds, whose tables are kept; the
// others' are made anew, some 5 µs an order and kind.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_RENYI_ACCOUNTANT_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_RENYI_ACCOUNTANT_H_

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "accountant/accountants/moment_table.h"
#include "accountant/accountants/privacy_accountant.h"
#include "accountant/accountants/rdp_to_dp.h"

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
  using Kind = std::pair<double, double>;  // (σ_eff, ν)
  struct KindMoments;
  struct Composed {
    std::shared_ptr<const KindMoments> moments;
    double count;
  };
  using Bound = absl::FunctionRef<double(const RenyiPrice&)>;

  double GridDivergence(int i) const;
  // The least value of `bound` over all orders tried. No order is tried beyond one that reaches
  // `enough`, the value below which the answer no longer changes.
  double LeastOverOrders(Bound bound, double enough) const;

  std::map<Kind, Composed> kinds_;
  std::vector<double> grid_moments_;  // Σ n log A_a on the fixed grid
  double additions_ = 0;              // to each of them, so far
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_RENYI_ACCOUNTANT_H_
