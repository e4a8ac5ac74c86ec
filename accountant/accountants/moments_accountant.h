// MomentsAccountant: the paper's own accountant (its section "Privacy analysis of private LDA").
//
//   α(λ) = max(log E1, log E2) on integer λ = 1 … max_order    (eqn:logmomentfn; E2 is the larger)
//   α adds up over releases                                     (eqn:logmomentadditive)
//   δ = min_λ exp(α(λ) − λε),  ε = min_λ (α(λ) + ln 1/δ)/λ      (eqn:logmomenttoprivacy)
// For ν = 1, α(λ) = λ(λ+1)/2σ².
//
// The paper's ε = 2.44 (σ = 1.24, ν = 0.05, 20 releases, δ = 1e-4) is this with paper_cap, which
// stops at λ ≤ σ² ln(1/(νσ)), the range in which the closed-form lemma of Abadi et al. 2016 holds.
// Numeric moments need no such cap: without it the same plan is 1.6451. An upper bound either way;
// lower == upper in its brackets. Rounding of each release's moments and of their conversion
// is on the safe side; that of their sum, some 2e-16 relative for each call of Compose, and that of
// the last exp of a δ fall on either.
// Cost: one quadrature per λ and composed event (½ to 1 ms for 256), then queries are immediate.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_MOMENTS_ACCOUNTANT_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_MOMENTS_ACCOUNTANT_H_

#include <memory>
#include <vector>

#include "accountant/accountants/privacy_accountant.h"

namespace topicwall::accountant {

class MomentsAccountant final : public PrivacyAccountant {
 public:
  struct Options {
    int max_order = 256;  // largest λ, 1 … 4096
    bool paper_cap =
        false;  // also λ ≤ σ² ln(1/(νσ)) of every release; may leave none: ε = infinity
  };

  // INVALID_ARGUMENT for max_order out of range.
  static absl::StatusOr<std::unique_ptr<MomentsAccountant>> Create(const Options& options);

  absl::string_view name() const override { return "moments"; }
  absl::Status Compose(const DpEvent& event) override;
  absl::StatusOr<EpsilonBracket> Epsilon(double delta) const override;
  absl::StatusOr<DeltaBracket> Delta(double epsilon) const override;
  std::unique_ptr<PrivacyAccountant> Clone() const override;

 private:
  explicit MomentsAccountant(const Options& options);

  bool paper_cap_;
  int highest_order_;            // λ ≤ this; lowered by paper_cap_
  bool composed_ = false;        // anything with count > 0
  std::vector<double> moments_;  // α(λ) at index λ − 1
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_MOMENTS_ACCOUNTANT_H_
