// What a chain of ledger events cost, counted again from the events alone.
//
//   TW_ASSIGN_OR_RETURN(LedgerRecount recount, LedgerRecount::Of(entries));
//   recount.prices[i];             // nats at order orders[i]: of everything charged or set aside
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
// plan that cannot be priced; DATA_LOSS for one whose hashes do not recompute. Threads: values.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_LEDGER_RECOUNT_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_LEDGER_RECOUNT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::audit {

struct LedgerRecount {
  // `principal`: count that analyst's plans alone; empty = everybody's.
  static absl::StatusOr<LedgerRecount> Of(absl::Span<const v1::LedgerEntry> entries,
                                          const std::string& principal = "");

  // As recorded when the budget was opened; all weights together must not be above 1.
  std::vector<double> orders;
  std::vector<double> weights;
  double gaussian_weight = 0;  // 0: there is no such witness
  double delta = 0;

  std::vector<double> prices;
  double gaussian_price = 0;  // Σ σ_eff^-2
  int64_t releases = 0;       // charged or set aside
  int64_t charged = 0;        // events of iterations charged
  bool charged_first = true;  // no release was readable before it was charged
  bool keys_named = true;     // every charge says of which key its noise is
  std::vector<int64_t> published_at_ms;
  std::vector<int64_t> intervals_waited;  // of each

  double WeightsSum() const;
  double EpsilonOfFilter() const;
  // Of the same releases, had they been fixed beforehand: PldAccountant's lower bound.
  absl::StatusOr<double> EpsilonOfAccountant() const;
  // So many more releases of that kind.
  absl::Status Add(const v1::ReleaseSpec& plan, int64_t count);

 private:
  struct Kind {
    double sampling_rate;
    double sigma;  // effective
    int64_t count;
  };
  std::vector<Kind> kinds_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_LEDGER_RECOUNT_H_
