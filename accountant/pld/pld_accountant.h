// PldAccountant: the whole distribution of the privacy loss, certified from both sides.
//
//   ε_lower ≤ the exact ε(δ) ≤ ε_upper,   δ_lower ≤ the exact δ(ε) ≤ δ_upper
// for everything composed, Poisson-subsampled and full-batch Gaussians in any mixture, both
// directions of include/exclude. Every decision uses the upper number; the lower one says how
// little is left to gain. Losses are put on a lattice that dominates (is dominated),
// loss_lattice.h, and added by a tilted Fourier transform whose every error is bounded and added,
// composed_loss.h. The upper bounds of removal and addition are both taken; the lower one is that
// of removal. Releases of everyone (ν = 1) are first put together into one, exactly; alone they
// need no lattice (gaussian_mechanism.h).
//
// Headline plan (σ = 1.24, ν = 0.05, 20 releases, δ = 1e-4): 0.93201, where RDP says 1.2132. The
// bracket is about 1.4e-5 wide at ε = 1 and 6e-4 at ε = 1000. Where no lattice can serve (losses of
// hundreds of nats, 10^9 releases) the bracket is [0, ε of RenyiAccountant].
//
// An explanation of a schedule fixed in advance, not a filter (privacy_accountant.h).
// Cost: a query composes from the start: mostly 10 to 60 ms for one kind of release, about 4 ms for
// each further kind, and below 100 MB. Where releases are rare and loud it takes more: the dearest
// that were found 5.4 s and 450 MB, with nothing from below (σ = 0.1386, ν = 1.25e-4, 4 releases,
// δ = 1e-6: 0 … 37.043; σ = 0.1872, ν = 2.06e-5, 18 releases, δ = 1e-9).
#ifndef TOPICWALL_ACCOUNTANT_PLD_PLD_ACCOUNTANT_H_
#define TOPICWALL_ACCOUNTANT_PLD_PLD_ACCOUNTANT_H_

#include <memory>
#include <vector>

#include "accountant/accountants/privacy_accountant.h"
#include "accountant/events/dp_event.h"
#include "accountant/pld/loss_schedule.h"

namespace topicwall::accountant {

class PldAccountant final : public PrivacyAccountant {
 public:
  PldAccountant() = default;

  absl::string_view name() const override { return "pld"; }
  absl::Status Compose(const DpEvent& event) override;
  absl::StatusOr<EpsilonBracket> Epsilon(double delta) const override;
  absl::StatusOr<DeltaBracket> Delta(double epsilon) const override;
  std::unique_ptr<PrivacyAccountant> Clone() const override;

 private:
  std::vector<DpEvent> sampled_;  // one event per different (σ_eff, ν)
  ReleasesOfEveryone everyone_;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_PLD_ACCOUNTANT_H_
