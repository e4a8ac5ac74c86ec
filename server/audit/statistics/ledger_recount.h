// What a chain of ledger events cost, counted again from the events alone.
//
//   TW_ASSIGN_OR_RETURN(const LedgerRecount recount, LedgerRecount::Of(events));
//   recount.Price(i);              // nats at order orders()[i]: of everything charged or set aside
//   recount.EpsilonOfFilter();     // as the budget's own rule turns that into ε
//
// Nothing that the ledger computed is believed: neither its prices nor what it says a cancel gave
// back. An active plan counts as a whole, a cancelled one with the iterations that the chain shows
// as charged. σ_eff = (σ^-2 + σ_h^-2)^-1/2. Prices: a/(2σ_eff²) for a full batch; else
// log A_a/(a - 1), at integer orders by the binomial sum, which shares no code with the price the
// filter charges, at others by the quadrature. The filter's rule, from the orders and weights that
// its opening event records: ε = min_a Price(a) + ln((a-1)/a) - (ln(w_a δ) + ln a)/(a - 1), and,
// where a Gaussian weight is recorded, the ε at which one release of σ = (Σ σ_eff^-2)^-1/2 is
// (ε, w_G δ)-private, by the plain Gaussian's formula (not the witness's code).
//
// PUBLIC. Errors: INVALID_ARGUMENT for a chain without an opening of an adaptive budget, or with a
// plan that cannot be priced. Threads: immutable.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_LEDGER_RECOUNT_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_LEDGER_RECOUNT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"

namespace topicwall::audit {

class LedgerRecount {
 public:
  // `principal`: count that analyst's plans alone; empty = everybody's.
  static absl::StatusOr<LedgerRecount> Of(absl::Span<const v1::LedgerEvent> events,
                                          const std::string& principal = "");

  const std::vector<double>& orders() const { return orders_; }
  bool has_gaussian() const { return gaussian_weight_ > 0; }
  double weights_sum() const;  // must not be above 1
  double Price(std::size_t i) const { return prices_[i]; }
  double GaussianPrice() const { return gaussian_price_; }  // Σ σ_eff^-2
  double EpsilonOfFilter() const;
  // Of the same releases, had they been fixed beforehand: PldAccountant's lower bound.
  double EpsilonOfAccountant() const { return epsilon_of_accountant_; }
  // With `count` more releases of that kind.
  absl::StatusOr<LedgerRecount> With(const v1::ReleaseSpec& kind, int64_t count) const;

  int64_t charged() const { return charged_; }      // events of iterations charged
  int64_t published() const { return published_; }  // and of releases made readable
  int64_t releases() const { return releases_; }    // charged or set aside

 private:
  struct Kind {
    double sampling_rate;
    double effective_noise_multiplier;
    int64_t count;
  };

  absl::Status Open(const v1::BudgetOpened& opened);
  absl::Status CountKinds();

  std::vector<double> orders_;
  std::vector<double> weights_;
  double gaussian_weight_ = 0;
  double delta_ = 0;
  std::vector<Kind> kinds_;
  std::vector<double> prices_;
  double gaussian_price_ = 0;
  double epsilon_of_accountant_ = 0;
  int64_t charged_ = 0;
  int64_t published_ = 0;
  int64_t releases_ = 0;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_LEDGER_RECOUNT_H_
